/* platform_ascendc.h - what tiling code of operators asks about the chip: that of the simulated device. */
#ifndef SK_TILING_PLATFORM_ASCENDC_H
#define SK_TILING_PLATFORM_ASCENDC_H

#include <cstdint>

#include "acl/acl.h"

namespace fe {
class PlatFormInfos; /* only pointers to it are passed */
}

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, FB = 7, BT = 8, RESERVED };
enum class SocVersion { ASCEND910 = 0, ASCEND910B = 1, ASCEND310P = 2, ASCEND310B = 3, ASCEND910_93 = 5, RESERVED_VERSION = 99999 };

class PlatformAscendC {
public:
  PlatformAscendC() = default;
  explicit PlatformAscendC(fe::PlatFormInfos *) {}

  uint32_t GetCoreNum() const { return GetCoreNumAiv(); }
  uint32_t GetCoreNumAic() const { return static_cast<uint32_t>(Ask(ACL_DEV_ATTR_CUBE_CORE_NUM)); }
  uint32_t GetCoreNumAiv() const { return static_cast<uint32_t>(Ask(ACL_DEV_ATTR_VECTOR_CORE_NUM)); }
  uint32_t GetCoreNumVector() const { return 0; } /* vector cores without a cube core: none on this architecture */
  uint32_t GetLibApiWorkSpaceSize() const { return 16 * 1024 * 1024; }
  SocVersion GetSocVersion() const {
    const char *name = aclrtGetSocName();
    return name != nullptr && __builtin_strstr(name, "910_93") != nullptr ? SocVersion::ASCEND910_93 : SocVersion::ASCEND910B;
  }
  void GetCoreMemSize(const CoreMemType &type, uint64_t &size) const {
    switch (type) {
      case CoreMemType::L0_A:
      case CoreMemType::L0_B: size = 64 * 1024; break;
      case CoreMemType::L0_C: size = 128 * 1024; break;
      case CoreMemType::L1: size = 512 * 1024; break;
      case CoreMemType::L2: size = static_cast<uint64_t>(Ask(ACL_DEV_ATTR_L2_CACHE_SIZE)); break;
      case CoreMemType::UB: size = static_cast<uint64_t>(Ask(ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE)); break;
      case CoreMemType::HBM: size = static_cast<uint64_t>(Ask(ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE)); break;
      case CoreMemType::BT: size = 1024; break;
      default: size = 0;
    }
  }
  /* Blocks of a mix launch for as many slices as there are. */
  uint32_t CalcTschBlockDim(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const {
    if (aicCoreNum == 0 || aivCoreNum == 0 || aicCoreNum > aivCoreNum) return sliceNum;
    uint32_t ratio = aivCoreNum / aicCoreNum;
    return (sliceNum + ratio - 1) / ratio;
  }

private:
  static int64_t Ask(aclrtDevAttr attribute) {
    int64_t value = 0;
    return aclrtGetDeviceInfo(0, attribute, &value) == ACL_SUCCESS ? value : 0;
  }
};

class PlatformAscendCManager {
public:
  /* The name of a chip is the simulator's option (skv --soc), not the program's. */
  static PlatformAscendC *GetInstance(const char *socVersion = nullptr) {
    (void)socVersion;
    static PlatformAscendC platform;
    return &platform;
  }
};

} // namespace platform_ascendc

#endif
