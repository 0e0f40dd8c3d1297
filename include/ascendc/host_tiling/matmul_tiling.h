/* matmul_tiling.h - chooses the tiling of a Matmul: parts per core, tiles that fit L0C, pieces that fit L0A and L0B.
 *
 * The framework's choice is its own; any legal tiling gives the same C, so ours is a simple one: few, large tiles. */
#ifndef SK_HOST_TILING_MATMUL_H
#define SK_HOST_TILING_MATMUL_H

#include "host_tiling/data.h"
#include "kernel_operator/matmul_config.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
SK_HOST_TILING(TCubeTiling, AscendC::tiling::TCubeTiling, SK_CUBE_TILING_LIST)
} // namespace optiling

namespace matmul_tiling {

using AscendC::CubeFormat;
using AscendC::TPosition;
enum class DataType : int32_t {
  DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 6, DT_UINT16 = 7, DT_UINT32 = 8, DT_INT64 = 9,
  DT_UINT64 = 10, DT_DOUBLE = 11, DT_BF16 = 27, DT_BFLOAT16 = 27, DT_INT4 = 29
};
enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1 };
enum class DequantType : int32_t { SCALAR = 0, TENSOR = 1 };
using AscendC::ScheduleType;

struct MatmulConfigParams {
  int32_t mmConfigType;
  bool enableL1CacheUB;
  ScheduleType scheduleType;
  MatrixTraverse traverse;
  bool enVecND2NZ;
  MatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false, ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                     MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false)
      : mmConfigType(mmConfigTypeIn), enableL1CacheUB(enableL1CacheUBIn), scheduleType(scheduleTypeIn), traverse(traverseIn),
        enVecND2NZ(enVecND2NZIn) {}
};
struct SysTilingTempBufSize {
  int32_t ubSize = 0, l1Size = 0, l0cSize = 0; /* bytes */
};

/* One core's Matmul. GetTiling returns 0, or -1 where something is missing or cannot be met. */
class MatmulApiTiling {
public:
  MatmulApiTiling() = default;
  explicit MatmulApiTiling(const platform_ascendc::PlatformAscendC &) {}

