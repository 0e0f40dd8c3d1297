/* records.c - the operator library's records, and the host helpers that all operators share. */
#include <inttypes.h>
#include <stdio.h>

#include "acl/acl.h"
#include "ops_host.h"
#include "superkernel/kernel.h"

#define BIT SK_DTYPE_BIT
#define FLOATS (BIT(SK_FLOAT) | BIT(SK_FLOAT16) | BIT(SK_BF16))
#define HALVES (BIT(SK_FLOAT16) | BIT(SK_BF16))
#define NUMBERS (FLOATS | BIT(SK_INT8) | BIT(SK_UINT8) | BIT(SK_INT16) | BIT(SK_INT32))
#define ANY (NUMBERS | BIT(SK_INT64) | BIT(SK_BOOL))

/* A list with its length. */
#define COUNT(list) (uint32_t)(sizeof(list) / sizeof(list)[0])
#define INPUTS(list) .inputs = (list), .input_count = COUNT(list)
#define OUTPUTS(list) .outputs = (list), .output_count = COUNT(list)
#define ATTRIBUTES(list) .attributes = (list), .attribute_count = COUNT(list)

static const sk_operator_tensor gating_inputs[] = {
    {"x", "[rows, experts] or [d0, d1, experts]", FLOATS, 2, 3, false, false},
    {"finished", "x without its last dimension", BIT(SK_BOOL), 1, 2, true, false},
};
static const sk_operator_tensor gating_outputs[] = {
    {"y", "x with k instead of experts", FLOATS, 2, 3, false, false},
    {"expert_idx", "as y", BIT(SK_INT32), 2, 3, false, false},
    {"row_idx", "as y", BIT(SK_INT32), 2, 3, false, false},
};
static const sk_operator_attribute gating_attributes[] = {{"k", SK_INTEGER, 1, "0 to min(experts, 1024)"}};

static const sk_operator_tensor quant_inputs[] = {
    {"x", "[.., columns]", HALVES, 2, 8, false, false},
    {"smooth_scales", "[columns], or [groups, columns] with group_index", HALVES, 1, 2, true, false},
    {"group_index", "[groups]: cumulative end rows", BIT(SK_INT32), 1, 1, true, false},
};
static const sk_operator_tensor quant_outputs[] = {
    {"y", "as x; int4: int32 with columns / 8", BIT(SK_INT8) | BIT(SK_INT32), 2, 8, false, false},
    {"scale", "x without its last dimension", BIT(SK_FLOAT), 1, 7, false, false},
};
static const sk_operator_attribute quant_attributes[] = {{"dst_bits", SK_INTEGER, 8, "8 (int8), 4 (int4)"}};

static const sk_operator_tensor binary_inputs[] = {
    {"self", "any", NUMBERS, 0, 8, false, false},
    {"other", "as self, or repeated along dimensions before or behind its own; left out: the attribute scalar", NUMBERS, 0, 8, true, false},
};
static const sk_operator_tensor binary_outputs[] = {{"out", "as self; may be self itself, or other where that has its shape", NUMBERS, 0, 8, false, false}};
static const sk_operator_attribute sum_attributes[] = {
    {"alpha", SK_REAL, 1, "a number; an integer where self is one"},
    {"scalar", SK_REAL, 0, "a number; an integer where self is one"},
};
static const sk_operator_attribute product_attributes[] = {{"scalar", SK_REAL, 0, "a number; an integer where self is one"}};

static const sk_operator_tensor cast_inputs[] = {{"self", "any", ANY, 0, 8, false, false}};
static const sk_operator_tensor cast_outputs[] = {{"out", "as self", ANY, 0, 8, false, false}};
static const sk_operator_attribute cast_attributes[] = {
    {"dst_type", SK_INTEGER, 0, "0 float32, 1 float16, 2 int8, 3 int32, 4 uint8, 6 int16, 9 int64, 12 bool, 27 bfloat16"},
};

