/* params.h - the parameter structures of namespace AscendC, with the defaults kernels rely on. */
#ifndef SK_KERNEL_OPERATOR_PARAMS_H
#define SK_KERNEL_OPERATOR_PARAMS_H

#include "types.h"

namespace AscendC {

/* ---- vector -------------------------------------------------------------------------------- */

struct BinaryRepeatParams {
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint8_t dstBlkStride = 1, src0BlkStride = 1, src1BlkStride = 1;
  uint8_t dstRepStride = 8, src0RepStride = 8, src1RepStride = 8;
  bool repeatStrideMode = false, strideSizeMode = false;
  constexpr BinaryRepeatParams() = default;
  constexpr BinaryRepeatParams(uint8_t dst_block, uint8_t src0_block, uint8_t src1_block, uint8_t dst_repeat, uint8_t src0_repeat,
                     uint8_t src1_repeat)
      : dstBlkStride(dst_block), src0BlkStride(src0_block), src1BlkStride(src1_block), dstRepStride(dst_repeat),
        src0RepStride(src0_repeat), src1RepStride(src1_repeat) {}
};
struct UnaryRepeatParams {
  uint32_t blockNumber = DEFAULT_BLK_NUM;
  uint16_t dstBlkStride = 1, srcBlkStride = 1;
  uint8_t dstRepStride = 8, srcRepStride = 8;
  bool repeatStrideMode = false, strideSizeMode = false, halfBlock = false;
  constexpr UnaryRepeatParams() = default;
  constexpr UnaryRepeatParams(uint16_t dst_block, uint16_t src_block, uint8_t dst_repeat, uint8_t src_repeat)
      : dstBlkStride(dst_block), srcBlkStride(src_block), dstRepStride(dst_repeat), srcRepStride(src_repeat) {}
  constexpr UnaryRepeatParams(uint16_t dst_block, uint16_t src_block, uint8_t dst_repeat, uint8_t src_repeat, bool half_block)
      : dstBlkStride(dst_block), srcBlkStride(src_block), dstRepStride(dst_repeat), srcRepStride(src_repeat), halfBlock(half_block) {}
};
struct BrcbRepeatParams {
  uint16_t dstBlkStride = 1, dstRepStride = 8;
  constexpr BrcbRepeatParams() = default;
  constexpr BrcbRepeatParams(uint16_t dst_block, uint16_t dst_repeat) : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}
};
struct GatherRepeatParams {
  uint8_t dstBlkStride = 1, dstRepStride = 8;
  constexpr GatherRepeatParams() = default;
  constexpr GatherRepeatParams(uint8_t dst_block, uint8_t dst_repeat) : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}
};
struct CopyRepeatParams {
  uint16_t dstStride = 0, srcStride = 0, dstRepeatSize = 8, srcRepeatSize = 8;
  constexpr CopyRepeatParams() = default;
  constexpr CopyRepeatParams(uint16_t dst_stride, uint16_t src_stride, uint16_t dst_repeat, uint16_t src_repeat)
      : dstStride(dst_stride), srcStride(src_stride), dstRepeatSize(dst_repeat), srcRepeatSize(src_repeat) {}
};
struct GatherMaskParams {
  uint8_t src0BlockStride = 1;
  uint16_t repeatTimes = 0, src0RepeatStride = 8;
  uint8_t src1RepeatStride = 8;
  constexpr GatherMaskParams() = default;
  constexpr GatherMaskParams(uint8_t src0_block, uint16_t repeat, uint16_t src0_repeat, uint8_t src1_repeat)
      : src0BlockStride(src0_block), repeatTimes(repeat), src0RepeatStride(src0_repeat), src1RepeatStride(src1_repeat) {}
};
struct VdeqInfo {
  float vdeqScale[16] = {0};
  int16_t vdeqOffset[16] = {0};
  bool vdeqSignMode[16] = {0};
  VdeqInfo() = default;
  VdeqInfo(const float scale[16], const int16_t offset[16], const bool sign[16]) {
    for (int i = 0; i < 16; i++) vdeqScale[i] = scale[i], vdeqOffset[i] = offset[i], vdeqSignMode[i] = sign[i];
  }
};
struct MrgSort4Info {
  uint16_t elementLengths[4] = {0};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0, repeatTimes = 1;
  MrgSort4Info() = default;
  MrgSort4Info(const uint16_t lengths[4], bool suspension, uint16_t valid, uint16_t repeat)
      : ifExhaustedSuspension(suspension), validBit(valid), repeatTimes(repeat) {
    for (int i = 0; i < 4; i++) elementLengths[i] = lengths[i];
  }
};
struct TransDataTo5HDParams {
  bool dstHighHalf = false, srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0, srcRepStride = 0;
  constexpr TransDataTo5HDParams() = default;
  constexpr TransDataTo5HDParams(bool dst_high, bool src_high, uint8_t repeat, uint16_t dst_stride, uint16_t src_stride)
      : dstHighHalf(dst_high), srcHighHalf(src_high), repeatTimes(repeat), dstRepStride(dst_stride), srcRepStride(src_stride) {}
};
struct TransposeParamsExt {
  uint16_t nSize = 0, cSize = 0, hSize = 0, wSize = 0;
  TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
  constexpr TransposeParamsExt() = default;
  constexpr TransposeParamsExt(uint16_t n, uint16_t c, uint16_t h, uint16_t w, TransposeType type)
      : nSize(n), cSize(c), hSize(h), wSize(w), transposeType(type) {}
};

