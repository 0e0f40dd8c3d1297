/* unsupported.h - names of the API that this version does not model: using one does not compile, and says so. */
#ifndef SK_KERNEL_OPERATOR_UNSUPPORTED_H
#define SK_KERNEL_OPERATOR_UNSUPPORTED_H

#include "types.h"

namespace AscendC {

/* Absent on this architecture. */
#define SK_ABSENT_FUNCTIONS(X)                                                                                              \
  X(RpSort16) X(MrgSort4) X(ProposalConcat) X(ProposalExtract) X(BilinearInterpolation) X(VectorPadding)                    \
  X(Quantize) X(AntiQuantize) X(Dequantize) X(PhiloxRandom) X(Fma) X(Rint) X(Hypot) X(SinCos) X(Where) X(BitwiseAnd)        \
  X(BitwiseOr) X(BitwiseNot) X(BitwiseXor) X(LogicalAnd) X(LogicalAnds) X(LogicalOr) X(LogicalOrs) X(LogicalNot)            \
  X(LogicalXor)
#define SK_REFUSE_ABSENT(Name)                                                                    \
  template <class... Types>                                                                       \
  void Name(const Types &...) {                                                                   \
    static_assert(sizeof...(Types) == ~size_t{0}, #Name ": not there on this architecture (2201)"); \
  }
SK_ABSENT_FUNCTIONS(SK_REFUSE_ABSENT)
#undef SK_REFUSE_ABSENT

/* Objects. */
#define SK_REFUSE_CLASS(Name)                                                              \
  template <class... Types>                                                                \
  class Name {                                                                             \
    static_assert(sizeof...(Types) == ~size_t{0}, #Name ": not modelled in this version"); \
  };
SK_REFUSE_CLASS(BatchMatmul)
#undef SK_REFUSE_CLASS
template <auto... values>
class Hccl {
  static_assert(sizeof...(values) == ~size_t{0}, "Hccl: collective communication is outside of a simulated device");
};

} // namespace AscendC

#endif
