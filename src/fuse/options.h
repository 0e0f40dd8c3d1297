/* options.h - the options of the captured-graph path, written once. Private to the fuse floor. */
#ifndef SK_FUSE_OPTIONS_H
#define SK_FUSE_OPTIONS_H

/* X(field and key, dictionary (0 optimise, 1 debug), lowest, highest, default, help) */
#define SK__NUMBER_OPTIONS(X)                                                                                \
  X(preload_code, 0, 0, 2, 1, "0 whole instruction cache, 1 by size of the function, 2 none")                \
  X(split_mode, 0, 1, 4, 4, "code copies in use per kernel")                                                 \
  X(stream_fusion, 0, 0, 1, 1, "0 only warns when a scope spans streams")                                    \
  X(auto_op_parallel, 0, 0, 1, 0, "1 alternates cube and vector kernels of different streams")               \
  X(early_start, 0, 0, 1, 0, "1 lets kernels begin before their predecessors have ended")                    \
  X(constant_codegen, 0, 0, 1, 0, "1 compiles a specialised entry; no effect on the plan")                   \
  X(debug_sync_all, 1, 0, 1, 0, "1 puts a full barrier behind every task")                                   \
  X(debug_op_exec_trace, 1, 0, 1, 0, "1 writes a trace word per core")                                       \
  X(debug_cross_core_sync_check, 1, 0, 1, 0, "1 tests the cross-core counters after each kernel")            \
  X(debug_per_op_max_core_num, 1, 0, 1, 0, "1 makes every kernel an SK of its own on all cores")
/* X(field and key, help); all in the optimise dictionary */
#define SK__PATTERN_OPTIONS(X)                                                                               \
  X(dcci_disable_on_kernel, "no data cache flush after these kernels")                                       \
  X(dcci_before_kernel_start, "data cache flush before these kernels")                                       \
  X(dcci_after_kernel_end, "data cache flush after these kernels")                                           \
  X(ubuf_lock_ignore_kernel, "kernels that do not open a group of their own on the third chip")
/* X(key, highest); inside aggressive_opt_strategies */
#define SK__STRATEGY_OPTIONS(X) X(event_breaker_bypass, UINT32_MAX) X(value_breaker_bypass, UINT32_MAX) X(task_breaker_bypass, 1)

#endif