static const sk_operator_tensor matmul_inputs[] = {
    {"self", "[.., m, k], or [.., k, m] with transpose_x1", FLOATS | BIT(SK_INT8), 2, 6, false, false},
    {"mat2", "[.., k, n], or [.., n, k] with transpose_x2; batch dimensions broadcast; last dimensions to 65535; FRACTAL_NZ for 8 and "
             "16-bit types", FLOATS | BIT(SK_INT8), 2, 6, false, true},
};
static const sk_operator_tensor matmul_outputs[] = {{"out", "[.., m, n]; int32 for int8", FLOATS | BIT(SK_INT32), 2, 6, false, false}};
static const sk_operator_attribute matmul_attributes[] = {
    {"transpose_x1", SK_INTEGER, 0, "0; 1: self is stored [.., k, m]"},
    {"transpose_x2", SK_INTEGER, 0, "0; 1: mat2 is stored [.., n, k]"},
};

#define SCALES (BIT(SK_FLOAT) | BIT(SK_BF16) | BIT(SK_INT64) | BIT(SK_UINT64))
static const sk_operator_tensor quant_matmul_inputs[] = {
    {"x1", "[.., m, k], or [.., k, m] with transpose_x1", BIT(SK_INT8), 2, 6, false, false},
    {"x2", "[.., k, n], or [.., n, k] with transpose_x2; batch dimensions broadcast; FRACTAL_NZ or row-major", BIT(SK_INT8), 2, 6, false, true},
    {"scale", "[n] or [1]; integers are packed words", SCALES, 1, 1, false, false},
    {"offset", "[n] or [1]; int8 results only", BIT(SK_FLOAT), 1, 1, true, false},
    {"pertoken_scale", "[m]", BIT(SK_FLOAT), 1, 1, true, false},
    {"bias", "[n], or [batch, 1, n]", FLOATS | BIT(SK_INT32), 1, 3, true, false},
};
static const sk_operator_tensor quant_matmul_outputs[] = {{"out", "[.., m, n]", HALVES | BIT(SK_INT8) | BIT(SK_INT32), 2, 6, false, false}};
static const sk_operator_attribute quant_matmul_attributes[] = {
    {"output_dtype", SK_INTEGER, 2, "1 float16, 2 int8, 3 int32, 27 bfloat16"},
    {"transpose_x1", SK_INTEGER, 0, "0; 1: x1 is stored [.., k, m]"},
    {"transpose_x2", SK_INTEGER, 0, "0; 1: x2 is stored [.., n, k]"},
};

static const sk_operator_tensor swiglu_inputs[] = {
    {"x", "[.., 2H]", HALVES | BIT(SK_INT32), 2, 8, false, false},
    {"weight_scale", "[2H] or [1, 2H]; with group_index [groups, 2H]; needed for int32 x", BIT(SK_FLOAT), 1, 2, true, false},
    {"activation_scale", "[rows] or [rows, 1]; int32 x only", BIT(SK_FLOAT), 1, 8, true, false},
    {"bias", "[2H]; with group_index [groups, 2H]; int32 x only", FLOATS | BIT(SK_INT32), 1, 2, true, false},
    {"quant_scale", "[H], [1, H] or one element; with group_index [groups, H] or [groups], also of 16-bit types", FLOATS, 1, 2, true, false},
    {"quant_offset", "as quant_scale; quant_mode 0 only", FLOATS, 1, 2, true, false},
    {"group_index", "[groups]: rows of each; or [groups, 2]: number and rows", BIT(SK_INT64), 1, 2, true, false},
};
static const sk_operator_tensor swiglu_outputs[] = {
    {"y", "[.., H]; rows behind the last group are not written", BIT(SK_INT8), 2, 8, false, false},
    {"scale", "x without its last dimension; not written with quant_mode 0", BIT(SK_FLOAT), 1, 7, false, false},
};
static const sk_operator_attribute swiglu_attributes[] = {
    {"activate_left", SK_INTEGER, 0, "0: the right half is the gate; 1: the left half"},
    {"quant_mode", SK_INTEGER, 0, "0 (static), 1 (dynamic)"},
    {"swiglu_mode", SK_INTEGER, 0, "0; with group_index also 1 (clamped, pairs), 2 (clamped, halves)"},
    {"clamp_limit", SK_REAL, 7.0, "finite and above 0"},
    {"glu_alpha", SK_REAL, 1.702, "finite"},
    {"glu_bias", SK_REAL, 1.0, "finite"},
};

