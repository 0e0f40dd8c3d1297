/* called.c - host code that calls a kernel like a function: linked into every product, in place of the kernel's body there. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((visibility("hidden"), noreturn)) void sk__kernel_called(const char *kernel);

void sk__kernel_called(const char *kernel) {
  fprintf(stderr, "superkernel: kernel '%s' is called like a function; launch it: %s<<<blocks, dynamic UB bytes, stream>>>(...)\n", kernel, kernel);
  abort();
}
