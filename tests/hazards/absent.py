"""Ids of the catalogue that no program of the suite has, and why."""
CXX = "C++ tensor API only: the programs here are C"
GE = "graph mode (GE) path only"
THIRD = "third chip generation only"
NO_CALL = "the host interface modelled has no call that leads to it"

NOT_HERE = {
    "H3": f"{CXX}: Matmul objects",
    "H6": f"{GE}: the captured-graph planner never launches a 1:2 operator at 1:1",
    "H9": "comes out as SYNC_GM (sync_gm_set_order.c): a set covers what stands before it on its own pipe, nothing else",
    "H16": "needs an option (dcci_disable_on_kernel) that no mode of the matrix sets; tests/fuse has it",
    "H17": "arguments are host memory here, and every launch ends with a flush",
    "H20": f"{CXX}: TPipe objects",
    "H21": f"{CXX}: TPipe objects",
    "H31": "a defect of the real planner that ours does not have; tests/fuse has it",
    "H32": "a collective name: H7, H11, H19, H22 and H33 are told one by one",
    "H37": THIRD,
    "H41": f"{NO_CALL}: value waits",
    "H42": f"{NO_CALL}: task groups",
    "H43": f"{GE}: operators with tiling on the device",
    "H45": "a rule of the verifier: it never sets these options",
    "H26": "comes out as H23: what the capability promises and the code does not do",
    "H27": "comes out as H23: a core below the block count that makes no call",
    "H28": "not detected: the structure of a bound function is not compared with the parameters; accesses out of range show",
    "H29": "not named: another body shows as a result that differs in every fused mode",
    "H30": "a binding that does not resolve is a reason of the plan (skv plan), not a finding",
    "H35": "not detected: the C API has no soft barrier, and nothing tells workspace from data",
    "H39": "not detected: launches run one after another here, so kernels never compete for cores",
    "H44": "the runtime makes an event fresh for each replay",
    "RED_ZONE": "every access is checked against its allocation first; tests/machine plants the damage",
    "TRAP": "the C API has no trap; __builtin_trap is a KERNEL_FAULT",
    "LAUNCH_INVALID": "such a launch is refused with an acl error before it is a launch",
    "TENSOR_OVERFLOW": CXX,
    "QUEUE_STATE": CXX,
    "QUEUE_LEAK": CXX,
    "QUEUE_DOUBLE_FREE": CXX,
    "QUEUE_LIMIT": CXX,
    "WRONG_CORE": "instructions of the other core type do nothing in the C API",
    "NO_DATA_PATH": f"{CXX}: in the C API such a copy does not compile",
    "HISTORY_LOST": "needs a host without memory; tests/check has it",
    "INTERNAL": "a broken invariant: nothing leads there",
}