static const sk_operator_tensor format_inputs[] = {{"self", "[.., M, N], row-major or FRACTAL_NZ", ANY & ~BIT(SK_INT64), 2, 8, false, true}};
static const sk_operator_tensor format_outputs[] = {{"out", "as self, in the other storage", ANY & ~BIT(SK_INT64), 2, 8, false, true}};
static const sk_operator_attribute format_attributes[] = {
    {"acl_format", SK_INTEGER, 29, "2 (ND), 29 (FRACTAL_NZ)"},
    {"customize_dtype", SK_INTEGER, 0, "a type of 1, 2 or 4 bytes: C0 is 32 bytes of it, not of self (16 for 32-bit elements)"},
};
static const sk_operator_tensor is_inf_inputs[] = {{"self", "any", ANY, 0, 8, false, false}};
static const sk_operator_tensor is_inf_outputs[] = {{"out", "as self", BIT(SK_BOOL), 0, 8, false, false}};
static const sk_operator_tensor pows_inputs[] = {{"self", "any", FLOATS, 0, 8, false, false}};
static const sk_operator_tensor pows_outputs[] = {{"out", "as self; may be self itself", FLOATS, 0, 8, false, false}};
static const sk_operator_attribute pows_attributes[] = {{"exponent", SK_REAL, 2, "0.5, 2, 3, -0.5, -1, -2"}};

static const sk_operator_tensor param_inputs[] = {
    {"scale", "[n] or [1, n]", BIT(SK_FLOAT), 1, 2, false, false},
    {"offset", "[n] or [1]; any [n] with one scale", BIT(SK_FLOAT), 1, 1, true, false},
};
static const sk_operator_tensor param_outputs[] = {{"out", "as scale; with offset [n]", BIT(SK_INT64), 1, 2, false, false}};
static const sk_operator_attribute param_attributes[] = {{"round_mode", SK_INTEGER, 0, "0 (cut), 1 (to nearest)"}};