  int32_t SetAType(TPosition position, CubeFormat, DataType type, bool isTrans = false) {
    aBits_ = BitsOf(type);
    wholeM_ = position == TPosition::TSCM;
    (void)isTrans;
    return aBits_ != 0 ? 0 : -1;
  }
  int32_t SetBType(TPosition position, CubeFormat, DataType type, bool isTrans = false) {
    wholeN_ = position == TPosition::TSCM;
    (void)isTrans;
    return BitsOf(type) != 0 ? 0 : -1;
  }
  int32_t SetCType(TPosition, CubeFormat, DataType type) { return BitsOf(type) != 0 ? 0 : -1; }
  int32_t SetBiasType(TPosition, CubeFormat, DataType type) { return BitsOf(type) != 0 ? 0 : -1; }
  int32_t SetShape(int32_t m, int32_t n, int32_t k) { return Set(m, n, k, singleM_, singleN_, singleK_); }
  int32_t SetSingleShape(int32_t m = -1, int32_t n = -1, int32_t k = -1) { return Set(m, n, k, givenM_, givenN_, givenK_); }
  int32_t SetOrgShape(int32_t m, int32_t n, int32_t k) { return SetOrgShape(m, n, k, k); }
  int32_t SetOrgShape(int32_t m, int32_t n, int32_t ka, int32_t kb) {
    if (m <= 0 || n <= 0 || ka <= 0 || kb <= 0) return -1;
    orgM_ = m, orgN_ = n, orgKa_ = ka, orgKb_ = kb;
    return 0;
  }
  int32_t SetFixSplit(int32_t baseM = -1, int32_t baseN = -1, int32_t baseK = -1) {
    fixM_ = baseM, fixN_ = baseN, fixK_ = baseK;
    return 0;
  }
  /* -1: all there is. */
  int32_t SetBufferSpace(int32_t l1 = -1, int32_t l0c = -1, int32_t = -1, int32_t = -1) {
    if (l1 >= 0) l1_ = l1;
    if (l0c >= 0) l0c_ = l0c;
    return 0;
  }
  int32_t SetTraverse(MatrixTraverse traverse) {
    order_ = traverse == MatrixTraverse::FIRSTN;
    return 0;
  }
  int32_t EnableBias(bool isBias = false) {
    bias_ = isBias;
    return 0;
  }
  int32_t SetBias(bool isBias = false) { return EnableBias(isBias); }
  int32_t SetMadType(MatrixMadType) { return 0; }
  int32_t SetDequantType(DequantType) { return 0; }
  int32_t SetDoubleBuffer(bool, bool, bool, bool, bool = true, bool = true) { return 0; }
  void SetMatmulConfigParams(const MatmulConfigParams &params) {
    threes_ = params.scheduleType == ScheduleType::N_BUFFER_33;
    if (params.traverse != MatrixTraverse::NOSET) SetTraverse(params.traverse);
  }
  void SetMatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                             ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                             MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false) {
    SetMatmulConfigParams(MatmulConfigParams(mmConfigTypeIn, enableL1CacheUBIn, scheduleTypeIn, traverseIn, enVecND2NZIn));
  }
  int32_t SetSparse(bool isSparse = false) {
    sparse_ = isSparse;
    return 0;
  }
  /* Limits of base sizes, which the framework's choice does not know either. */
  int32_t SetSplitRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
  bool EnableL1BankConflictOptimise() const { return false; }

  /* Batches: axes of the layouts of A, B and C, or the numbers of LayoutMode::NORMAL. */
  int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) { return SetLayout(layoutA_, b, s, n, g, d); }
  int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) { return SetLayout(layoutB_, b, s, n, g, d); }
  int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) { return SetLayout(layoutC_, b, s, n, g, d); }
  int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k) {
    return SetALayout(batchA, m, 1, 1, k) == 0 && SetBLayout(batchB, n, 1, 1, k) == 0 &&
                   SetCLayout(batchA > batchB ? batchA : batchB, m, 1, 1, n) == 0 ? 0 : -1;
  }
  int32_t SetBatchNum(int32_t batch) {
    batch_ = batch;
    return batch > 0 ? 0 : -1;
  }

  int32_t GetBaseM() const { return baseM_; }
  int32_t GetBaseN() const { return baseN_; }
  int32_t GetBaseK() const { return baseK_; }

  int64_t GetTiling(AscendC::tiling::TCubeTiling &tiling) {
    if (!Choose(1)) return -1;
    Fill(tiling, 1);
    return 0;
  }
  int64_t GetTiling(optiling::TCubeTiling &tiling) { return GetTiling(static_cast<AscendC::tiling::TCubeTiling &>(tiling)); }

