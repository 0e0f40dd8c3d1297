/* unsupported.h - names of the API that this version does not model: using one does not compile, and says so. */
#ifndef SK_KERNEL_OPERATOR_UNSUPPORTED_H
#define SK_KERNEL_OPERATOR_UNSUPPORTED_H

#include "types.h"

namespace AscendC {

/* Absent on this architecture. */
#define SK_ABSENT_FUNCTIONS(X) \
  X(RpSort16) X(MrgSort4) X(ProposalConcat) X(ProposalExtract) X(BilinearInterpolation) X(VectorPadding)
/* There on the chip, not here. */
#define SK_UNMODELLED_FUNCTIONS(X)                                                                                      \
  X(SoftmaxFlash) X(SoftmaxFlashV3) X(LogSoftMax) X(AntiQuantize) X(Quantize) X(Dequantize) X(BatchNorm) X(DeepNorm)    \
  X(GroupNorm) X(Normalize) X(LayerNormGrad) X(LayerNormGradBeta) X(ConfusionTranspose) X(TransData) X(Pad) X(UnPad)    \
  X(PhiloxRandom) X(CheckLocalMemoryIA)

#define SK_REFUSE_ABSENT(Name)                                                                    \
  template <class... Types>                                                                       \
  void Name(const Types &...) {                                                                   \
    static_assert(sizeof...(Types) == ~size_t{0}, #Name ": not there on this architecture (2201)"); \
  }
#define SK_REFUSE_UNMODELLED(Name)                                                                \
  template <class... Types>                                                                       \
  void Name(const Types &...) {                                                                   \
    static_assert(sizeof...(Types) == ~size_t{0}, #Name ": not modelled in this version");          \
  }
SK_ABSENT_FUNCTIONS(SK_REFUSE_ABSENT)
SK_UNMODELLED_FUNCTIONS(SK_REFUSE_UNMODELLED)
#undef SK_REFUSE_ABSENT
#undef SK_REFUSE_UNMODELLED

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