static const sk_operator records[] = {
    {
        .name = "MoeGatingTopKSoftmax", .torch_name = "npu_moe_gating_top_k_softmax", .kernel_type = "AIV",
        .rule = "the k largest of softmax(x) over the last dimension, descending; row_idx[i][j] = i + j * rows; finished rows get "
                "expert_idx = experts",
        INPUTS(gating_inputs), OUTPUTS(gating_outputs), ATTRIBUTES(gating_attributes),
        .split = "rows, ceil(rows / cores) each", .sync = "none", .code = &sk_ops_gating,
    },
    {
        .name = "DynamicQuant", .torch_name = "npu_dynamic_quant", .kernel_type = "AIV",
        .rule = "y = rint(x * smooth * q / m), scale = 1 / (q / m), m = max |x * smooth| of the row, q = 127 or 7",
        INPUTS(quant_inputs), OUTPUTS(quant_outputs), ATTRIBUTES(quant_attributes),
        .split = "rows; the first (rows mod cores) cores take one more", .sync = "none", .code = &sk_ops_dynamic_quant,
    },
    {
        .name = "Add", .torch_name = "add", .kernel_type = "AIV",
        .rule = "out = self + alpha * other; bfloat16, and float16 with alpha other than 1, in float32 with one rounding; "
                "integers wrap",
        INPUTS(binary_inputs), OUTPUTS(binary_outputs), ATTRIBUTES(sum_attributes),
        .split = "tiles of up to 32 KiB", .sync = "none", .code = &sk_ops_add,
    },
    {
        .name = "Sub", .torch_name = "sub", .kernel_type = "AIV",
        .rule = "out = self - alpha * other; bfloat16, and float16 with alpha other than 1, in float32 with one rounding; "
                "integers wrap",
        INPUTS(binary_inputs), OUTPUTS(binary_outputs), ATTRIBUTES(sum_attributes),
        .split = "tiles of up to 32 KiB", .sync = "none", .code = &sk_ops_sub,
    },
    {
        .name = "Mul", .torch_name = "mul", .kernel_type = "AIV",
        .rule = "out = self * other; bfloat16 in float32 with one rounding; integers wrap",
        INPUTS(binary_inputs), OUTPUTS(binary_outputs), ATTRIBUTES(product_attributes),
        .split = "tiles of up to 32 KiB", .sync = "none", .code = &sk_ops_mul,
    },
    {
        .name = "Cast", .torch_name = "to", .kernel_type = "AIV",
        .rule = "float to integer truncates and clamps, NaN gives 0; integer to integer keeps the low bits; to float16 and "
                "bfloat16 by way of float32, ties to even; to bool: not zero",
        INPUTS(cast_inputs), OUTPUTS(cast_outputs), ATTRIBUTES(cast_attributes),
        .split = "elements, in whole 512-element pieces", .sync = "none", .code = &sk_ops_cast,
    },
    {
        .name = "BatchMatMulV3", .torch_name = "matmul", .kernel_type = "AIC",
        .rule = "out = self * mat2 for each batch; float types are summed in float32 and rounded once, int8 is summed in int32",
        INPUTS(matmul_inputs), OUTPUTS(matmul_outputs), ATTRIBUTES(matmul_attributes),
        .split = "blocks of up to 128 x 256 results", .sync = "none", .code = &sk_ops_matmul,
    },
    {
        .name = "QuantBatchMatmulV3", .torch_name = "npu_quant_matmul", .kernel_type = "AIC with packed scales and for int32, else MIX 1:2",
        .rule = "int32 sums (and int32 bias) times scale[n] and pertoken_scale[m], plus a float bias, rounded once; packed scales, and float "
                "scales without pertoken_scale for float16 and int8, keep ten bits of mantissa; int8: nine bits, plus offset, then eight",
        INPUTS(quant_matmul_inputs), OUTPUTS(quant_matmul_outputs), ATTRIBUTES(quant_matmul_attributes),
        .split = "blocks of up to 128 x 256 results", .sync = "AIC only: none; MIX: cross-core flags 0 to 3 of each group",
        .code = &sk_ops_quant_matmul,
    },
    {
        .name = "TransQuantParamV2", .torch_name = "npu_trans_quant_param", .kernel_type = "AIV",
        .rule = "packed words: sign, exponent and ten bits of mantissa of scale, bit 46, and nine bits of rint(offset) from bit 37 up",
        INPUTS(param_inputs), OUTPUTS(param_outputs), ATTRIBUTES(param_attributes),
        .split = "nothing: one core", .sync = "none", .code = &sk_ops_trans_quant_param,
    },
    {
        .name = "DequantSwigluQuant", .torch_name = "npu_dequant_swiglu_quant", .kernel_type = "AIV",
        .rule = "v = x (+ int32 bias) * weight_scale * activation_scale (+ float bias); s = gate / (1 + exp(-gate)) * other; dynamic: "
                "s * quant_scale, scale = max |s| / 127, y = rint(s / scale); static: y = rint(s / quant_scale + quant_offset); clamped: "
                "gate = min(gate, limit), other = clamp(other) + glu_bias, the gate's exponent times glu_alpha",
        INPUTS(swiglu_inputs), OUTPUTS(swiglu_outputs), ATTRIBUTES(swiglu_attributes),
        .split = "rows; the first (rows mod cores) cores take one more", .sync = "none", .code = &sk_ops_dequant_swiglu_quant,
    },
    {
        .name = "TransData", .torch_name = "npu_format_cast", .kernel_type = "AIV",
        .rule = "the same values in the other storage; padding of FRACTAL_NZ is zero",
        INPUTS(format_inputs), OUTPUTS(format_outputs), ATTRIBUTES(format_attributes),
        .split = "windows of up to 64 rows and 512 bytes of columns", .sync = "none", .code = &sk_ops_format_cast,
    },
    {
        .name = "IsInf", .torch_name = "isinf", .kernel_type = "AIV", .rule = "whether an element is infinite, by its bits; integers never are",
        INPUTS(is_inf_inputs), OUTPUTS(is_inf_outputs),
        .split = "elements, in whole 512-element pieces", .sync = "none", .code = &sk_ops_is_inf,
    },
    {
        .name = "Pows", .torch_name = "pow", .kernel_type = "AIV", .rule = "self to the power, in float32, rounded once for 16-bit types",
        INPUTS(pows_inputs), OUTPUTS(pows_outputs), ATTRIBUTES(pows_attributes),
        .split = "elements, in whole 512-element pieces", .sync = "none", .code = &sk_ops_pows,
    },
};

