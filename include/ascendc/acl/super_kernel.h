/* super_kernel.h - the acl interface of the SuperKernel optimizer, source compatible.
 *
 * A captured model is optimised in place: what can be fused becomes SuperKernels, and every later
 * aclmdlRIExecute runs the fused form. In C the option types are plain enumerators, in C++ those of a
 * scoped enumeration. */
#ifndef ACL_SUPERKERNEL_H
#define ACL_SUPERKERNEL_H

#include "acl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options ---- */

/* X(name, value); the list is written once. */
#define ACLSK_OPTION_LIST(X)          \
  X(PRELOAD_CODE, 0)                  \
  X(SPLIT_MODE, 1)                    \
  X(STREAM_FUSION, 2)                 \
  X(DCCI_DISABLE_ON_KERNEL, 3)        \
  X(DEBUG_SYNC_ALL, 4)                \
  X(KERNEL_MAP, 5)                    \
  X(CONSTANT_CODEGEN, 6)              \
  X(AUTO_OP_PARALLEL, 7)              \
  X(DCCI_BEFORE_KERNEL_START, 8)      \
  X(DEBUG_OP_EXEC_TRACE, 9)           \
  X(DEBUG_CROSS_CORE_SYNC_CHECK, 10)  \
  X(OPT_EXTEND_OPTION, 11)            \
  X(DEBUG_EXTEND_OPTION, 12)          \
  X(DCCI_AFTER_KERNEL_END, 13)        \
  X(AGGRESSIVE_OPT_STRATEGIES, 14)    \
  X(UBUF_LOCK_IGNORE_KERNEL, 15)      \
  X(EARLY_START, 16)                  \
  X(DEBUG_PER_OP_MAX_CORE_NUM, 17)

#define ACLSK_OPTION_ENUMERATOR(name, value) name = (value),
#ifdef __cplusplus
enum class aclskOptionType : uint32_t { ACLSK_OPTION_LIST(ACLSK_OPTION_ENUMERATOR) SK_OPTION_MAX };
#else
typedef enum aclskOptionType { ACLSK_OPTION_LIST(ACLSK_OPTION_ENUMERATOR) SK_OPTION_MAX } aclskOptionType;
#endif
#undef ACLSK_OPTION_ENUMERATOR

/* Bits of aclskAggressiveOptStrategies.valueBreakerBypass. */
enum aclskValueBreakerBypassFlag {
  ACLSK_VALUE_BREAKER_BYPASS_NONE = 0,
  ACLSK_VALUE_BREAKER_BYPASS_PAIRED_WAIT = 1,
  ACLSK_VALUE_BREAKER_BYPASS_UNPAIRED_WAIT = 2
};
enum aclskEarlyStartValue { ACLSK_EARLY_START_DISABLED = 0, ACLSK_EARLY_START_ENABLED = 1 };

typedef struct aclskPreloadOption { uint32_t preloadMode; } aclskPreloadOption;          /* 0 to 2, default 1 */
typedef struct aclskSplitModeOption { uint32_t splitCnt; } aclskSplitModeOption;         /* 1 to 4, default 4 */
typedef struct aclskStreamFusionOption { uint32_t streamFusion; } aclskStreamFusionOption; /* 0, 1; default 1 */
/* Patterns of kernel names; whole names, `.` any character, `x*` any number of x. */
typedef struct aclskDcciOption { char **kernelNames; size_t kernelCnt; } aclskDcciOption;
typedef struct aclskDebugSyncAllOption { uint32_t debugSyncAll; } aclskDebugSyncAllOption; /* from here 0, 1; default 0 */
typedef struct aclskConstantCodegenOption { uint32_t enableConstant; } aclskConstantCodegenOption;
typedef struct aclskAutoOpParallelOption { uint32_t enableAutoOpParallel; } aclskAutoOpParallelOption;
typedef struct aclskDebugOpExecTraceOption { uint32_t enableOpExecTrace; } aclskDebugOpExecTraceOption;
typedef struct aclskDebugCrossCoreSyncCheckOption { uint32_t enableCrossCoreSyncCheck; } aclskDebugCrossCoreSyncCheckOption;
typedef struct aclskEarlyStartOption { uint32_t enableEarlyStart; } aclskEarlyStartOption;
typedef struct aclskDebugPerOpMaxCoreNumOption { uint32_t enableDebugPerOpMaxCoreNum; } aclskDebugPerOpMaxCoreNumOption;
typedef struct aclskExtendOption { char *value; } aclskExtendOption; /* key=value,value:key=value; at most 1024 bytes */
typedef struct aclskAggressiveOptStrategies {
  uint32_t eventBreakerBypass; /* reserved */
  uint32_t valueBreakerBypass; /* bits above */
  uint32_t taskBreakerBypass;  /* 0, 1 */
} aclskAggressiveOptStrategies;
typedef struct aclskUbufLockIgnoreKernelOption {
  uint32_t ubufLockIgnoreKernelCnt;
  char **ubufLockIgnoreKernel;
} aclskUbufLockIgnoreKernelOption;
/* Taken and ignored, as by the real optimizer. */
typedef struct aclskKernelMap { char *globalName; char *sknlNames[4]; } aclskKernelMap;
typedef struct aclskKernelMapOption { aclskKernelMap *kernelMaps; size_t numKernels; } aclskKernelMapOption;

