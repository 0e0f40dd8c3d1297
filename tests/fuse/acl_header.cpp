// The optimizer's interface as C++ sees it: option types are those of a scoped enumeration.
#include "acl/super_kernel.h"

static_assert(static_cast<uint32_t>(aclskOptionType::PRELOAD_CODE) == 0, "");
static_assert(static_cast<uint32_t>(aclskOptionType::DCCI_BEFORE_KERNEL_START) == 8, "");
static_assert(static_cast<uint32_t>(aclskOptionType::AGGRESSIVE_OPT_STRATEGIES) == 14, "");
static_assert(static_cast<uint32_t>(aclskOptionType::DEBUG_PER_OP_MAX_CORE_NUM) == 17, "");
static_assert(sizeof(aclskOptionType) == 4, "");

// Both languages lay the option out alike; the test in C compares.
extern "C" size_t cpp_option_bytes(void);
size_t cpp_option_bytes(void) {
  aclskOption option{};
  option.optionType = aclskOptionType::SPLIT_MODE;
  option.splitMode.splitCnt = 2;
  aclskOptions options{&option, 1};
  return sizeof *options.options;
}
