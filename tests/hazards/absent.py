"""Ids of the catalogue that no program of the suite has, and why."""

NOT_HERE = {
    "H17": "every launch here ends with an invalidation of its cores' data caches, so that no line outlives it, and argument blocks "
           "are host memory; that an SK of the real system leaves lines behind is inferred in the facts, not documented",
    "H32": "a collective name: H7, H11, H19, H22 and H33 are told one by one, each with a program",
    "H37": "third chip generation only",
    "H45": "a rule of the verifier: it never sets these options",
    "SK_PROGRAM": "a defect of the fuser; tests/fuse/test_broken.c breaks programs by hand",
    "HISTORY_LOST": "needs a host without memory; tests/check has it",
    "INTERNAL": "a broken invariant: nothing leads there",
}