const sk_operator *sk_operator_all(size_t *count) {
  *count = sizeof records / sizeof records[0];
  return records;
}

size_t sk_dtype_bytes(sk_dtype dtype) {
#define X(name, value, text, bytes) \
  if (dtype == (name)) return (bytes);
  SK_DTYPE_LIST(X)
#undef X
  return 0;
}

const char *sk_dtype_name(sk_dtype dtype) {
#define X(name, value, text, bytes) \
  if (dtype == (name)) return (text);
  SK_DTYPE_LIST(X)
#undef X
  return "no type";
}

/* ---- refusals ---------------------------------------------------------------------------------- */

int sk_ops_refuse_text(const char *call, const char *what, const char *value, const char *legal) {
  char text[512];
  snprintf(text, sizeof text, "%s: %s is %s; legal: %s", call, what, value, legal);
  return sk_report_error(ACL_ERROR_INVALID_PARAM, text);
}

int sk_ops_refuse(const char *call, const char *what, uint64_t value, const char *legal) {
  char number[32];
  snprintf(number, sizeof number, "%" PRIu64, value);
  return sk_ops_refuse_text(call, what, number, legal);
}

int sk_ops_refuse_null(const char *call, const char *what, const char *legal) {
  return sk_ops_refuse_text(call, what, "NULL", legal);
}

int sk_ops_refuse_shape(const char *call, const char *what, const sk_tensor *tensor, const char *legal) {
  char shape[SK_MAX_RANK * 24 + 4];
  size_t length = (size_t)snprintf(shape, sizeof shape, "[");
  for (uint32_t i = 0; i < tensor->rank && i < SK_MAX_RANK; i++)
    length += (size_t)snprintf(shape + length, sizeof shape - length, "%s%" PRId64, i > 0 ? ", " : "", tensor->shape[i]);
  snprintf(shape + length, sizeof shape - length, "]");
  return sk_ops_refuse_text(call, what, shape, legal);
}

int sk_ops_refuse_dtype(const char *call, const char *what, const sk_tensor *tensor, const char *legal) {
  char value[32];
  if (sk_dtype_bytes(tensor->dtype) == 0)
    snprintf(value, sizeof value, "type %d", (int)tensor->dtype);
  else
    snprintf(value, sizeof value, "%s", sk_dtype_name(tensor->dtype));
  return sk_ops_refuse_text(call, what, value, legal);
}

int sk_ops_check_tensors(const char *call, const sk_ops_tensor *tensors, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (tensors[i].address == NULL) return sk_ops_refuse_null(call, tensors[i].name, "device memory");
  return ACL_SUCCESS;
}

/* ---- cores --------------------------------------------------------------------------------------- */

static uint32_t cores_of(uint32_t asked, aclrtDevAttr kind) {
  if (asked > 65535) return 0;
  if (asked > 0) return asked;
  int64_t cores = 0;
  return aclrtGetDeviceInfo(0, kind, &cores) == ACL_SUCCESS ? (uint32_t)cores : 0;
}
uint32_t sk_ops_vector_cores(uint32_t asked) { return cores_of(asked, ACL_DEV_ATTR_VECTOR_CORE_NUM); }
uint32_t sk_ops_cube_cores(uint32_t asked) { return cores_of(asked, ACL_DEV_ATTR_CUBE_CORE_NUM); }
