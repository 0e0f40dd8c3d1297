/* reasons.h - why a node is not fused: code, what it means, what to change. Written once. */
#ifndef SK_FUSE_REASONS_H
#define SK_FUSE_REASONS_H

/* X(code, explanation, advice) */
#define SK__REASON_LIST(X)                                                                                  \
  X(CAN_FUSE, "nothing stands against it", "")                                                              \
  X(OP_UNSUPPORT, "the kernel has no usable SK binding", "bind the kernel with SK_BIND and rebuild it")     \
  X(DYNAMIC_TASK_UNSUPPORT, "its parameters are refreshed at run time",                                     \
    "take it out of the task group, or put a None scope around it")                                         \
  X(NOT_IN_SCOPE, "named scopes exist and it lies in none", "move it between scope begin and end")          \
  X(IN_UNFUSIBLE_SCOPE, "it lies in a None scope", "end the None scope before it")                          \
  X(EXCEED_SCOPE_MAX, "its scope name came after the 1024 that fit", "use at most 1024 scope names")        \
  X(EXCEED_CORE_MAX, "it needs more cores than the device has", "launch it with fewer blocks")              \
  X(RESET_TYPE_NODE, "an event reset is never fused", "reset events outside the scope")                     \
  X(EXTERNAL_DEPEND, "its event is shared with work outside the graph",                                     \
    "record and wait for the event inside the same graph, with default flags")                              \
  X(UNSUPPORT_EVENT_TYPE, "unknown kind of event task", "use record, wait and reset")                       \
  X(ISOLATED_EVENT, "its stream has no kernel in this scope", "put the event beside a kernel of the scope") \
  X(EXIST_DEADLOCK, "fusing it could leave the SK waiting for work that cannot start",                      \
    "move the wait in front of the scope, or use fewer cores")                                              \
  X(SCOPE_FUSE_PART, "its scope cannot become an SK",                                                       \
    "keep more kernels of each stream in the scope: boundary waits and writes take the place of its tasks") \
  X(MEMORY_WAIT_NODE_ONLY, "a value wait without a write", "write the value inside the graph")              \
  X(MEMORY_WRITE_NODE_ONLY, "a value write without a wait", "wait for the value inside the graph")          \
  X(DEFAULT_NODE, "it is no kernel", "move it to a stream without kernels of the scope")                    \
  X(SIMT_OP_UNSUPPORT, "its vector half is SIMT code", "leave it out of the scope")                         \
  X(KERNEL_ATTR_GET_FAILED, "the runtime does not tell its attributes", "rebuild the kernel")
typedef enum sk__reason {
#define X(code, explanation, advice) SK__REASON_##code,
  SK__REASON_LIST(X)
#undef X
  SK__REASONS
} sk__reason;

#define SK__SUB_REASON_LIST(X)                                                                              \
  X(BINDMAP_INIT_EMPTY, "the binary has no SK metadata", "compile the kernel with its SK_BIND")             \
  X(BIN_DEV_ADDR_GET_FAILED, "the binary has no device address", "load the binary before the capture")      \
  X(FUNC_ADDR_GET_FAILED, "the function has no address", "load the binary before the capture")              \
  X(FUNC_NOT_FOUND, "neither half of the kernel is bound", "add SK_BIND for this kernel")                   \
  X(BINDMAP_ENTRY_CONFLICT, "it is bound twice with different content", "keep one SK_BIND per kernel")      \
  X(BINDMAP_CAP_INCONSISTENT, "cube and vector half carry different capabilities",                          \
    "give both halves the same capability bits")                                                            \
  X(BIN_HOST_ADDR_GET_FAILED, "the binary has no host address", "keep the binary loaded")                   \
  X(BINHDL_NULL, "the runtime returns no binary", "register the kernel's binary")                           \
  X(FUNCHDL_NULL, "the runtime returns no function", "register the kernel's binary")                        \
  X(NOT_FIND_DEADLOCK, "it needs more cores than the SK can still get",                                     \
    "launch it with fewer blocks, or start a new scope in front of the wait before it")                     \
  X(FIRST_WAIT, "an SK never begins with a wait", "begin the scope behind the wait")                        \
  X(NOTIFY_NOT_IN_GRAPH, "nothing in the graph releases the wait", "record the event inside the graph")     \
  X(NOTIFY_INVALID, "the record belongs to an SK already", "end the scope in front of it")                  \
  X(NOTIFY_AFTER_SK_RANGE, "the record lies behind the SK it would have to release",                        \
    "record the event before the scope")                                                                    \
  X(NOTIFY_INSUFFICIENT_CORES, "the SK that releases the wait needs cores this SK holds",                   \
    "use fewer blocks in one of the two scopes")                                                            \
  X(KERNEL_INSUFFICIENT_CORES, "a kernel that must run before the wait ends needs cores this SK holds",     \
    "use fewer blocks, or begin the scope behind the wait")                                                 \
  X(NO_SUPPORT_NODE, "a task of unknown kind lies before the record", "begin the scope behind the wait")    \
  X(RESOURCE_INSUFFICIENT, "a stream of the scope has too few tasks to hold the boundary tasks",            \
    "put scope begin and end on each stream, or keep the scope on one stream")                              \
  X(NO_TARGET_NODE, "no task of the scope can become the launch", "put a kernel into the scope")            \
  X(UNRECOVERABLE_FAIL, "an event of the scope lacks its record, wait or reset",                            \
    "keep record, wait and reset of the event in the graph")
typedef enum sk__sub_reason {
  SK__NO_SUB,
#define X(code, explanation, advice) SK__SUB_##code,
  SK__SUB_REASON_LIST(X)
#undef X
  SK__SUB_REASONS
} sk__sub_reason;

const char *sk__reason_code(sk__reason reason);
const char *sk__reason_text(sk__reason reason);
const char *sk__reason_advice(sk__reason reason);
const char *sk__sub_code(sk__sub_reason sub); /* NULL for SK__NO_SUB */
const char *sk__sub_text(sk__sub_reason sub);
const char *sk__sub_advice(sk__sub_reason sub);
sk__sub_reason sk__sub_find(const char *code); /* SK__NO_SUB when unknown */

#endif
