/* streams.cpp - the device for PyTorch: initialisation, streams, events, guard, hooks, random numbers. */
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <mutex>

#include "device.h"
#include "superkernel/device.h"

namespace sk_torch {
namespace {

constexpr int streams_per_priority = 32;
constexpr int priorities = 2;

std::once_flag initialised;
std::atomic<bool> ready{false};

/* Streams are made when first handed out and live for ever. Index 0 is the default stream. */
struct stream_table {
  std::mutex mutex;
  aclrtStream handles[1 + streams_per_priority * priorities] = {};
  uint32_t next[priorities] = {};
  core_limit limits[1 + streams_per_priority * priorities], device_limit;
};
stream_table &streams() {
  static stream_table *table = new stream_table;
  return *table;
}

thread_local c10::StreamId current_id = 0;

const c10::Device the_device(device_type, 0);

void check_index(c10::DeviceIndex index) {
  TORCH_CHECK(index <= 0, "npu:", int(index), " does not exist; the simulated machine has one device, npu:0");
}

}  // namespace

void raise_acl(aclError code, const char *call) {
  const char *text = aclGetRecentErrMsg();
  TORCH_CHECK(false, call, " failed: ", text != nullptr ? text : "no text", " (error code ", code, ")");
}

void ensure_device() {
  std::call_once(initialised, [] {
    aclError error = aclInit(nullptr);
    if (error != ACL_ERROR_REPEAT_INITIALIZE) check_acl(error, "aclInit");
    check_acl(aclrtSetDevice(0), "aclrtSetDevice");
    ready = true;
  });
}

bool device_ready() { return ready; }

c10::Stream current_stream() { return c10::Stream(c10::Stream::UNSAFE, the_device, current_id); }

c10::Stream exchange_stream(c10::Stream stream) {
  TORCH_CHECK(stream.device_type() == device_type, "a stream of device type ", stream.device_type(), "; legal: npu");
  (void)stream_handle(stream.id());
  c10::Stream before = current_stream();
  current_id = stream.id();
  return before;
}

c10::Stream stream_from_pool(int priority) {
  ensure_device();
  int kind = priority < 0 ? 1 : 0;
  stream_table &table = streams();
  std::lock_guard<std::mutex> hold(table.mutex);
  uint32_t at = 1 + uint32_t(kind * streams_per_priority) + table.next[kind]++ % streams_per_priority;
  if (table.handles[at] == nullptr) check_acl(aclrtCreateStreamWithConfig(&table.handles[at], uint32_t(kind), 0), "aclrtCreateStream");
  return c10::Stream(c10::Stream::UNSAFE, the_device, c10::StreamId(at));
}

aclrtStream stream_handle(c10::StreamId id) {
  if (id == 0) return nullptr;
  constexpr c10::StreamId count = 1 + streams_per_priority * priorities;
  TORCH_CHECK(id > 0 && id < count && streams().handles[id] != nullptr, "stream ", id, " was not made by this process");
  return streams().handles[id];
}

void set_core_limit(c10::StreamId stream, core_limit limit) {
  if (stream >= 0) (void)stream_handle(stream);
  std::lock_guard<std::mutex> hold(streams().mutex);
  (stream < 0 ? streams().device_limit : streams().limits[stream]) = limit;
}

core_limit current_limit() {
  std::lock_guard<std::mutex> hold(streams().mutex);
  core_limit own = streams().limits[current_id], all = streams().device_limit;
  return {own.aic != 0 ? own.aic : all.aic, own.aiv != 0 ? own.aiv : all.aiv};
}

bool capturing() {
  if (!ready || current_id == 0) return false;
  aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  aclmdlRI model = nullptr;
  check_acl(aclmdlRICaptureGetInfo(current_handle(), &status, &model), "aclmdlRICaptureGetInfo");
  return status != ACL_MODEL_RI_CAPTURE_STATUS_NONE;
}

void synchronize() {
  if (!ready) return;
  aclError error = aclrtSynchronizeDevice();
  free_unused();
  rethrow_host_errors();
  check_acl(error, "aclrtSynchronizeDevice");
}

namespace {

/* ---- guard ---- */

struct guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return device_type; }
  c10::Device exchangeDevice(c10::Device device) const override {
    check_index(device.index());
    return the_device;
  }
  c10::Device getDevice() const override { return the_device; }
  void setDevice(c10::Device device) const override { check_index(device.index()); }
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device) const override { return current_stream(); }
  c10::Stream getDefaultStream(c10::Device) const override { return c10::Stream(c10::Stream::DEFAULT, the_device); }
  c10::Stream getStreamFromGlobalPool(c10::Device, bool high) const override { return stream_from_pool(high ? -1 : 0); }
  c10::Stream getNewStream(c10::Device, int priority) const override { return stream_from_pool(priority); }
  c10::Stream exchangeStream(c10::Stream stream) const override { return exchange_stream(stream); }
  void *getStreamNativeHandle(const c10::Stream stream) const override { return stream_handle(stream.id()); }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  c10::DeviceCapability getDeviceCapability(c10::Device) const override { return {}; }

  bool queryStream(const c10::Stream &) const override {
    synchronize(); /* a program that polls waits */
    return true;
  }
  void synchronizeStream(const c10::Stream &stream) const override {
    (void)stream_handle(stream.id());
    TORCH_CHECK(!isStreamCapturing(stream), "waiting for a stream that is being captured");
    synchronize();
  }
  void synchronizeDevice(const c10::DeviceIndex) const override { synchronize(); }
  bool isStreamCapturing(const c10::Stream &stream) const override {
    if (!ready || stream.id() == 0) return false;
    aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    aclmdlRI model = nullptr;
    check_acl(aclmdlRICaptureGetInfo(stream_handle(stream.id()), &status, &model), "aclmdlRICaptureGetInfo");
    return status != ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  }

  void record(void **event, const c10::Stream &stream, const c10::DeviceIndex, const c10::EventFlag flag) const override {
    ensure_device();
    uint32_t flags = flag == c10::EventFlag::BACKEND_DEFAULT ? ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE : ACL_EVENT_SYNC;
    if (*event == nullptr) check_acl(aclrtCreateEventExWithFlag(event, flags), "aclrtCreateEvent");
    check_acl(aclrtRecordEvent(*event, stream_handle(stream.id())), "aclrtRecordEvent");
  }
  void block(void *event, const c10::Stream &stream) const override {
    if (event != nullptr) check_acl(aclrtStreamWaitEvent(stream_handle(stream.id()), event), "aclrtStreamWaitEvent");
  }
  bool queryEvent(void *event) const override {
    if (event == nullptr) return true;
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    check_acl(aclrtQueryEventStatus(event, &status), "aclrtQueryEventStatus");
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
  }
  void synchronizeEvent(void *event) const override {
    if (event == nullptr) return;
    check_acl(aclrtSynchronizeEvent(event), "aclrtSynchronizeEvent");
    synchronize();
  }
  double elapsedTime(void *start, void *end, const c10::DeviceIndex) const override {
    TORCH_CHECK(start != nullptr && end != nullptr, "Both events must be recorded before calculating elapsed time.");
    synchronize();
    float ms = 0.0f;
    check_acl(aclrtEventElapsedTime(&ms, start, end), "aclrtEventElapsedTime");
    return double(ms);
  }
  void destroyEvent(void *event, const c10::DeviceIndex) const noexcept override {
    /* An event that a task still names lives on with it; failures are told by the next synchronisation. */
    if (event != nullptr) (void)aclrtDestroyEvent(event);
  }
};