protected:
  static int32_t BitsOf(DataType type) {
    switch (type) {
      case DataType::DT_INT4: return 4;
      case DataType::DT_INT8:
      case DataType::DT_UINT8: return 8;
      case DataType::DT_FLOAT16:
      case DataType::DT_BF16: return 16;
      case DataType::DT_FLOAT:
      case DataType::DT_INT32: return 32;
      default: return 0;
    }
  }
  static int32_t Set(int32_t m, int32_t n, int32_t k, int32_t &toM, int32_t &toN, int32_t &toK) {
    toM = m, toN = n, toK = k;
    return (m > 0 || m == -1) && (n > 0 || n == -1) && (k > 0 || k == -1) ? 0 : -1;
  }
  static int32_t CeilDiv(int32_t a, int32_t b) { return (a + b - 1) / b; }
  static int32_t CeilTo(int32_t a, int32_t b) { return CeilDiv(a, b) * b; }
  static int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }
  static int32_t SetLayout(int32_t (&layout)[5], int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
    layout[0] = b, layout[1] = s, layout[2] = n, layout[3] = g, layout[4] = d;
    return b > 0 && s > 0 && n > 0 && g > 0 && d > 0 ? 0 : -1;
  }
  /* A part of an axis among `count`, in whole units; 0: beyond its limits. */
  struct Axis { int32_t align = -1, most = -1, least = -1; };
  static int32_t PartOf(int32_t all, int32_t count, const Axis &axis, int32_t unit) {
    int32_t part = Least(CeilTo(CeilDiv(all, count), axis.align > 0 ? axis.align : unit), all);
    return (axis.most > 0 && part > axis.most) || (axis.least > 0 && part < axis.least) ? 0 : part;
  }

  /* Elements of K that pieces are multiples of. */
  int32_t Unit() const { return sparse_ ? 64 : 256 / aBits_ > 16 ? 256 / aBits_ : 16; }

  /* What a core loads for one element of its result, tile by tile; dims that cut the axes with the narrower tiles break ties. */
  double LoadsOf(int32_t pm, int32_t pn, int32_t down, int32_t along) const {
    int32_t tileM = fixM_ > 0 ? fixM_ : 128, tileN = fixN_ > 0 ? fixN_ : 256;
    double loads = double(CeilDiv(pn, tileN)) * pm + double(CeilDiv(pm, tileM)) * pn;
    return loads / (double(pm) * pn) + 1e-9 * (down * tileM + along * tileN);
  }
  /* Parts of M, N and, if K is split, of K: the most cores, then the least to load for each tile, or, where tiles are few,
   * to load and store. Parts that leave no rest are worth half of the cores: kernels without SetTail count on them. What
   * stands in L1 is not cut. */
  bool ChooseParts(int32_t cores, int32_t m, int32_t n, int32_t k) {
    bool many = !splitK_ && m >= 128 && int64_t{m} * n > int64_t{cores} * 26214; /* four fifths of a tile of 128 by 256 */
    int32_t best = 0;
    double leastCost = 0;
    for (int32_t deep = 1; deep <= (splitK_ ? cores : 1); deep++)
      for (int32_t down = 1; down * deep <= cores && (down == 1 || !wholeM_); down++) {
        int32_t along = wholeN_ ? 1 : cores / (down * deep);
        int32_t pm = PartOf(m, down, axisM_, 16), pn = PartOf(n, along, axisN_, 16), pk = deep == 1 ? k : PartOf(k, deep, axisK_, Unit());
        if (pm == 0 || pn == 0 || pk == 0) continue;
        int32_t used = CeilDiv(m, pm) * CeilDiv(n, pn) * CeilDiv(k, pk);
        double cost = many ? LoadsOf(pm, pn, down, along) : double(pk) * (pm + pn) + double(pm) * pn;
        int32_t worth = m % pm == 0 && n % pn == 0 && k % pk == 0 ? 2 * used : used;
        if (used > cores || worth < best || (worth == best && cost >= leastCost)) continue;
        best = worth, leastCost = cost, partM_ = pm, partN_ = pn, partK_ = pk;
      }
    return best != 0;
  }
  /* Three times three pieces of A: K of a part in at most three pieces, M in at most three tiles. */
  bool ChooseThrees() {
    int32_t unit = Unit();
    baseK_ = CeilTo(CeilDiv(partK_, 3), unit);
    for (baseM_ = CeilTo(CeilDiv(partM_, 3), 16); baseN_ > 16 && int64_t{baseN_} * baseK_ * aBits_ / 8 > 32 * 1024;) baseN_ = CeilTo(baseN_ / 2, 16);
    return int64_t{baseM_} * baseK_ * aBits_ / 8 <= 32 * 1024;
  }

  /* The part of a core among `cores`, then base sizes inside it. */
  bool Choose(int32_t cores) {
    int32_t m = singleM_ > 0 ? singleM_ : orgM_, n = singleN_ > 0 ? singleN_ : orgN_, k = singleK_ > 0 ? singleK_ : orgKa_;
    if (aBits_ == 0 || orgM_ <= 0 || orgN_ <= 0 || orgKa_ <= 0 || m <= 0 || n <= 0 || k <= 0) return false;
    if (m > orgM_ || n > orgN_ || k > orgKa_) return false;
    if (givenM_ > 0 && givenN_ > 0) {
      partM_ = Least(givenM_, m), partN_ = Least(givenN_, n), partK_ = k;
    } else if (!ChooseParts(cores, m, n, k)) {
      return false;
    }
    if (givenK_ > 0) partK_ = Least(givenK_, k);
    parts_ = CeilDiv(m, partM_) * CeilDiv(n, partN_) * CeilDiv(k, partK_);
    if (parts_ > cores) return false;
    baseM_ = fixM_ > 0 ? fixM_ : Least(128, CeilTo(partM_, 16));
    int32_t row = baseM_ * 4, most = l0c_ / row / 16 * 16;
    baseN_ = fixN_ > 0 ? fixN_ : Least(Least(256, most), CeilTo(partN_, 16));
    int32_t unit = Unit(), wide = baseM_ > baseN_ ? baseM_ : baseN_;
    int32_t deepest = 32 * 1024 * 8 / aBits_ / CeilTo(wide, 64) / unit * unit; /* two pieces at a time in L0 */
    if (deepest < unit) deepest = unit;
    baseK_ = fixK_ > 0 ? fixK_ : Least(deepest, CeilTo(partK_, unit));
    if (threes_ && !ChooseThrees()) return false;
    int64_t c = int64_t{CeilTo(baseM_, 16)} * CeilTo(baseN_, 16) * 4;
    int64_t piece = int64_t{CeilTo(wide, 16)} * CeilTo(baseK_, 16) * aBits_ / 8;
    return baseN_ > 0 && c <= l0c_ && piece <= 64 * 1024 && 4 * piece <= l1_;
  }
  void Fill(AscendC::tiling::TCubeTiling &t, int32_t cores) const {
    t = AscendC::tiling::TCubeTiling{};
    t.usedCoreNum = cores;
    t.M = orgM_, t.N = orgN_, t.Ka = orgKa_, t.Kb = orgKb_;
    t.singleCoreM = partM_, t.singleCoreN = partN_, t.singleCoreK = partK_;
    t.baseM = baseM_, t.baseN = baseN_, t.baseK = baseK_;
    t.depthA1 = t.depthB1 = 2;
    t.stepM = threes_ ? CeilDiv(partM_, baseM_) : 1;
    t.stepKa = t.stepKb = threes_ ? CeilDiv(partK_, baseK_) : 1;
    t.stepN = 1;
    t.isBias = bias_;
    t.iterateOrder = order_;
    t.shareL1Size = l1_;
    t.shareL0CSize = static_cast<int32_t>(int64_t{baseM_} * baseN_ * 4);
    t.dbL0A = t.dbL0B = 2;
    t.dbL0C = 1;
    t.batchM = t.batchN = t.singleBatchM = t.singleBatchN = 1;
    t.ALayoutInfoB = layoutA_[0], t.ALayoutInfoS = layoutA_[1], t.ALayoutInfoN = layoutA_[2], t.ALayoutInfoG = layoutA_[3];
    t.ALayoutInfoD = layoutA_[4];
    t.BLayoutInfoB = layoutB_[0], t.BLayoutInfoS = layoutB_[1], t.BLayoutInfoN = layoutB_[2], t.BLayoutInfoG = layoutB_[3];
    t.BLayoutInfoD = layoutB_[4];
    t.CLayoutInfoB = layoutC_[0], t.CLayoutInfoS1 = layoutC_[1], t.CLayoutInfoN = layoutC_[2], t.CLayoutInfoG = layoutC_[3];
    t.CLayoutInfoS2 = layoutC_[4];
    t.BatchNum = batch_;
  }

  int32_t aBits_ = 0, orgM_ = 0, orgN_ = 0, orgKa_ = 0, orgKb_ = 0, singleM_ = -1, singleN_ = -1, singleK_ = -1;
  int32_t givenM_ = -1, givenN_ = -1, givenK_ = -1, fixM_ = -1, fixN_ = -1, fixK_ = -1, l1_ = 512 * 1024, l0c_ = 128 * 1024;
  int32_t partM_ = 0, partN_ = 0, partK_ = 0, baseM_ = 0, baseN_ = 0, baseK_ = 0, parts_ = 0;
  int32_t layoutA_[5] = {0}, layoutB_[5] = {0}, layoutC_[5] = {0}, batch_ = 0;
  Axis axisM_, axisN_, axisK_;
  bool bias_ = false, order_ = false, sparse_ = false, splitK_ = false, threes_ = false, wholeM_ = false, wholeN_ = false;
};