/* ---- movement ------------------------------------------------------------------------------ */

struct DataCopyParams {
  uint16_t blockCount = 1, blockLen = 0;
  union { uint16_t srcGap = 0; uint16_t srcStride; };
  union { uint16_t dstGap = 0; uint16_t dstStride; };
  constexpr DataCopyParams() = default;
  constexpr DataCopyParams(uint16_t count, uint16_t length, uint16_t src, uint16_t dst)
      : blockCount(count), blockLen(length), srcGap(src), dstGap(dst) {}
};
struct DataCopyExtParams {
  uint16_t blockCount = 1;
  uint32_t blockLen = 0, srcStride = 0, dstStride = 0, rsv = 0;
  constexpr DataCopyExtParams() = default;
  constexpr DataCopyExtParams(uint16_t count, uint32_t length, uint32_t src, uint32_t dst, uint32_t reserved)
      : blockCount(count), blockLen(length), srcStride(src), dstStride(dst), rsv(reserved) {}
};
struct DataCopyPadParams {
  bool isPad = false;
  uint8_t leftPadding = 0, rightPadding = 0;
  uint64_t paddingValue = 0;
  constexpr DataCopyPadParams() = default;
  constexpr DataCopyPadParams(bool pad, uint8_t left, uint8_t right, uint64_t value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};
template <typename T>
struct DataCopyPadExtParams {
  bool isPad = false;
  uint8_t leftPadding = 0, rightPadding = 0;
  T paddingValue = static_cast<T>(0);
  constexpr DataCopyPadExtParams() = default;
  constexpr DataCopyPadExtParams(bool pad, uint8_t left, uint8_t right, T value)
      : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value) {}
};
struct SliceInfo {
  uint32_t startIndex = 0, endIndex = 0, stride = 0, burstLen = 0, shapeValue = 0;
  constexpr SliceInfo() = default;
  constexpr SliceInfo(uint32_t start, uint32_t end, uint32_t gap, uint32_t burst, uint32_t shape = 0)
      : startIndex(start), endIndex(end), stride(gap), burstLen(burst), shapeValue(shape) {}
};
struct Nd2NzParams {
  uint16_t ndNum = 0, nValue = 0, dValue = 0, srcNdMatrixStride = 0, srcDValue = 0, dstNzC0Stride = 0, dstNzNStride = 0,
           dstNzMatrixStride = 0;
  constexpr Nd2NzParams() = default;
  constexpr Nd2NzParams(uint16_t nd, uint16_t n, uint16_t d, uint16_t src_matrix, uint16_t src_d, uint16_t dst_c0, uint16_t dst_n,
              uint16_t dst_matrix)
      : ndNum(nd), nValue(n), dValue(d), srcNdMatrixStride(src_matrix), srcDValue(src_d), dstNzC0Stride(dst_c0),
        dstNzNStride(dst_n), dstNzMatrixStride(dst_matrix) {}
};
struct Nz2NdParamsFull {
  uint16_t ndNum = 1, nValue = 0, dValue = 0, srcNdMatrixStride = 1, srcNStride = 0, dstDStride = 0, dstNdMatrixStride = 1;
  constexpr Nz2NdParamsFull() = default;
  constexpr Nz2NdParamsFull(uint16_t nd, uint16_t n, uint16_t d, uint16_t src_matrix, uint16_t src_n, uint16_t dst_d, uint16_t dst_matrix)
      : ndNum(nd), nValue(n), dValue(d), srcNdMatrixStride(src_matrix), srcNStride(src_n), dstDStride(dst_d),
        dstNdMatrixStride(dst_matrix) {}
};
struct DataCopyCO12DstParams {
  uint8_t sid = 0;
  uint16_t nSize = 0, mSize = 0;
  uint32_t dstStride = 0;
  uint16_t srcStride = 0;
  uint8_t unitFlag = 0, clipReluPre = 0, eltWiseOp = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint8_t reluPre = 0;
  bool channelSplit = false, nz2ndEn = false;
  constexpr DataCopyCO12DstParams() = default;
  constexpr DataCopyCO12DstParams(uint16_t n, uint16_t m, uint32_t dst, uint16_t src, QuantMode_t quant, uint8_t relu, bool split, bool nz2nd)
      : nSize(n), mSize(m), dstStride(dst), srcStride(src), quantPre(quant), reluPre(relu), channelSplit(split), nz2ndEn(nz2nd) {}
};

