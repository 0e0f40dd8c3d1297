/* matmul_config.h - what describes a Matmul object at compile time: operand types and configurations. */
#ifndef SK_KERNEL_OPERATOR_MATMUL_CONFIG_H
#define SK_KERNEL_OPERATOR_MATMUL_CONFIG_H

#include "matmul_record.h"
#include "types.h"

namespace AscendC {

enum class CubeFormat : int32_t { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR, COLUMN_MAJOR };
enum class LayoutMode : int32_t { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };
enum class BatchMode : int32_t { NONE = 0, BATCH_LESS_THAN_L1, BATCH_LARGE_THAN_L1, SINGLE_LARGE_THAN_L1 };
enum class IterateOrder : int32_t { ORDER_M = 0, ORDER_N, UNDEF };
enum class ScheduleType : int32_t { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };
enum class IterateMode : uint8_t { ITERATE_MODE_NORMAL = 1, ITERATE_MODE_ALL = 2, ITERATE_MODE_BATCH = 4, ITERATE_MODE_N_BATCH = 8,
                                   ITERATE_MODE_DEFAULT = 15 };
enum class MatmulConfigMode : int32_t { CONFIG_NORM = 0, CONFIG_MDL, CONFIG_SPECIALMDL, CONFIG_IBSHARE };

enum class BatchOutMode : int32_t { SINGLE_BATCH = 0, MULTI_BATCH, DOUBLE_SINGLE_BATCH };

template <TPosition position, CubeFormat cubeFormat, typename Type, bool isTransposed = false, LayoutMode layoutMode = LayoutMode::NONE,
          bool isShared = false, TPosition source = TPosition::GM>
struct MatmulType {
  static constexpr TPosition pos = position, srcPos = source;
  static constexpr CubeFormat format = cubeFormat;
  using T = Type;
  static constexpr bool isTrans = isTransposed, ibShare = isShared;
  static constexpr LayoutMode layout = layoutMode;
};

/* B of 4:2 structured sparsity: its dense form, with SetSparseIndex. */
template <TPosition position, TPosition indexPosition, CubeFormat cubeFormat, typename Type, bool isTransposed = false,
          LayoutMode layoutMode = LayoutMode::NONE, bool isShared = false>
struct SparseMatmulType : public MatmulType<position, cubeFormat, Type, isTransposed, layoutMode, isShared> {
  static constexpr TPosition indexPos = indexPosition;
};

struct MatmulConfig {
  bool doNorm = false, doBasicBlock = false, doMultiDataLoad = false;
  uint32_t basicM = 0, basicN = 0, basicK = 0;
  bool intrinsicsCheck = false, isNBatch = false, enVecND2NZ = false, doSpecialBasicBlock = false;
  uint32_t doMTE2Preload = 0, singleCoreM = 0, singleCoreN = 0, singleCoreK = 0, stepM = 0, stepN = 0, baseMN = 0, singleCoreMN = 0;
  bool enUnitFlag = false, isPerTensor = false, hasAntiQuantOffset = false, doIBShareNorm = false, doSpecialMDL = false;
  bool enableInit = true;
  BatchMode batchMode = BatchMode::NONE;
  bool enableEnd = true, enableGetTensorC = true, enableSetOrgShape = true, enableSetBias = true, enableSetTail = true,
       enableQuantVector = true, enableSetDefineData = true;
  uint8_t iterateMode = 15;
  bool enableReuse = true, enableUBReuse = true, enableL1CacheUB = false, intraBlockPartSum = false;
  IterateOrder iterateOrder = IterateOrder::UNDEF;
  ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
  bool enableDoubleCache = false, isBiasBatch = true, enableStaticPadZeros = false, isPartialOutput = false,
       enableMixDualMaster = false, isA2B2Shared = false, isEnableChannelSplit = false, enableKdimReorderLoad = false,
       isCO1Shared = false;
  uint32_t sharedCO1BufferSize = 64 * 1024;
  BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
  bool enableL1BankConflictOptimise = false, enableRelu = false;
};

/* How pieces are loaded is the framework's business; the results are the same for all of these. */
struct MatmulShapeParams { uint32_t singleCoreM, singleCoreN, singleCoreK, basicM, basicN, basicK; };
struct MatmulQuantParams { bool isPerTensor, hasAntiQuantOffset; };
struct MatmulBatchParams {
  bool batchLoop;
  BatchMode batchMode = BatchMode::NONE;
  bool isBiasBatch = true;
  BatchOutMode bmmOutMode = BatchOutMode::SINGLE_BATCH;
};
struct MatmulFuncParams {
  bool intrinsicsLimit = false, enVecND2NZ = false, enableDoubleCache = false, enableL1CacheUB = false;
  uint32_t doMTE2Preload = 0;
  IterateOrder iterateOrder = IterateOrder::UNDEF;
  ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
  bool enableReuse = true, enableUBReuse = true, isPartialOutput = false, isA2B2Shared = false, isEnableChannelSplit = false,
       enableKdimReorderLoad = false;
};

constexpr MatmulConfig GetNormalConfig(const bool intrinsicsLimit = false, const bool batchLoop = false, const bool isVecND2NZ = false,
                                       const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1, const bool isMsgReuse = true,
                                       const IterateOrder iterateOrder = IterateOrder::UNDEF,
                                       const ScheduleType scheduleType = ScheduleType::INNER_PRODUCT, const bool enUnitFlag = true,
                                       const bool enableMixDualMaster = false) {
  MatmulConfig config;
  config.doNorm = true;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  config.enVecND2NZ = isVecND2NZ;
  config.batchMode = bmmMode;
  config.enableReuse = isMsgReuse;
  config.iterateOrder = iterateOrder;
  config.scheduleType = scheduleType;
  config.enUnitFlag = enUnitFlag;
  config.enableMixDualMaster = enableMixDualMaster;
  return config;
}
constexpr MatmulConfig GetMDLConfig(const bool intrinsicsLimit = false, const bool batchLoop = false, const uint32_t mte2Preload = 0,
                                    const bool isVecND2NZ = false, bool isPerTensor = false, bool hasAntiQuantOffset = false,
                                    const bool enUnitFlag = false, const bool isMsgReuse = true, const bool enableUBReuse = true,
                                    const bool enableL1CacheUB = false, const bool enableMixDualMaster = false,
                                    const bool enableKdimReorderLoad = false) {
  MatmulConfig config;
  config.doMultiDataLoad = true;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  config.doMTE2Preload = mte2Preload;
  config.enVecND2NZ = isVecND2NZ;
  config.isPerTensor = isPerTensor;
  config.hasAntiQuantOffset = hasAntiQuantOffset;
  config.enUnitFlag = enUnitFlag;
  config.enableReuse = isMsgReuse;
  config.enableUBReuse = enableUBReuse;
  config.enableL1CacheUB = enableL1CacheUB;
  config.enableMixDualMaster = enableMixDualMaster;
  config.enableKdimReorderLoad = enableKdimReorderLoad;
  return config;
}
constexpr MatmulConfig GetSpecialMDLConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
                                           const uint32_t mte2Preload = 0, const bool isVecND2NZ = false) {
  MatmulConfig config = GetMDLConfig(intrinsicsLimit, batchLoop, mte2Preload, isVecND2NZ);
  config.doSpecialMDL = true;
  return config;
}
constexpr MatmulConfig GetIBShareNormConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
                                            const bool isVecND2NZ = false, const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1,
                                            const bool isDoubleCache = false, const bool enUnitFlag = true) {
  MatmulConfig config = GetNormalConfig(intrinsicsLimit, batchLoop, isVecND2NZ, bmmMode);
  config.doIBShareNorm = true;
  config.enableDoubleCache = isDoubleCache;
  config.enUnitFlag = enUnitFlag;
  return config;
}
constexpr MatmulConfig GetBasicConfig(const uint32_t basicM, const uint32_t basicN, const uint32_t basicK,
                                      const bool intrinsicsLimit = false, const bool batchLoop = false,
                                      const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
  MatmulConfig config = GetNormalConfig(intrinsicsLimit, batchLoop, false, bmmMode);
  config.doBasicBlock = true;
  config.basicM = basicM, config.basicN = basicN, config.basicK = basicK;
  return config;
}
constexpr MatmulConfig GetSpecialBasicConfig(const uint32_t basicM, const uint32_t basicN, const uint32_t basicK,
                                             const uint32_t singleCoreM, const uint32_t singleCoreN, const uint32_t singleCoreK,
                                             const uint32_t stepM, const uint32_t stepN, const bool intrinsicsLimit = false,
                                             const bool batchLoop = false, const BatchMode bmmMode = BatchMode::BATCH_LESS_THAN_L1) {
  MatmulConfig config = GetBasicConfig(basicM, basicN, basicK, intrinsicsLimit, batchLoop, bmmMode);
  config.doSpecialBasicBlock = true;
  config.singleCoreM = singleCoreM, config.singleCoreN = singleCoreN, config.singleCoreK = singleCoreK;
  config.stepM = stepM, config.stepN = stepN;
  return config;
}

