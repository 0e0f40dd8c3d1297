#!/bin/sh
# link.sh SOURCE BUILD: the packages in a build directory are the sources; what shadows stands apart.
set -eu
mkdir -p "$2/shadow"
ln -sfn "$1/superkernel" "$2/superkernel"
for package in torch_npu torchair superkernel_autoload.dist-info; do
  if [ -d "$1/$package" ]; then ln -sfn "$1/$package" "$2/shadow/$package"; fi
done
