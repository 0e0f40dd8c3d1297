/* records.c - the operator library's records and host helpers. */
#include <inttypes.h>
#include <stdio.h>

#include "acl/acl.h"
#include "ops_host.h"
#include "superkernel/kernel.h"

static const sk_operator records[] = {
    {
        .name = "MoeGatingTopKSoftmax",
        .torch_name = "npu_moe_gating_top_k_softmax",
        .kernel_type = "AIV",
        .inputs = "x [rows, experts] float | half | bfloat16; finished [rows] bool, optional",
        .outputs = "y [rows, k] as x; expert_idx [rows, k] int32; row_idx [rows, k] int32",
        .attributes = "k: 0 to min(experts, 1024)",
        .split = "rows, ceil(rows / cores) each",
        .sync = "none",
    },
    {
        .name = "DynamicQuant",
        .torch_name = "npu_dynamic_quant",
        .kernel_type = "AIV",
        .inputs = "x [rows, columns] half | bfloat16; smooth [columns] or [groups, columns] as x, optional; "
                  "group_index [groups] int32, optional",
        .outputs = "y [rows, columns] int8, or [rows, columns / 8] int32 of int4; scale [rows] float",
        .attributes = "dst_bits: 8, 4",
        .split = "rows; the first (rows mod cores) cores take one more",
        .sync = "none",
    },
};

const sk_operator *sk_operator_all(size_t *count) {
  *count = sizeof records / sizeof records[0];
  return records;
}

int sk_ops_refuse(const char *call, const char *what, uint64_t value, const char *legal) {
  char text[256];
  snprintf(text, sizeof text, "%s: %s is %" PRIu64 "; legal: %s", call, what, value, legal);
  return sk_report_error(ACL_ERROR_INVALID_PARAM, text);
}

int sk_ops_refuse_null(const char *call, const char *what, const char *legal) {
  char text[256];
  snprintf(text, sizeof text, "%s: %s is NULL; legal: %s", call, what, legal);
  return sk_report_error(ACL_ERROR_INVALID_PARAM, text);
}

int sk_ops_check_tensors(const char *call, const sk_ops_tensor *tensors, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (tensors[i].address == NULL) return sk_ops_refuse_null(call, tensors[i].name, "device memory");
  return ACL_SUCCESS;
}

uint32_t sk_ops_vector_cores(uint32_t asked) {
  if (asked > 65535) return 0;
  if (asked > 0) return asked;
  int64_t cores = 0;
  return aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores) == ACL_SUCCESS ? (uint32_t)cores : 0;
}