/* One core's Matmul over batches. */
class BatchMatmulTiling : public MatmulApiTiling {
public:
  using MatmulApiTiling::MatmulApiTiling;
};

/* A Matmul over several cores. Cores are vector cores where those use the object, cube cores with ASCENDC_CUBE_ONLY. */
class MultiCoreMatmulTiling : public MatmulApiTiling {
public:
  using MatmulApiTiling::MatmulApiTiling;

  int32_t SetDim(int32_t dim) {
    dim_ = dim;
    return dim > 0 ? 0 : -1;
  }
  /* Limits of a core's part, and what it is a multiple of; -1: none. */
  int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1, int32_t minM = -1, int32_t minN = -1, int32_t minK = -1) {
    axisM_.most = maxM, axisN_.most = maxN, axisK_.most = maxK;
    axisM_.least = minM, axisN_.least = minN, axisK_.least = minK;
    return 0;
  }
  int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK) {
    axisM_.align = alignM, axisN_.align = alignN, axisK_.align = alignK;
    return 0;
  }
  /* Cores add their part of K to what stands in C. */
  void EnableMultiCoreSplitK(bool flag) { splitK_ = flag; }
  void SetSplitK(bool flag) { EnableMultiCoreSplitK(flag); }
  int32_t GetSingleShape(int32_t &m, int32_t &n, int32_t &k) const {
    m = partM_, n = partN_, k = partK_;
    return partM_ > 0 ? 0 : -1;
  }
  int32_t GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim) const {
    if (partM_ <= 0) return -1;
    dim = parts_;
    mDim = CeilDiv(singleM_ > 0 ? singleM_ : orgM_, partM_);
    nDim = CeilDiv(singleN_ > 0 ? singleN_ : orgN_, partN_);
    return 0;
  }
  int64_t GetTiling(AscendC::tiling::TCubeTiling &tiling) {
    if (!Choose(dim_)) return -1;
    Fill(tiling, parts_);
    return 0;
  }
  int64_t GetTiling(optiling::TCubeTiling &tiling) { return GetTiling(static_cast<AscendC::tiling::TCubeTiling &>(tiling)); }