namespace Internal {
constexpr void apply(MatmulConfig &config, const MatmulShapeParams &p) {
  config.singleCoreM = p.singleCoreM, config.singleCoreN = p.singleCoreN, config.singleCoreK = p.singleCoreK;
  config.basicM = p.basicM, config.basicN = p.basicN, config.basicK = p.basicK;
}
constexpr void apply(MatmulConfig &config, const MatmulQuantParams &p) {
  config.isPerTensor = p.isPerTensor, config.hasAntiQuantOffset = p.hasAntiQuantOffset;
}
constexpr void apply(MatmulConfig &config, const MatmulBatchParams &p) {
  config.isNBatch = p.batchLoop, config.batchMode = p.batchMode, config.isBiasBatch = p.isBiasBatch;
  config.bmmOutMode = p.bmmOutMode;
}
constexpr void apply(MatmulConfig &config, const MatmulFuncParams &p) {
  config.intrinsicsCheck = p.intrinsicsLimit, config.enVecND2NZ = p.enVecND2NZ, config.enableDoubleCache = p.enableDoubleCache;
  config.enableL1CacheUB = p.enableL1CacheUB, config.doMTE2Preload = p.doMTE2Preload, config.iterateOrder = p.iterateOrder;
  config.scheduleType = p.scheduleType, config.enableReuse = p.enableReuse, config.enableUBReuse = p.enableUBReuse;
  config.isPartialOutput = p.isPartialOutput, config.isA2B2Shared = p.isA2B2Shared;
  config.isEnableChannelSplit = p.isEnableChannelSplit, config.enableKdimReorderLoad = p.enableKdimReorderLoad;
}
} // namespace Internal
template <MatmulConfigMode mode, typename... Params>
constexpr MatmulConfig GetMMConfig(Params &&...params) {
  MatmulConfig config = mode == MatmulConfigMode::CONFIG_NORM         ? GetNormalConfig()
                        : mode == MatmulConfigMode::CONFIG_MDL        ? GetMDLConfig()
                        : mode == MatmulConfigMode::CONFIG_SPECIALMDL ? GetSpecialMDLConfig()
                                                                      : GetIBShareNormConfig();
  (Internal::apply(config, params), ...);
  return config;
}

