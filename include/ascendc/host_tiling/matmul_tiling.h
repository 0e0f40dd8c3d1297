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

/* One core's Matmul. GetTiling returns 0, or -1 where something is missing or cannot be met. */
class MatmulApiTiling {
public:
  MatmulApiTiling() = default;
  explicit MatmulApiTiling(const platform_ascendc::PlatformAscendC &) {}

  int32_t SetAType(TPosition, CubeFormat, DataType type, bool isTrans = false) {
    aBits_ = BitsOf(type);
    (void)isTrans;
    return aBits_ != 0 ? 0 : -1;
  }
  int32_t SetBType(TPosition, CubeFormat, DataType type, bool isTrans = false) {
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
  int32_t SetMatmulConfigParams(int32_t = 1, bool = false, ScheduleType = ScheduleType::INNER_PRODUCT,
                                MatrixTraverse traverse = MatrixTraverse::NOSET, bool = false) {
    return traverse == MatrixTraverse::NOSET ? 0 : SetTraverse(traverse);
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

  /* The part of a core among `cores`, then base sizes inside it. */
  bool Choose(int32_t cores) {
    int32_t m = singleM_ > 0 ? singleM_ : orgM_, n = singleN_ > 0 ? singleN_ : orgN_, k = singleK_ > 0 ? singleK_ : orgKa_;
    if (aBits_ == 0 || orgM_ <= 0 || orgN_ <= 0 || orgKa_ <= 0 || m <= 0 || n <= 0 || k <= 0) return false;
    if (m > orgM_ || n > orgN_ || k > orgKa_) return false;
    if (givenM_ > 0 && givenN_ > 0) {
      partM_ = Least(givenM_, m), partN_ = Least(givenN_, n);
    } else {
      int32_t best = 0;
      for (int32_t down = 1; down <= cores; down++) { /* the most cores, then the squarest parts */
        int32_t along = cores / down, pm = CeilTo(CeilDiv(m, down), 16), pn = CeilTo(CeilDiv(n, along), 16);
        int32_t used = CeilDiv(m, pm) * CeilDiv(n, pn);
        if (used < best || (used == best && pm + pn >= partM_ + partN_)) continue;
        best = used, partM_ = Least(pm, m), partN_ = Least(pn, n);
      }
    }
    partK_ = givenK_ > 0 ? Least(givenK_, k) : k;
    parts_ = CeilDiv(m, partM_) * CeilDiv(n, partN_);
    if (parts_ > cores) return false;
    baseM_ = fixM_ > 0 ? fixM_ : Least(128, CeilTo(partM_, 16));
    int32_t row = baseM_ * 4, most = l0c_ / row / 16 * 16;
    baseN_ = fixN_ > 0 ? fixN_ : Least(Least(256, most), CeilTo(partN_, 16));
    int32_t unit = 256 / aBits_ > 16 ? 256 / aBits_ : 16, wide = baseM_ > baseN_ ? baseM_ : baseN_;
    int32_t deepest = 32 * 1024 * 8 / aBits_ / CeilTo(wide, 64) / unit * unit; /* two pieces at a time in L0 */
    if (deepest < unit) deepest = unit;
    baseK_ = fixK_ > 0 ? fixK_ : Least(deepest, CeilTo(partK_, unit));
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
    t.stepM = t.stepN = t.stepKa = t.stepKb = 1;
    t.isBias = bias_;
    t.iterateOrder = order_;
    t.shareL1Size = l1_;
    t.shareL0CSize = static_cast<int32_t>(int64_t{baseM_} * baseN_ * 4);
    t.dbL0A = t.dbL0B = 2;
    t.dbL0C = 1;
    t.batchM = t.batchN = t.singleBatchM = t.singleBatchN = 1;
  }

  int32_t aBits_ = 0, orgM_ = 0, orgN_ = 0, orgKa_ = 0, orgKb_ = 0, singleM_ = -1, singleN_ = -1, singleK_ = -1;
  int32_t givenM_ = -1, givenN_ = -1, givenK_ = -1, fixM_ = -1, fixN_ = -1, fixK_ = -1, l1_ = 512 * 1024, l0c_ = 128 * 1024;
  int32_t partM_ = 0, partN_ = 0, partK_ = 0, baseM_ = 0, baseN_ = 0, baseK_ = 0, parts_ = 0;
  bool bias_ = false, order_ = false;
};

/* A Matmul over several cores. Cores are vector cores where those use the object, cube cores with ASCENDC_CUBE_ONLY. */
class MultiCoreMatmulTiling : public MatmulApiTiling {
public:
  using MatmulApiTiling::MatmulApiTiling;

  int32_t SetDim(int32_t dim) {
    dim_ = dim;
    return dim > 0 ? 0 : -1;
  }
  int32_t SetSingleRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
  int32_t SetAlignSplit(int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
  int32_t GetSingleShape(int32_t &m, int32_t &n, int32_t &k) const {
    m = partM_, n = partN_, k = partK_;
    return partM_ > 0 ? 0 : -1;
  }
  int32_t GetCoreNum(int32_t &dim, int32_t &mDim, int32_t &nDim) const {
    if (partM_ <= 0) return -1;
    dim = parts_;
    mDim = CeilDiv(singleM_ > 0 ? singleM_ : orgM_, partM_);
    nDim = parts_ / mDim;
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

} // namespace matmul_tiling

#endif