private:
  int32_t dim_ = 1;
};

/* Memory that a tiling takes; -1: there is no tiling. */
inline int32_t TakenBy(const AscendC::tiling::TCubeTiling &tiling, SysTilingTempBufSize &size) {
  size = SysTilingTempBufSize{};
  if (tiling.baseM <= 0 || tiling.baseN <= 0) return -1;
  size.ubSize = tiling.shareUbSize, size.l1Size = tiling.shareL1Size, size.l0cSize = tiling.shareL0CSize;
  return 0;
}

} // namespace matmul_tiling

#define SK_MATMUL_TMP_SIZE(Name)                                                                                   \
  inline int32_t Name(optiling::TCubeTiling &tiling, matmul_tiling::SysTilingTempBufSize &bufSize) {              \
    return matmul_tiling::TakenBy(tiling, bufSize);                                                                \
  }                                                                                                                \
  inline int32_t Name##V2(AscendC::tiling::TCubeTiling &tiling, matmul_tiling::SysTilingTempBufSize &bufSize) {   \
    return matmul_tiling::TakenBy(tiling, bufSize);                                                                \
  }
SK_MATMUL_TMP_SIZE(MatmulGetTmpBufSize)
SK_MATMUL_TMP_SIZE(MultiCoreMatmulGetTmpBufSize)
SK_MATMUL_TMP_SIZE(BatchMatmulGetTmpBufSize)
#undef SK_MATMUL_TMP_SIZE

#endif