/* ---- cube ---------------------------------------------------------------------------------- */

struct LoadData2DParams {
  uint16_t startIndex = 0, dstGap = 0, srcStride = 0;
  bool ifTranspose = false;
  uint8_t repeatTimes = 0, sid = 0, addrMode = 0;
  constexpr LoadData2DParams() = default;
  constexpr LoadData2DParams(uint16_t start, uint8_t repeat, uint16_t src_stride, uint8_t sid_value, uint16_t dst_gap, bool transpose,
                   uint8_t address_mode)
      : startIndex(start), dstGap(dst_gap), srcStride(src_stride), ifTranspose(transpose), repeatTimes(repeat), sid(sid_value),
        addrMode(address_mode) {}
};
using LoadData2dParams = LoadData2DParams;
struct LoadData2dTransposeParams {
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0, dstGap = 0, dstFracGap = 0;
  uint8_t addrMode = 0;
  constexpr LoadData2dTransposeParams() = default;
  constexpr LoadData2dTransposeParams(uint16_t start, uint8_t repeat, uint16_t src_stride, uint16_t dst_gap, uint16_t dst_frac_gap,
                            uint8_t address_mode = 0)
      : startIndex(start), repeatTimes(repeat), srcStride(src_stride), dstGap(dst_gap), dstFracGap(dst_frac_gap),
        addrMode(address_mode) {}
};
using LoadData2DTransposeParams = LoadData2dTransposeParams;
/* Of another architecture: there for sources that choose by __NPU_ARCH__, and refused by LoadData. */
struct LoadData2DParamsV2 {
  uint32_t mStartPosition = 0, kStartPosition = 0;
  uint16_t mStep = 0, kStep = 0;
  int32_t srcStride = 0;
  uint16_t dstStride = 0;
  bool ifTranspose = false;
  uint8_t sid = 0;
};
template <typename T>
struct LoadData3DParamsV2 {
  uint8_t padList[4] = {0, 0, 0, 0};
  uint16_t l1H = 0, l1W = 0, channelSize = 0, kExtension = 0, mExtension = 0, kStartPt = 0, mStartPt = 0;
  uint8_t strideW = 1, strideH = 1, filterW = 1, filterH = 1, dilationFilterW = 1, dilationFilterH = 1;
  bool enTranspose = false, enSmallK = false;
  T padValue{};
  bool filterSizeW = false, filterSizeH = false, fMatrixCtrl = false;
  LoadData3DParamsV2() = default;
  LoadData3DParamsV2(const uint8_t pads[4], uint16_t h, uint16_t w, uint16_t channels, uint16_t k, uint16_t m, uint16_t k_start,
                     uint16_t m_start, uint8_t stride_w, uint8_t stride_h, uint8_t filter_w, uint8_t filter_h,
                     uint8_t dilation_w, uint8_t dilation_h, bool transpose, bool small_k, T pad_value, bool size_w = false,
                     bool size_h = false, bool ctrl = false)
      : l1H(h), l1W(w), channelSize(channels), kExtension(k), mExtension(m), kStartPt(k_start), mStartPt(m_start),
        strideW(stride_w), strideH(stride_h), filterW(filter_w), filterH(filter_h), dilationFilterW(dilation_w),
        dilationFilterH(dilation_h), enTranspose(transpose), enSmallK(small_k), padValue(pad_value), filterSizeW(size_w),
        filterSizeH(size_h), fMatrixCtrl(ctrl) {
    for (int i = 0; i < 4; i++) padList[i] = pads[i];
  }
};
/* The same in two words: extensions and starts of K and M, 16 bits each; strides, filter and dilation, 8 bits each. */
struct LoadData3DParamsV2Pro {
  uint16_t channelSize = 0;
  bool enTranspose = false, enSmallK = false, filterSizeW = false, filterSizeH = false, fMatrixCtrl = false;
  uint64_t extConfig = 0, filterConfig = 0x10101010101;
  LoadData3DParamsV2Pro() = default;
  LoadData3DParamsV2Pro(uint16_t channels, bool transpose, bool small_k, bool size_w, bool size_h, bool ctrl, uint64_t extensions,
                        uint64_t filter)
      : channelSize(channels), enTranspose(transpose), enSmallK(small_k), filterSizeW(size_w), filterSizeH(size_h),
        fMatrixCtrl(ctrl), extConfig(extensions), filterConfig(filter) {}
};
struct LoadDataRepeatParam {
  uint16_t repeatStride = 0;
  uint8_t repeatTime = 1, repeatMode = 0;
  constexpr LoadDataRepeatParam() = default;
  constexpr LoadDataRepeatParam(uint16_t stride, uint8_t time, uint8_t mode) : repeatStride(stride), repeatTime(time), repeatMode(mode) {}
};
template <typename T>
struct InitConstValueParams {
  uint16_t repeatTimes = 0, blockNum = 0, dstGap = 0;
  T initValue = static_cast<T>(0);
  constexpr InitConstValueParams() = default;
  constexpr InitConstValueParams(uint16_t repeat, uint16_t blocks, uint16_t gap, T value)
      : repeatTimes(repeat), blockNum(blocks), dstGap(gap), initValue(value) {}
  constexpr InitConstValueParams(uint16_t repeat, T value) : repeatTimes(repeat), blockNum(1), initValue(value) {}
};
struct MmadParams {
  uint16_t m = 0, n = 0, k = 0;
  bool isBias = false;
  int32_t fmOffset = 0;
  bool enSsparse = false, enWinogradA = false, enWinogradB = false;
  uint8_t unitFlag = 0;
  bool kDirectionAlign = false, cmatrixSource = false, cmatrixInitVal = true;
  constexpr MmadParams() = default;
  constexpr MmadParams(uint16_t m_value, uint16_t n_value, uint16_t k_value, bool bias, int32_t fm_offset, bool sparse, bool winograd_a,
             bool winograd_b)
      : m(m_value), n(n_value), k(k_value), isBias(bias), fmOffset(fm_offset), enSsparse(sparse), enWinogradA(winograd_a),
        enWinogradB(winograd_b) {}
  constexpr MmadParams(uint16_t m_value, uint16_t n_value, uint16_t k_value, uint8_t unit_flag, bool source, bool init)
      : m(m_value), n(n_value), k(k_value), unitFlag(unit_flag), cmatrixSource(source), cmatrixInitVal(init) {}
};
/* Addresses count blocks of 32 bytes; startAddr's own is not watched, endAddr's is. */
struct CheckLocalMemoryIAParam {
  uint8_t enableBit = 0;
  uint32_t startAddr = 0, endAddr = 0;
  bool isScalarRead = false, isScalarWrite = false, isVectorRead = false, isVectorWrite = false, isMteRead = false;
  bool isMteWrite = false, isEnable = false;
  uint32_t reserved = 0;
  constexpr CheckLocalMemoryIAParam() = default;
  constexpr CheckLocalMemoryIAParam(uint8_t which, uint32_t start, uint32_t end, bool scalar_read, bool scalar_write, bool vector_read,
             bool vector_write, bool mte_read, bool mte_write, bool enable)
      : enableBit(which), startAddr(start), endAddr(end), isScalarRead(scalar_read), isScalarWrite(scalar_write),
        isVectorRead(vector_read), isVectorWrite(vector_write), isMteRead(mte_read), isMteWrite(mte_write), isEnable(enable) {}
};
struct FixpipeParamsV220 {
  uint16_t nSize = 0, mSize = 0, srcStride = 0;
  uint32_t dstStride = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = 0;
  uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
  bool reluEn = false;
  uint8_t unitFlag = 0;
  bool isChannelSplit = false;
  constexpr FixpipeParamsV220() = default;
  constexpr FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst, bool relu)
      : nSize(n), mSize(m), srcStride(src), dstStride(dst), reluEn(relu) {}
  constexpr FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst, bool relu, QuantMode_t quant, uint64_t scalar, uint16_t nd,
                    uint16_t src_nd, uint16_t dst_nd, uint8_t unit_flag)
      : nSize(n), mSize(m), srcStride(src), dstStride(dst), quantPre(quant), deqScalar(scalar), ndNum(nd), srcNdStride(src_nd),
        dstNdStride(dst_nd), reluEn(relu), unitFlag(unit_flag) {}
};
struct FixpipeConfig {
  CO2Layout format;
  bool isToUB = false;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};
