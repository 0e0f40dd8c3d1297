/* allocator.cpp - device memory for tensors.
 *
 * Work is lazy, so memory that Python lets go may still be named by pending tasks: it is given back after the
 * next synchronisation. Memory made during a capture belongs to the capture's pool and stands as long as it. */
#include <ATen/core/Tensor.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "device.h"
#include "superkernel/device.h"

namespace sk_torch {
namespace {

constexpr size_t most_waiting_bytes = size_t(256) << 20;
constexpr size_t most_waiting_blocks = 4096;

struct block {
  size_t bytes;
  uint64_t pool;
  storage_layout layout;
  bool live;
};

struct state {
  std::mutex mutex; /* a leaf: no call of the runtime is made under it */
  std::unordered_map<void *, block> blocks;
  std::unordered_map<uint64_t, uint32_t> pools; /* references */
  std::vector<void *> waiting;
  size_t waiting_bytes = 0;
  uint64_t next_pool = 1;
  memory_stats stats;
  std::atomic<bool> private_formats = false; /* stays once set */
};

state &the_state() {
  static state *made = new state; /* tensors may outlive every destructor */
  return *made;
}

thread_local uint64_t current_pool = 0;

void let_go(state &s, void *address, const block &b) {
  s.waiting.push_back(address);
  s.waiting_bytes += b.bytes;
}

void delete_block(void *address) {
  state &s = the_state();
  std::lock_guard<std::mutex> hold(s.mutex);
  auto at = s.blocks.find(address);
  if (at == s.blocks.end()) return;
  at->second.live = false;
  s.stats.allocated -= int64_t(at->second.bytes);
  s.stats.count--;
  if (at->second.pool == 0) let_go(s, address, at->second);
}

bool much_waits() {
  state &s = the_state();
  std::lock_guard<std::mutex> hold(s.mutex);
  return s.waiting_bytes > most_waiting_bytes || s.waiting.size() > most_waiting_blocks;
}

void *get_memory(size_t bytes) {
  if (!capturing() && much_waits()) synchronize();
  void *address = nullptr;
  aclError error = aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  if (error == ACL_ERROR_RT_MEMORY_ALLOCATION && !capturing()) {
    synchronize();
    error = aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  }
  if (error == ACL_SUCCESS) return address;
  if (error != ACL_ERROR_RT_MEMORY_ALLOCATION) raise_acl(error, "aclrtMalloc");
  size_t available = 0, total = 0;
  check_acl(aclrtGetMemInfo(0, &available, &total), "aclrtGetMemInfo");
  state &s = the_state();
  memory_stats stats;
  {
    std::lock_guard<std::mutex> hold(s.mutex);
    s.stats.ooms++;
    stats = s.stats;
  }
  TORCH_CHECK_WITH(OutOfMemoryError, false, "NPU out of memory. Tried to allocate ", bytes, " bytes. NPU 0 has a total capacity of ",
                   total, " bytes of which ", available, " bytes are free; ", stats.allocated, " bytes are allocated by tensors");
}

struct device_allocator final : c10::DeviceAllocator {
  c10::DataPtr allocate(size_t bytes) override {
    ensure_device();
    const c10::Device device(device_type, 0);
    if (bytes == 0) return {nullptr, nullptr, &delete_block, device};
    void *address = get_memory(bytes);
    state &s = the_state();
    std::lock_guard<std::mutex> hold(s.mutex);
    s.blocks[address] = {bytes, current_pool, {}, true};
    s.stats.allocated += int64_t(bytes);
    s.stats.reserved += int64_t(bytes);
    s.stats.count++;
    s.stats.peak = std::max(s.stats.peak, s.stats.allocated);
    s.stats.reserved_peak = std::max(s.stats.reserved_peak, s.stats.reserved);
    return {address, address, &delete_block, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &delete_block; }
  void copy_data(void *to, const void *from, size_t bytes) const override {
    check_acl(aclrtMemcpyAsync(to, bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, current_handle()), "aclrtMemcpyAsync");
  }
  bool initialized() override { return device_ready(); }
  void emptyCache(c10::MempoolId_t) override {
    if (device_ready() && !capturing()) synchronize();
  }
  void recordStream(const c10::DataPtr &, c10::Stream) override {} /* memory waits for all streams */
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override {
    memory_stats stats = get_memory_stats();
    c10::CachingDeviceAllocator::DeviceStats out;
    auto &all = out.allocated_bytes[0];
    all.current = stats.allocated;
    all.peak = stats.peak;
    auto &reserved = out.reserved_bytes[0];
    reserved.current = stats.reserved;
    reserved.peak = stats.reserved_peak;
    out.allocation[0].current = stats.count;
    out.num_ooms = stats.ooms;
    return out;
  }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override { reset_peak_memory(); }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex) override {
    ensure_device();
    size_t available = 0, total = 0;
    check_acl(aclrtGetMemInfo(0, &available, &total), "aclrtGetMemInfo");
    return {available, total};
  }
};

}  // namespace

void register_allocator() {
  static device_allocator allocator;
  c10::SetAllocator(device_type, &allocator);
}

memory_stats get_memory_stats() {
  state &s = the_state();
  std::lock_guard<std::mutex> hold(s.mutex);
  return s.stats;
}

void reset_peak_memory() {
  state &s = the_state();
  std::lock_guard<std::mutex> hold(s.mutex);
  s.stats.peak = s.stats.allocated;
  s.stats.reserved_peak = s.stats.reserved;
}

void free_unused() {
  state &s = the_state();
  std::vector<void *> gone;
  {
    std::lock_guard<std::mutex> hold(s.mutex);
    gone.swap(s.waiting);
    s.waiting_bytes = 0;
    for (void *address : gone) {
      s.stats.reserved -= int64_t(s.blocks[address].bytes);
      s.blocks.erase(address);
    }
  }
  for (void *address : gone) check_acl(aclrtFree(address), "aclrtFree");
}

uint64_t new_pool() {
  state &s = the_state();
  std::lock_guard<std::mutex> hold(s.mutex);
  s.pools[s.next_pool] = 0;
  return s.next_pool++;
}

void retain_pool(uint64_t pool) {
  state &s = the_state();
  std::lock_guard<std::mutex> hold(s.mutex);
  s.pools[pool]++;
}

void release_pool(uint64_t pool) {
  state &s = the_state();
  std::lock_guard<std::mutex> hold(s.mutex);
  if (--s.pools[pool] > 0) return;
  for (auto &entry : s.blocks) {
    block &b = entry.second;
    if (b.pool != pool) continue;
    b.pool = 0;
    if (!b.live) let_go(s, entry.first, b);
  }
}

uint64_t exchange_pool(uint64_t pool) { return std::exchange(current_pool, pool); }

storage_layout layout_of(const void *storage) {
  state &s = the_state();
  std::lock_guard<std::mutex> hold(s.mutex);
  auto at = s.blocks.find(const_cast<void *>(storage));
  return at == s.blocks.end() ? storage_layout{} : at->second.layout;
}

int64_t format_of(const void *storage) {
  state &s = the_state();
  std::lock_guard<std::mutex> hold(s.mutex);
  auto at = s.blocks.find(const_cast<void *>(storage));
  return at == s.blocks.end() ? storage_layout{}.format : at->second.layout.format;
}

void set_layout(const void *storage, storage_layout layout) {
  state &s = the_state();
  if (is_private_format(layout.format)) s.private_formats = true;
  std::lock_guard<std::mutex> hold(s.mutex);
  auto at = s.blocks.find(const_cast<void *>(storage));
  if (at != s.blocks.end()) at->second.layout = std::move(layout);
}

bool private_formats_exist() { return the_state().private_formats; }

}  // namespace sk_torch
