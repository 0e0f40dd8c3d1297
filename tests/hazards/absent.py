"""Ids of the catalogue that no program of the suite has, and why."""

NOT_HERE = {
    "H37": "third chip generation only",
    "SK_PROGRAM": "a defect of the fuser; tests/fuse/test_broken.c breaks programs by hand",
    "HISTORY_LOST": "needs a host without memory; tests/check has it",
    "INTERNAL": "a broken invariant: nothing leads there",
}
