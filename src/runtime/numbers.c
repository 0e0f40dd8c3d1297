/* numbers.c - data types of the acl interface. */
#include "acl/acl.h"
#include "base/numbers.h"

size_t aclDataTypeSize(aclDataType dataType) {
  switch (dataType) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL: return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16: return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32: return 4;
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_DOUBLE:
    case ACL_COMPLEX64: return 8;
    case ACL_COMPLEX128: return 16;
    case ACL_DT_UNDEFINED: break;
  }
  return 0;
}

float aclFloat16ToFloat(aclFloat16 value) { return sk__f32_from_f16(value); }
aclFloat16 aclFloatToFloat16(float value) { return sk__f16_from_f32(value, SK__ROUND_RINT, SK__FLOAT_INF_NAN); }