constexpr FixpipeConfig CFG_COLUMN_MAJOR = {CO2Layout::COLUMN_MAJOR};

/* ---- shapes -------------------------------------------------------------------------------- */

struct ShapeInfo {
  uint8_t shapeDim = 0, originalShapeDim = 0;
  uint32_t shape[8] = {0}, originalShape[8] = {0};
  DataFormat dataFormat = DataFormat::ND;
  ShapeInfo() = default;
  ShapeInfo(uint8_t dim, const uint32_t values[], DataFormat format = DataFormat::ND)
      : shapeDim(dim), originalShapeDim(dim), dataFormat(format) {
    for (uint8_t i = 0; i < dim && i < 8; i++) shape[i] = originalShape[i] = values[i];
  }
  ShapeInfo(uint8_t dim, const uint32_t values[], uint8_t original_dim, const uint32_t original[], DataFormat format)
      : shapeDim(dim), originalShapeDim(original_dim), dataFormat(format) {
    for (uint8_t i = 0; i < dim && i < 8; i++) shape[i] = values[i];
    for (uint8_t i = 0; i < original_dim && i < 8; i++) originalShape[i] = original[i];
  }
};
inline int GetShapeSize(const ShapeInfo &info) {
  int size = 1;
  for (uint8_t i = 0; i < info.shapeDim; i++) size *= static_cast<int>(info.shape[i]);
  return size;
}

} // namespace AscendC

#endif
