"""Ids of the catalogue that no program of the suite has, and why."""
DEFECT = "a defect of the real planners that ours does not have, so no program can be fused that way"
NO_CALL = "the host interface modelled has no call that leads to it"

NOT_HERE = {
    "H6": f"{DEFECT}; tests/fuse runs a program of that form",
    "H17": "argument blocks are host memory, and every launch ends with a flush of all its cores",
    "H31": f"{DEFECT}; tests/fuse/test_broken.c breaks a program that way",
    "H32": "a collective name: H7, H11, H19, H22 and H33 are told one by one, each with a program",
    "H37": "third chip generation only",
    "H41": f"{NO_CALL}: value waits come from graph dumps, which are planned and not run",
    "H42": f"{NO_CALL}: task groups, and no other way to change a captured launch",
    "H43": "the tiling of a program's operators is decided on the host, before the launch",
    "H45": "a rule of the verifier: it never sets these options",
    "SK_PROGRAM": "a defect of the fuser; tests/fuse/test_broken.c breaks programs by hand",
    "HISTORY_LOST": "needs a host without memory; tests/check has it",
    "INTERNAL": "a broken invariant: nothing leads there",
}
