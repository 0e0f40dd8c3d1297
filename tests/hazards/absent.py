"""Ids of the catalogue that no program of the suite has, and why."""

NOT_HERE = {
    "H37": "third chip generation only: no chip profile is of it, and graph dumps do not tell the local memory of kernels",
    "SK_PROGRAM": "a defect of the fuser: none is known. Random graphs brought out none, with --emulate-vendor-defects neither, but they "
                  "do not reach all that may go wrong; no command runs a queue that was recorded. tests/fuse/test_broken.c breaks "
                  "programs by hand",
    "HISTORY_LOST": "needs a host without memory; tests/check has it",
    "INTERNAL": "a broken invariant: nothing leads there",
}
