/* sort.h - sorting of (score, index) records of eight bytes, descending; of equal scores the one that
 * stands first comes first. */
#ifndef SK_KERNEL_OPERATOR_SORT_H
#define SK_KERNEL_OPERATOR_SORT_H

#include "move.h"
#include "vector.h"

namespace AscendC {

constexpr uint32_t SORT_RECORD_BYTES = 8;
constexpr uint32_t SORT_GROUP = 32;

template <typename T>
struct MrgSortSrcList {
  LocalTensor<T> src1, src2, src3, src4;
  SK_INLINE MrgSortSrcList() {}
  SK_INLINE MrgSortSrcList(const LocalTensor<T> &a, const LocalTensor<T> &b, const LocalTensor<T> &c, const LocalTensor<T> &d)
      : src1(a), src2(b), src3(c), src4(d) {}
};

template <typename T>
SK_INLINE void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &src1, const int32_t repeat) {
  SK_TAKES("Sort32", PrimT<T>, half, float);
  asc_bitsort(dst.sk_elements(), src0.sk_source(), src1.sk_source(), repeat);
}

SK_INLINE void GetMrgSortResult(uint16_t &list1, uint16_t &list2, uint16_t &list3, uint16_t &list4) {
  uint16_t counts[4];
  Internal::order_local_access();
  asc_get_vms4_sr(counts);
  list1 = counts[0], list2 = counts[1], list3 = counts[2], list4 = counts[3];
}

template <typename T>
SK_INLINE void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &list, const MrgSort4Info &info) {
  SK_TAKES("MrgSort", T, half, float);
  T *const src[4] = {list.src1.sk_address(), list.src2.sk_address(), list.src3.sk_address(), list.src4.sk_address()};
  asc_mrgsort4(dst.sk_address(), src, static_cast<uint8_t>(info.repeatTimes), info.elementLengths[0], info.elementLengths[1],
               info.elementLengths[2], info.elementLengths[3], info.ifExhaustedSuspension, static_cast<uint8_t>(info.validBit));
}
template <typename T, bool isExhaustedSuspension = false>
SK_INLINE void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &list, const uint16_t counts[4], uint32_t sortedNum[4],
                       uint16_t validBit, const int32_t repeat) {
  SK_TAKES("MrgSort", T, half, float);
  MrgSort(dst, list, MrgSort4Info(counts, isExhaustedSuspension, validBit, static_cast<uint16_t>(repeat)));
  uint16_t sorted[4];
  GetMrgSortResult(sorted[0], sorted[1], sorted[2], sorted[3]);
  for (int i = 0; i < 4; i++) sortedNum[i] = sorted[i];
}

template <typename T>
SK_INLINE uint32_t GetSortOffset(const uint32_t elems) {
  SK_TAKES("GetSortOffset", T, half, float);
  return elems * (SORT_RECORD_BYTES / sizeof(T));
}
template <typename T>
SK_INLINE uint32_t GetSortLen(const uint32_t elems) {
  SK_TAKES("GetSortLen", T, half, float);
  return elems * (SORT_RECORD_BYTES / sizeof(T));
}

/* Scores are sorted as they stand: nothing is combined on this architecture. */
template <typename T>
SK_INLINE void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src, const LocalTensor<T> &, const int32_t) {
  SK_TAKES("Concat", T, half, float);
  concat = src;
}

namespace Internal {
/* Merges sorted lists of `length` records each, four at a time, from one buffer to the other, until one
 * is left. True: the result is in `b`. */
template <typename T>
SK_INLINE bool merge_lists(const LocalTensor<T> &a, const LocalTensor<T> &b, uint32_t records, uint32_t length) {
  bool in_b = false;
  constexpr uint32_t elems = SORT_RECORD_BYTES / sizeof(T);
  for (; length < records; length *= 4, in_b = !in_b) {
    const LocalTensor<T> &from = in_b ? b : a, &to = in_b ? a : b;
    sk_pipe_barrier(PIPE_V);
    for (uint32_t first = 0; first < records; first += 4 * length) {
      uint16_t lengths[4] = {0, 0, 0, 0};
      uint32_t lists = 0;
      LocalTensor<T> part[4];
      for (uint32_t at = first; lists < 4 && at < records; at += length, lists++) {
        lengths[lists] = static_cast<uint16_t>(records - at < length ? records - at : length);
        part[lists] = from[at * elems];
      }
      for (uint32_t i = lists; i < 4; i++) part[i] = part[0];
      if (lists == 1) {
        DataCopy(to[first * elems], part[0], lengths[0] * elems);
        continue;
      }
      MrgSort(to[first * elems], MrgSortSrcList<T>(part[0], part[1], part[2], part[3]),
              MrgSort4Info(lengths, false, static_cast<uint16_t>((1u << lists) - 1), 1));
    }
  }
  return in_b;
}
} // namespace Internal

/* rep groups of 32, each sorted, and with isFullSort merged into one. tmp is as large as dst. */
template <typename T, bool isFullSort>
SK_INLINE void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat, const LocalTensor<uint32_t> &index,
                    const LocalTensor<T> &tmp, const int32_t repeat) {
  SK_TAKES("Sort", T, half, float);
  constexpr uint32_t elems = SORT_RECORD_BYTES / sizeof(T);
  uint32_t groups = static_cast<uint32_t>(repeat), most = MAX_REPEAT_TIMES;
  for (uint32_t done = 0; done < groups; done += most) {
    uint32_t part = groups - done < most ? groups - done : most, at = done * SORT_GROUP;
    Sort32(dst[at * elems], concat[at], index[at], static_cast<int32_t>(part));
  }
  if constexpr (isFullSort) {
    uint32_t records = groups * SORT_GROUP;
    if (Internal::merge_lists(dst, tmp, records, SORT_GROUP)) {
      sk_pipe_barrier(PIPE_V);
      DataCopy(dst, tmp, records * elems);
    }
  }
}

/* Scores and indices of rep groups of 32 records. */
template <typename T>
SK_INLINE void Extract(const LocalTensor<T> &dstValue, const LocalTensor<uint32_t> &dstIndex, const LocalTensor<T> &sorted,
                       const int32_t repeat) {
  SK_TAKES("Extract", T, half, float);
  uint16_t n = static_cast<uint16_t>(repeat);
  const uint32_t *words = reinterpret_cast<const uint32_t *>(sorted.sk_address());
  if constexpr (sizeof(T) == 2) {
    const uint16_t *halves = reinterpret_cast<const uint16_t *>(sorted.sk_address());
    asc_reduce(reinterpret_cast<uint16_t *>(dstValue.sk_address()), halves, halves, n, 1, 3, 8, 0);
  } else {
    asc_reduce(reinterpret_cast<uint32_t *>(dstValue.sk_address()), words, words, n, 1, 1, 8, 0);
  }
  asc_reduce(dstIndex.sk_address(), words, words, n, 1, 2, 8, 0);
}

} // namespace AscendC

#endif