/* ---- random numbers: a CPU generator with a state of its own ---- */

struct generator final : c10::GeneratorImpl {
  at::Generator inner;

  explicit generator(at::Generator cpu)
      : c10::GeneratorImpl(the_device, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)), inner(std::move(cpu)) {}
  static c10::DeviceType device_type() { return sk_torch::device_type; }
  void set_current_seed(uint64_t seed) override { inner.set_current_seed(seed); }
  void set_offset(uint64_t offset) override { inner.set_offset(offset); }
  uint64_t get_offset() const override { return inner.get_offset(); }
  uint64_t current_seed() const override { return inner.current_seed(); }
  uint64_t seed() override { return inner.seed(); }
  void set_state(const c10::TensorImpl &state) override { inner.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return inner.unsafeGetGeneratorImpl()->get_state(); }
  generator *clone_impl() const override { return new generator(inner.clone()); }
};

thread_local bool share_default = false;

at::Generator new_generator() { return at::make_generator<generator>(at::detail::createCPUGenerator()); }

/* ---- pinned host memory ---- */

void free_pinned(void *address) { (void)aclrtFreeHost(address); }

struct pinned_allocator final : c10::Allocator {
  c10::DataPtr allocate(size_t bytes) override {
    if (bytes == 0) return {nullptr, nullptr, &free_nothing, c10::Device(c10::DeviceType::CPU)};
    ensure_device();
    void *address = nullptr;
    check_acl(aclrtMallocHost(&address, bytes), "aclrtMallocHost");
    std::lock_guard<std::mutex> hold(mutex);
    ranges.emplace_back(address, bytes);
    return {address, address, &forget, c10::Device(c10::DeviceType::CPU)};
  }
  void copy_data(void *to, const void *from, size_t bytes) const override { default_copy_data(to, from, bytes); }
  static void free_nothing(void *) {}
  static void forget(void *address);
  bool holds(const void *address) {
    std::lock_guard<std::mutex> hold(mutex);
    for (const auto &range : ranges)
      if (address >= range.first && address < static_cast<char *>(range.first) + range.second) return true;
    return false;
  }
  std::mutex mutex;
  std::vector<std::pair<void *, size_t>> ranges;
};

