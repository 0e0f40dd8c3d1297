/* asc_dump.h - elements at an address as text: what DumpTensor does for those who have no tensor. C++ only. */
#ifndef SK_UTILS_DEBUG_ASC_DUMP_H
#define SK_UTILS_DEBUG_ASC_DUMP_H

#include "kernel_operator.h"

/* `count` elements of T as they are when all before has ended; desc is printed before them. On the cube L1 and L0C, on
 * vector cores UB. */
#define SK_ASC_DUMP(Name, Qualifier, position)                                                              \
  template <typename T>                                                                                     \
  SK_INLINE void Name(Qualifier T *input, uint32_t desc, uint32_t count) {                                  \
    AscendC::PipeBarrier<PIPE_ALL>();                                                                       \
    sk_dump(position, desc, (const void *)input, AscendC::Internal::dump_type<T>(), sizeof(T), count);      \
  }
SK_ASC_DUMP(asc_dump_gm, __gm__, "GM")
SK_ASC_DUMP(asc_dump_ubuf, __ubuf__, "UB")
SK_ASC_DUMP(asc_dump_l1buf, __cbuf__, "L1")
SK_ASC_DUMP(asc_dump_cbuf, __cc__, "L0C")
#undef SK_ASC_DUMP

#endif