typedef struct aclskOption {
  aclskOptionType optionType;
  union {
    aclskPreloadOption preload;
    aclskSplitModeOption splitMode;
    aclskStreamFusionOption streamFusion;
    aclskDcciOption disableKernelDcci;
    aclskDebugSyncAllOption debugSync;
    aclskKernelMapOption kernelMap;
    aclskConstantCodegenOption constantCodegen;
    aclskAutoOpParallelOption autoOpParallel;
    aclskDcciOption dcciBeforeKernelStart;
    aclskDebugOpExecTraceOption debugOpExecTrace;
    aclskDebugCrossCoreSyncCheckOption debugCrossCoreSyncCheck;
    aclskExtendOption optExtend;
    aclskExtendOption debugExtend;
    aclskDcciOption dcciAfterKernelEnd;
    aclskAggressiveOptStrategies aggressiveOpts;
    aclskUbufLockIgnoreKernelOption ubufLockIgnoreKernel;
    aclskEarlyStartOption earlyStart;
    aclskDebugPerOpMaxCoreNumOption debugPerOpMaxCoreNum;
  };
} aclskOption;

typedef struct aclskOptions {
  aclskOption *options;
  size_t numOptions;
} aclskOptions;

/* Fuses a captured model, once. options NULL: all defaults. A value out of range, or an option given again,
 * is warned of (environment SUPERKERNEL_LOG) and has no effect; the options are read during the call only.
 *   ACL_ERROR_INVALID_PARAM  model is NULL
 *   ACL_ERROR_RT_*           no such model, or its capture has not ended well
 *   ACL_ERROR_FAILURE        it cannot be fused, or was optimised before; the model stays as it is and
 *                            aclGetRecentErrMsg names the rule */
ACL_FUNC_VISIBILITY aclError aclskOptimize(aclmdlRI model, aclskOptions *options);

/* ---- scopes of a graph that is only described ---- */

typedef enum aclskScopeVerifyNodeType {
  ACLSK_SCOPE_VERIFY_NODE_WAIT = 0,
  ACLSK_SCOPE_VERIFY_NODE_NOTIFY = 1,
  ACLSK_SCOPE_VERIFY_NODE_COMPUTE = 2
} aclskScopeVerifyNodeType;
typedef enum aclskScopeVerifyKernelType {
  ACLSK_SCOPE_VERIFY_KERNEL_NO_AICORE = 0,
  ACLSK_SCOPE_VERIFY_KERNEL_CUBE = 1,
  ACLSK_SCOPE_VERIFY_KERNEL_VECTOR = 2,
  ACLSK_SCOPE_VERIFY_KERNEL_MIX = 3
} aclskScopeVerifyKernelType;

typedef struct aclskScopeVerifyNodeInfo {
  int64_t taskId;               /* unique; ascending in order of capture */
  int64_t streamId;
  int64_t eventId;              /* WAIT, NOTIFY */
  int32_t scopeId;              /* -1: in no scope */
  aclskScopeVerifyNodeType taskType;
  aclskScopeVerifyKernelType kernelType;
  uint32_t numBlocks;           /* 0: needs no cores */
  uint32_t taskRatio[2];        /* MIX: cube and vector cores per block: 1:0, 0:1, 1:1, 1:2 */
  int32_t scheMode;             /* 1: batch mode; other values: off */
  uint32_t flag;                /* must be 0: core counts known at run time only are not modelled */
  uint32_t coreLimit[2];        /* belongs to flag */
  int32_t extendType;           /* must be 0 */
  void *extendInfo;             /* must be NULL */
} aclskScopeVerifyNodeInfo;
typedef struct aclskScopeVerifyGraphInfo {
  aclskScopeVerifyNodeInfo *nodes;
  size_t nodeCount;
  int32_t extendType;           /* must be 0 */
  void *extendInfo;             /* must be NULL */
} aclskScopeVerifyGraphInfo;

typedef enum aclskScopeVerifySplitType {
  ACLSK_SCOPE_VERIFY_SPLIT_BEFORE_NODE = 0, /* the scope is cut before the node */
  ACLSK_SCOPE_VERIFY_SPLIT_EXCLUDE_NODE = 2 /* and the node stays outside */
} aclskScopeVerifySplitType;
typedef enum aclskScopeVerifySplitReason {
  ACLSK_SCOPE_VERIFY_DEADLOCK_DETECTED = 0,
  ACLSK_SCOPE_VERIFY_SYNCALL_OP_DROP = 1
} aclskScopeVerifySplitReason;
typedef struct aclskScopeVerifySplitResult {
  aclskScopeVerifyNodeInfo *splitNode; /* one of the graph's */
  aclskScopeVerifySplitType splitType;
  aclskScopeVerifySplitReason splitReason;
  int32_t extendType;
  void *extendInfo;
} aclskScopeVerifySplitResult;

/* Where the scopes of a described graph have to be cut, by task id. *realSplitResultCount is always set.
 *   ACL_ERROR_INVALID_PARAM  a malformed graph (count 0), or fewer than count results fit (nothing is written)
 *   ACL_ERROR_FAILURE        a scope cannot be made safe by cutting */
ACL_FUNC_VISIBILITY aclError aclskScopeVerify(const aclskScopeVerifyGraphInfo *verifyGraph, size_t maxSplitResultCount,
                                              aclskScopeVerifySplitResult *splitResults, size_t *realSplitResultCount);

#ifdef __cplusplus
}
#endif
#endif
