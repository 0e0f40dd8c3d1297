/* host.hpp - what the C++ examples' host code shares: device arrays and a process-wide device. */
#ifndef EXAMPLES_HOST_HPP
#define EXAMPLES_HOST_HPP

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "acl/acl.h"

struct Device {
  Device() {
    aclInit(nullptr);
    Must(aclrtSetDevice(0));
  }
  ~Device() {
    aclrtResetDevice(0);
    aclFinalize();
  }
  static void Must(aclError code) {
    if (code == ACL_SUCCESS) return;
    std::fprintf(stderr, "%s\n", aclGetRecentErrMsg());
    std::exit(1);
  }
};

/* Device memory that is freed at the end of its scope. */
template <typename T>
class DeviceArray {
public:
  explicit DeviceArray(size_t count) : bytes_(count * sizeof(T)) { Device::Must(aclrtMalloc(&memory_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST)); }
  explicit DeviceArray(const std::vector<T> &from) : DeviceArray(from.size()) {
    Device::Must(aclrtMemcpy(memory_, bytes_, from.data(), bytes_, ACL_MEMCPY_HOST_TO_DEVICE));
  }
  ~DeviceArray() { aclrtFree(memory_); }
  DeviceArray(const DeviceArray &) = delete;
  uint8_t *get() const { return static_cast<uint8_t *>(memory_); }
  std::vector<T> Read() const {
    std::vector<T> to(bytes_ / sizeof(T));
    Device::Must(aclrtMemcpy(to.data(), bytes_, memory_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST));
    return to;
  }

private:
  void *memory_ = nullptr;
  size_t bytes_;
};

/* Numbers that look random and are the same everywhere, in [-1, 1). */
inline float Number(uint32_t i) {
  uint32_t x = i * 2654435761u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return static_cast<float>(static_cast<int32_t>(x)) * 0x1p-31f;
}

/* Leaves an array in a file NAME.TYPE of the folder that EXAMPLE_RECORD names, for whoever wants to compute the
 * same elsewhere; nothing without it. */
template <typename T>
void Record(const char *name, const std::vector<T> &values) {
  const char *folder = std::getenv("EXAMPLE_RECORD");
  if (folder == nullptr) return;
  const char *kind = std::is_integral<T>::value ? (std::is_signed<T>::value ? "i" : "u") : "f";
  std::string path = std::string(folder) + "/" + name + "." + kind + std::to_string(sizeof(T));
  std::FILE *file = std::fopen(path.c_str(), "wb");
  bool good = file != nullptr && std::fwrite(values.data(), sizeof(T), values.size(), file) == values.size();
  if (file == nullptr || std::fclose(file) != 0 || !good) std::fprintf(stderr, "cannot write %s\n", path.c_str());
}

inline int Report(const char *name, size_t count, size_t wrong) {
  std::printf("%s: %zu results, %zu wrong\n", name, count, wrong);
  return wrong != 0;
}

#endif