pinned_allocator &pinned() {
  static pinned_allocator *made = new pinned_allocator;
  return *made;
}

void pinned_allocator::forget(void *address) {
  pinned_allocator &all = pinned();
  {
    std::lock_guard<std::mutex> hold(all.mutex);
    for (auto &range : all.ranges)
      if (range.first == address) {
        range = all.ranges.back();
        all.ranges.pop_back();
        break;
      }
  }
  free_pinned(address);
}

/* ---- hooks ---- */

struct hooks final : at::PrivateUse1HooksInterface {
  void init() const override { ensure_device(); }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return device_ready(); }
  c10::DeviceIndex deviceCount() const override { return 1; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
  void setCurrentDevice(c10::DeviceIndex index) const override { check_index(index); }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
    check_index(index);
    return 0;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override { return exchangeDevice(index); }
  const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override {
    check_index(index);
    static at::Generator made = new_generator();
    return made;
  }
  at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    check_index(index);
    return std::exchange(share_default, false) ? getDefaultGenerator(0) : new_generator();
  }
  at::Device getDeviceFromPtr(void *) const override { return the_device; }
  bool isPinnedPtr(const void *data) const override { return pinned().holds(data); }
  at::Allocator *getPinnedMemoryAllocator() const override { return &pinned(); }
  void resizePrivateUse1Bytes(const c10::Storage &storage, size_t bytes) const override {
    c10::StorageImpl *impl = storage.unsafeGetStorageImpl();
    TORCH_CHECK(impl->resizable(), "Trying to resize storage that is not resizable");
    TORCH_CHECK(bytes == 0 || !is_private_format(format_of(impl->data())), "resize_: a storage in FRACTAL_NZ keeps its size ", impl->nbytes(),
                "; given ", bytes, "; cast the tensor with npu_format_cast(tensor, 2) first");
    at::DataPtr fresh = impl->allocator()->allocate(bytes);
    size_t kept = std::min(bytes, impl->nbytes());
    if (kept > 0) impl->allocator()->copy_data(fresh.get(), impl->data(), kept);
    (void)impl->set_data_ptr(std::move(fresh));
    impl->set_nbytes(bytes);
  }
};

}  // namespace

at::Generator cpu_generator_of(const at::Generator &of) {
  if (of.device().type() != device_type) return of;
  return static_cast<generator *>(of.unsafeGetGeneratorImpl())->inner;
}

void share_default_generator() { share_default = true; }

void register_device() {
  c10::register_privateuse1_backend("npu");
  register_allocator();
  static guard the_guard;
  static c10::impl::DeviceGuardImplRegistrar registered(device_type, &the_guard);
  at::RegisterPrivateUse1HooksInterface(new hooks);
}

}  // namespace sk_torch