constexpr MatmulConfig CFG_NORM = GetNormalConfig();
constexpr MatmulConfig CFG_MDL = GetMDLConfig();
constexpr MatmulConfig CFG_IBSHARE_NORM = GetIBShareNormConfig();
constexpr MatmulConfig MM_CFG_BB = GetBasicConfig(128, 128, 128);

/* ---- tiling ------------------------------------------------------------------------------------ */

namespace tiling {
struct TCubeTiling {
#define X(name) int32_t name;
  SK_CUBE_TILING_LIST(X)
#undef X
};
static_assert(sizeof(TCubeTiling) == sizeof(sk_cube_tiling), "layout of TCubeTiling");
} // namespace tiling
using tiling::TCubeTiling;

/* A tiling that is known at compile time: GetMatmulApiTiling. */
struct MatmulApiStaticTiling {
  MatmulConfig cfg;
  int32_t usedCoreNum = 1;
  int32_t M = -1, N = -1, Ka = -1, Kb = -1, singleCoreM = -1, singleCoreN = -1, singleCoreK = -1, baseM = -1, baseN = -1, baseK = -1;
  int32_t depthA1 = 1, depthB1 = 1, stepM = 1, stepN = 1, stepKa = 1, stepKb = 1, isBias = 0, transLength = 0, iterateOrder = 0;
  int32_t dbL0A = 2, dbL0B = 2, dbL0C = 1, shareMode = 0, shareL1Size = 512 * 1024, shareL0CSize = 128 * 1024, shareUbSize = 0;
  int32_t batchM = 1, batchN = 1, singleBatchM = 1, singleBatchN = 1, depthAL1CacheUB = 0, depthBL1CacheUB = 0, mxTypePara = 0;

