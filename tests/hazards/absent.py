"""Ids of the catalogue that no program of the suite has, and why."""
CXX = "C++ tensor API only: the programs here are C"
GE = "graph mode (GE) path only"
THIRD = "third chip generation only"
NO_CALL = "the host interface modelled has no call that leads to it"

NOT_HERE = {
    "H6": f"{GE}: the captured-graph planner never launches a 1:2 operator at 1:1",
    "H9": "comes out as SYNC_GM (sync_gm_set_order.c): a set covers what stands before it on its own pipe, nothing else",
    "H16": "needs an option (dcci_disable_on_kernel) that no mode of the matrix sets; tests/fuse has it",
    "H17": "arguments are host memory here, and every launch ends with a flush",
    "H31": "a defect of the real planner that ours does not have; tests/fuse has it",
    "H32": "a collective name: H7, H11, H19, H22 and H33 are told one by one",
    "H37": THIRD,
    "H41": f"{NO_CALL}: value waits",
    "H42": f"{NO_CALL}: task groups",
    "H43": f"{GE}: operators with tiling on the device",
    "H45": "a rule of the verifier: it never sets these options",
    "H30": "a binding that does not resolve is a reason of the plan (skv plan), not a finding",
    "H39": "not detected: launches run one after another here, so kernels never compete for cores",
    "H44": "the runtime makes an event fresh for each replay",
    "RED_ZONE": "every access is checked against its allocation first; tests/machine plants the damage",
    "LAUNCH_INVALID": "such a launch is refused with an acl error before it is a launch",
    "WRONG_CORE": "instructions of the other core type do nothing in the C API",
    "HISTORY_LOST": "needs a host without memory; tests/check has it",
    "INTERNAL": "a broken invariant: nothing leads there",
}