  constexpr TCubeTiling sk_tiling() const {
    TCubeTiling t{};
    t.usedCoreNum = usedCoreNum;
    t.M = M != -1 ? M : singleCoreM, t.N = N != -1 ? N : singleCoreN;
    t.Ka = Ka != -1 ? Ka : singleCoreK, t.Kb = Kb != -1 ? Kb : singleCoreK;
    t.singleCoreM = singleCoreM, t.singleCoreN = singleCoreN, t.singleCoreK = singleCoreK;
    t.baseM = baseM, t.baseN = baseN, t.baseK = baseK;
    t.isBias = isBias, t.iterateOrder = iterateOrder;
    t.batchM = batchM, t.batchN = batchN, t.singleBatchM = singleBatchM, t.singleBatchN = singleBatchN;
    return t;
  }
};
template <class A, class B, class C, class Bias = C>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig &config, int32_t l1Size = 512 * 1024) {
  MatmulApiStaticTiling result{config};
  result.baseM = static_cast<int32_t>(config.basicM), result.baseN = static_cast<int32_t>(config.basicN);
  result.baseK = static_cast<int32_t>(config.basicK);
  result.singleCoreM = static_cast<int32_t>(config.singleCoreM), result.singleCoreN = static_cast<int32_t>(config.singleCoreN);
  result.singleCoreK = static_cast<int32_t>(config.singleCoreK);
  result.shareL1Size = l1Size;
  return result;
}

} // namespace AscendC

/* Kernels name these with and without the namespace. */
using AscendC::BatchMode;
using AscendC::BatchOutMode;
using AscendC::CFG_IBSHARE_NORM;
using AscendC::CFG_MDL;
using AscendC::CFG_NORM;
using AscendC::CubeFormat;
using AscendC::GetBasicConfig;
using AscendC::GetIBShareNormConfig;
using AscendC::GetMDLConfig;
using AscendC::GetMMConfig;
using AscendC::GetNormalConfig;
using AscendC::GetSpecialBasicConfig;
using AscendC::GetSpecialMDLConfig;
using AscendC::IterateMode;
using AscendC::IterateOrder;
using AscendC::LayoutMode;
using AscendC::GetMatmulApiTiling;
using AscendC::MatmulApiStaticTiling;
using AscendC::MatmulBatchParams;
using AscendC::MatmulConfig;
using AscendC::MatmulConfigMode;
using AscendC::MatmulFuncParams;
using AscendC::MatmulQuantParams;
using AscendC::MatmulShapeParams;
using AscendC::MM_CFG_BB;
using AscendC::ScheduleType;
using AscendC::tiling::TCubeTiling;

#endif
