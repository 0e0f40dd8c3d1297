/* pipe.h - TPipe, TQue, TQueBind, TBuf, TBufPool, LocalMemAllocator: who owns which piece of local memory,
 * and the events that pass it on. States and flags are kept by the library. */
#ifndef SK_KERNEL_OPERATOR_PIPE_H
#define SK_KERNEL_OPERATOR_PIPE_H

#include "tensor.h"

namespace AscendC {

struct TQueConfig {
  bool nd2nz = false, nz2nd = false, scmBlockGroup = false;
  uint32_t bufferLen = 0, bufferNumber = 0, consumerSize = 0;
  TPosition consumer[8] = {};
  bool enableStaticEvtId = false, enableLoopQueue = false;
};

/* Names a buffer of a kernel's own pool. */
using TBufHandle = uint8_t *;

namespace Internal {
enum : uint32_t { MEM_GM, MEM_UB, MEM_L1, MEM_L0A, MEM_L0B, MEM_L0C, MEM_BT, MEM_FB };

/* The position whose memory holds the buffers of a queue. */
constexpr TPosition buffer_position(TPosition src, TPosition dst) {
  return memory_of(dst) == MEM_GM ? src : dst;
}
/* What EnQue sets; FreeTensor sets the opposite. By the memories data leaves and enters. */
constexpr HardEvent arrival_event(TPosition src, TPosition dst) {
  uint32_t from = memory_of(src), to = memory_of(dst);
  if (src == TPosition::VECCALC && dst == TPosition::VECCALC) return HardEvent::V_V;
  if (from == MEM_UB && to == MEM_UB) return HardEvent::MTE2_MTE3;
  if (from == MEM_GM && to == MEM_UB) return HardEvent::MTE2_V;
  if (from == MEM_GM && to == MEM_L1) return HardEvent::MTE2_MTE1;
  if (from == MEM_GM && (to == MEM_L0A || to == MEM_L0B)) return HardEvent::MTE2_M;
  if (from == MEM_UB && to == MEM_GM) return HardEvent::V_MTE3;
  if (from == MEM_UB && to == MEM_L1) return HardEvent::MTE3_MTE1;
  if (from == MEM_L1 && (to == MEM_L0A || to == MEM_L0B || to == MEM_BT)) return HardEvent::MTE1_M;
  if (from == MEM_L1 && to == MEM_FB) return HardEvent::MTE1_FIX;
  if (from == MEM_L0C) return HardEvent::M_FIX;
  return HardEvent::MAX;
}
constexpr HardEvent release_event(HardEvent arrival) {
  switch (arrival) {
    case HardEvent::V_V: return HardEvent::V_V;
    case HardEvent::MTE2_MTE3: return HardEvent::MTE3_MTE2;
    case HardEvent::MTE2_V: return HardEvent::V_MTE2;
    case HardEvent::MTE2_MTE1: return HardEvent::MTE1_MTE2;
    case HardEvent::MTE2_M: return HardEvent::M_MTE2;
    case HardEvent::V_MTE3: return HardEvent::MTE3_V;
    case HardEvent::MTE3_MTE1: return HardEvent::MTE1_MTE3;
    case HardEvent::MTE1_M: return HardEvent::M_MTE1;
    case HardEvent::MTE1_FIX: return HardEvent::FIX_MTE1;
    default: return HardEvent::FIX_M;
  }
}
} // namespace Internal

/* ---- queues -------------------------------------------------------------------------------- */

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
  static constexpr HardEvent arrival = Internal::arrival_event(src, dst);
  static_assert(arrival != HardEvent::MAX, "TQueBind: there is no queue between these positions on this architecture");
  static constexpr TPosition position = Internal::buffer_position(src, dst);

public:
  static constexpr TPosition srcPosition = src, dstPosition = dst;

  SK_INLINE TQueBind() {
    queue_.depth = static_cast<uint8_t>(depth);
    queue_.memory = static_cast<uint8_t>(Internal::memory_of(position));
    queue_.enque_kind = static_cast<uint8_t>(arrival);
    queue_.free_kind = static_cast<uint8_t>(Internal::release_event(arrival));
    queue_.shared_l1 = dst == TPosition::TSCM;
  }

  template <typename T>
  SK_INLINE LocalTensor<T> AllocTensor() {
    return LocalTensor<T>(sk_queue_alloc(&queue_), position);
  }
  template <typename T>
  SK_INLINE void AllocTensor(LocalTensor<T> &tensor) {
    tensor = LocalTensor<T>(sk_queue_alloc(&queue_), position);
  }
  template <typename T>
  SK_INLINE void FreeTensor(LocalTensor<T> &tensor) {
    sk_queue_free(&queue_, tensor.sk_location());
  }
  template <typename T>
  SK_INLINE void FreeTensor(const LocalTensor<T> &tensor) {
    sk_queue_free(&queue_, tensor.sk_location());
  }
  template <typename T>
  SK_INLINE bool EnQue(const LocalTensor<T> &tensor) {
    return sk_queue_enque(&queue_, tensor.sk_location());
  }
  template <TPosition from, TPosition to, typename T>
  SK_INLINE bool EnQue(const LocalTensor<T> &tensor) {
    user_positions<from, to>();
    return sk_queue_enque(&queue_, tensor.sk_location());
  }
  template <typename T>
  SK_INLINE LocalTensor<T> DeQue() {
    return LocalTensor<T>(sk_queue_deque(&queue_), position);
  }
  template <typename T>
  SK_INLINE void DeQue(LocalTensor<T> &tensor) {
    tensor = LocalTensor<T>(sk_queue_deque(&queue_), position);
  }
  /* For a kernel that goes on with the tensor it put in. */
  SK_INLINE void DeQue() { sk_queue_deque(&queue_); }
  template <TPosition from, TPosition to, typename T>
  SK_INLINE LocalTensor<T> DeQue() {
    user_positions<from, to>();
    return LocalTensor<T>(sk_queue_deque(&queue_), to == TPosition::GM ? from : to);
  }
  SK_INLINE bool VacantInQue() { return sk_queue_vacant(&queue_); }
  SK_INLINE bool HasTensorInQue() { return queue_.waiting != 0; }
  SK_INLINE int32_t GetTensorCountInQue() { return queue_.waiting; }
  SK_INLINE bool HasIdleBuffer() { return sk_queue_idle(&queue_); }
  SK_INLINE void FreeAllEvent() { sk_queue_free_events(&queue_); }
  /* For a kernel's own pool: how many buffers, then the place of each, in bytes from the start of the memory. */
  SK_INLINE void InitStartBufHandle(TBufHandle start, uint8_t count, uint32_t) {
    sk_pool_place_queue(reinterpret_cast<const sk_pool_slot *>(start), &queue_, count);
  }
  template <class Pool>
  SK_INLINE void InitBufHandle(Pool *pool, uint32_t index, TBufHandle, uint32_t address, uint32_t bytes) {
    sk_pool_place_buffer(pool->sk_record(), &queue_, index, address, bytes);
  }

  SK_INLINE sk_queue *sk_record() { return &queue_; }

private:
  /* A queue used under other positions keeps the event of those positions. */
  template <TPosition from, TPosition to>
  SK_INLINE void user_positions() {
    constexpr HardEvent kind = Internal::arrival_event(from, to);
    static_assert(kind != HardEvent::MAX && Internal::memory_of(from) <= Internal::MEM_UB && Internal::memory_of(to) <= Internal::MEM_UB,
                  "EnQue/DeQue: user positions are GM, VECIN, VECOUT and VECCALC");
    queue_.enque_kind = static_cast<uint8_t>(kind);
  }
  sk_queue queue_ = {};
};

namespace Internal {
constexpr TPosition queue_source(TPosition position) {
  switch (position) {
    case TPosition::A2: return TPosition::A1;
    case TPosition::B2: return TPosition::B1;
    case TPosition::C2: return TPosition::C1;
    case TPosition::C2PIPE2GM: return TPosition::C1;
    case TPosition::VECOUT: return TPosition::VECOUT;
    case TPosition::VECCALC: return TPosition::VECCALC;
    case TPosition::CO1: return TPosition::CO1;
    default: return TPosition::GM;
  }
}
constexpr TPosition queue_target(TPosition position) {
  switch (position) {
    case TPosition::VECOUT: return TPosition::GM;
    case TPosition::CO1: return TPosition::CO2;
    default: return position;
  }
}
} // namespace Internal

template <TPosition position, int32_t depth = 1, auto mask = 0>
class TQue : public TQueBind<Internal::queue_source(position), Internal::queue_target(position), depth, mask> {};

template <TPosition src, int32_t depth = 1, auto mask = 0>
class TSCM : public TQueBind<src, TPosition::TSCM, depth, mask> {};

template <TPosition position = TPosition::VECCALC>
class TBuf {
  static_assert(Internal::memory_of(position) != 0, "TBuf: the position lies in device memory");

public:
  template <typename T>
  SK_INLINE LocalTensor<T> Get() {
    return LocalTensor<T>(memory_, position);
  }
  template <typename T>
  SK_INLINE LocalTensor<T> Get(uint32_t elems) {
    return LocalTensor<T>(sk_memory{memory_.address, Internal::bytes_of_elems<T>(elems)}, position);
  }
  template <typename T>
  SK_INLINE LocalTensor<T> GetWithOffset(uint32_t elems, uint32_t offset_bytes) {
    return LocalTensor<T>(sk_memory{memory_.address + offset_bytes, Internal::bytes_of_elems<T>(elems)}, position);
  }
  /* The whole buffer; nothing has to be given back. */
  template <typename T>
  SK_INLINE LocalTensor<T> AllocTensor() {
    return Get<T>();
  }
  template <typename T>
  SK_INLINE void FreeTensor(const LocalTensor<T> &) {}
  SK_INLINE uint32_t GetBufLen() const { return static_cast<uint32_t>(memory_.bytes); }
  SK_INLINE void InitStartBufHandle(TBufHandle, uint8_t, uint32_t) { memory_ = {0, 0}; }
  template <class Pool>
  SK_INLINE void InitBufHandle(Pool *pool, uint32_t, TBufHandle, uint32_t address, uint32_t bytes) {
    memory_ = sk_pool_place(pool->sk_record(), address, bytes);
  }
  SK_INLINE void sk_set(sk_memory memory) { memory_ = memory; }

private:
  sk_memory memory_ = {0, 0};
};

/* ---- pools and the pipe --------------------------------------------------------------------- */

namespace Internal {
constexpr bool is_pool_memory(TPosition position) { return memory_of(position) == MEM_UB || memory_of(position) == MEM_L1; }
template <class Pool, class Shared>
constexpr void pools_share() {
  static_assert(Pool::isTbufPool && Shared::isTbufPool, "InitBufPool: both are a TBufPool, or a class with EXTERN_IMPL_BUFPOOL");
  static_assert(memory_of(Pool::poolPos) == memory_of(Shared::poolPos), "InitBufPool: the two pools are in different memories");
}
} // namespace Internal

template <TPosition position, uint32_t bufIDSize = 4>
class TBufPool {
  static_assert(Internal::is_pool_memory(position), "TBufPool: positions are VECIN, VECOUT, VECCALC, A1, B1 and C1");
  static_assert(bufIDSize >= 1 && bufIDSize <= 16, "TBufPool: a pool has 1 to 16 buffers");

public:
  static constexpr TPosition poolPos = position;
  static constexpr bool isTbufPool = true;

  SK_INLINE TBufPool() {}
  SK_INLINE ~TBufPool() { Reset(); }
  template <class Queue>
  SK_INLINE bool InitBuffer(Queue &queue, uint8_t count, uint32_t bytes) {
    return sk_pipe_init_queue(pool_.pipe, &pool_, queue.sk_record(), count, bytes);
  }
  template <TPosition where>
  SK_INLINE bool InitBuffer(TBuf<where> &buffer, uint32_t bytes) {
    buffer.sk_set(sk_pipe_init_buffer(pool_.pipe, &pool_, Internal::memory_of(where), bytes));
    return true;
  }
  template <class Pool>
  SK_INLINE bool InitBufPool(Pool &pool, uint32_t bytes) {
    static_assert(Pool::isTbufPool, "InitBufPool: the first argument is a TBufPool, or a class with EXTERN_IMPL_BUFPOOL");
    return sk_pipe_init_pool(pool_.pipe, &pool_, pool.sk_record(), nullptr, Internal::memory_of(Pool::poolPos), bytes);
  }
  template <class Pool, class Shared>
  SK_INLINE bool InitBufPool(Pool &pool, uint32_t bytes, Shared &shared) {
    Internal::pools_share<Pool, Shared>();
    return sk_pipe_init_pool(pool_.pipe, &pool_, pool.sk_record(), shared.sk_record(), Internal::memory_of(Pool::poolPos), bytes);
  }
  SK_INLINE void Reset() { sk_pool_reset(&pool_); }
  SK_INLINE sk_pool *sk_record() { return &pool_; }

private:
  sk_pool pool_ = {nullptr, 0, 0, 0, 0, 0, bufIDSize};
};

namespace Internal {
/* What EXTERN_IMPL_BUFPOOL gives a kernel's class. */
template <TPosition position, uint32_t bufIDSize>
class placed_pool {
  static_assert(is_pool_memory(position), "EXTERN_IMPL_BUFPOOL: positions are VECIN, VECOUT, VECCALC, A1, B1 and C1");
  static_assert(bufIDSize >= 1 && bufIDSize <= 64, "EXTERN_IMPL_BUFPOOL: a pool has 1 to 64 buffers");

public:
  SK_INLINE void init() { pool_ = {nullptr, 0, 0, 0, 0, 0, bufIDSize}; }
  SK_INLINE TBufHandle handle(uint8_t index) {
    sk_pool_slot_at(slots_, &pool_, index);
    return reinterpret_cast<TBufHandle>(&slots_[index]);
  }
  SK_INLINE uint32_t address() const { return start() + pool_.used_bytes; }
  SK_INLINE void set_address(uint32_t address) { pool_.used_bytes = address - start(); }
  SK_INLINE uint8_t count() const { return pool_.count; }
  SK_INLINE void set_count(uint8_t count) { pool_.count = count; }
  SK_INLINE sk_pool *record() { return &pool_; }

private:
  SK_INLINE uint32_t start() const { return static_cast<uint32_t>(pool_.address - sk_local_address(memory_of(position), 0)); }
  sk_pool pool_ = {nullptr, 0, 0, 0, 0, 0, bufIDSize};
  sk_pool_slot slots_[bufIDSize] = {};
};
} // namespace Internal

} // namespace AscendC

/* In a class: makes it a pool whose InitBuffer is the kernel's own. */
#define EXTERN_IMPL_BUFPOOL(Class, POSITION, SIZE)                                                                  \
public:                                                                                                             \
  static constexpr AscendC::TPosition poolPos = POSITION;                                                           \
  static constexpr int bufIDSize = SIZE;                                                                            \
  static constexpr bool isTbufPool = true;                                                                          \
  SK_INLINE ~Class() { Reset(); }                                                                                   \
  SK_INLINE void Init() { sk_pool_.init(); }                                                                        \
  SK_INLINE void Reset() { sk_pool_reset(sk_pool_.record()); }                                                      \
  SK_INLINE AscendC::TBufHandle GetBufHandle(uint8_t offset) { return sk_pool_.handle(offset); }                    \
  SK_INLINE void SetCurAddr(uint32_t address) { sk_pool_.set_address(address); }                                    \
  SK_INLINE uint32_t GetCurAddr() { return sk_pool_.address(); }                                                    \
  SK_INLINE void SetCurBufSize(uint8_t count) { sk_pool_.set_count(count); }                                        \
  SK_INLINE uint8_t GetCurBufSize() { return sk_pool_.count(); }                                                    \
  SK_INLINE sk_pool *sk_record() { return sk_pool_.record(); }                                                      \
                                                                                                                    \
private:                                                                                                            \
  AscendC::Internal::placed_pool<POSITION, SIZE> sk_pool_

namespace AscendC {

class TPipe {
public:
  SK_INLINE TPipe() {
    Internal::order_vector_instructions();
    sk_pipe_init(&pipe_);
  }
  SK_INLINE ~TPipe() { sk_pipe_destroy(&pipe_, true); }
  SK_INLINE TPipe(const TPipe &other) { sk_pipe_copy(&pipe_, &other.pipe_); }
  SK_INLINE TPipe &operator=(const TPipe &other) {
    sk_pipe_copy(&pipe_, &other.pipe_);
    return *this;
  }

  SK_INLINE void Init() { sk_pipe_init(&pipe_); }
  template <class Queue, typename Count>
  SK_INLINE bool InitBuffer(Queue &queue, Count count, uint32_t bytes) {
    return sk_pipe_init_queue(&pipe_, nullptr, queue.sk_record(), static_cast<uint32_t>(count), bytes);
  }
  /* Each buffer as Std::make_tuple(address, bytes). */
  template <class Queue, typename Address, typename Bytes, class... More>
  SK_INLINE bool InitBuffer(Queue &queue, const Std::tuple<Address, Bytes> &first, const More &...more) {
    static_assert(Queue::dstPosition != TPosition::TSCM, "InitBuffer with addresses of one's own: not of TSCM");
    const sk_memory places[] = {place_of(first), place_of(more)...};
    return sk_pipe_init_queue_at(&pipe_, queue.sk_record(), 1 + sizeof...(More), places);
  }
  template <TPosition position>
  SK_INLINE bool InitBuffer(TBuf<position> &buffer, uint32_t bytes) {
    buffer.sk_set(sk_pipe_init_buffer(&pipe_, nullptr, Internal::memory_of(position), bytes));
    return true;
  }
  template <class Pool>
  SK_INLINE bool InitBufPool(Pool &pool, uint32_t bytes) {
    static_assert(Pool::isTbufPool, "InitBufPool: the first argument is a TBufPool, or a class with EXTERN_IMPL_BUFPOOL");
    return sk_pipe_init_pool(&pipe_, nullptr, pool.sk_record(), nullptr, Internal::memory_of(Pool::poolPos), bytes);
  }
  template <class Pool, class Shared>
  SK_INLINE bool InitBufPool(Pool &pool, uint32_t bytes, Shared &shared) {
    Internal::pools_share<Pool, Shared>();
    return sk_pipe_init_pool(&pipe_, nullptr, pool.sk_record(), shared.sk_record(), Internal::memory_of(Pool::poolPos), bytes);
  }

  template <HardEvent event>
  SK_INLINE TEventID AllocEventID() {
    return static_cast<TEventID>(sk_event_alloc(&pipe_, static_cast<uint32_t>(event)));
  }
  template <HardEvent event>
  SK_INLINE TEventID FetchEventID() {
    return static_cast<TEventID>(sk_event_fetch(&pipe_, static_cast<uint32_t>(event)));
  }
  SK_INLINE TEventID FetchEventID(HardEvent event) {
    return static_cast<TEventID>(sk_event_fetch(&pipe_, static_cast<uint32_t>(event)));
  }
  template <HardEvent event>
  SK_INLINE void ReleaseEventID(TEventID id) {
    sk_event_release(&pipe_, static_cast<uint32_t>(event), id);
  }

  SK_INLINE void Reset() { sk_pipe_reset(&pipe_); }
  SK_INLINE void Destroy() { sk_pipe_destroy(&pipe_, true); }
  SK_INLINE void DestroyWithoutPipeAll() { sk_pipe_destroy(&pipe_, false); }
  template <TPosition position>
  SK_INLINE LocalTensor<uint8_t> GetAbsAddr(int32_t offset_bytes, int32_t bytes) const {
    return LocalTensor<uint8_t>(position, static_cast<uint32_t>(offset_bytes), static_cast<uint32_t>(bytes));
  }
  /* Where a position's memory begins. */
  SK_INLINE uint8_t *GetBaseAddr(int8_t logicPos) const {
    return reinterpret_cast<uint8_t *>(sk_local_address(Internal::memory_of(static_cast<TPosition>(logicPos)), 0));
  }

  /* Device memory to put tensors aside in; offsets count elements, sizes too. Each call keeps its own order (spill.h). */
  template <typename T>
  SK_INLINE void InitSpmBuffer(const GlobalTensor<T> &workspace, const int32_t bufferSize) {
    spill_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t *>(workspace.sk_address()), static_cast<uint64_t>(bufferSize));
  }
  template <typename Bytes>
  SK_INLINE void InitSpmBuffer(Bytes) {
    static_assert(Internal::always_false<Bytes>, "InitSpmBuffer: this architecture puts aside in device memory: pass a workspace and its bytes");
  }
  template <typename T>
  SK_INLINE void WriteSpmBuffer(const LocalTensor<T> &from, const DataCopyParams &params, int32_t offset = 0);
  template <typename T>
  SK_INLINE void ReadSpmBuffer(const LocalTensor<T> &to, const DataCopyParams &params, int32_t offset = 0);
  template <typename T>
  SK_INLINE void WriteSpmBuffer(const LocalTensor<T> &from, const int32_t elems, int32_t offset = 0);
  template <typename T>
  SK_INLINE void ReadSpmBuffer(const LocalTensor<T> &to, const int32_t elems, int32_t offset = 0);

private:
  template <typename T>
  SK_INLINE GlobalTensor<T> spilled(int32_t offset, uint64_t elems, const char *message);
  template <class Place>
  static SK_INLINE sk_memory place_of(const Place &place) {
    return {static_cast<uint64_t>(Std::get<0>(place)), static_cast<uint64_t>(Std::get<1>(place))};
  }

  sk_pipe pipe_; /* first: GetTPipePtr has its address */
  GlobalTensor<uint8_t> spill_;
};

} // namespace AscendC
/* Kernels name it with and without the namespace. */
SK_INLINE AscendC::TPipe *GetTPipePtr() { return static_cast<AscendC::TPipe *>(sk_pipe_current()); }
namespace AscendC {
using ::GetTPipePtr;

template <class T, TPosition position>
SK_INLINE bool PopStackBuffer(LocalTensor<T> &tensor) {
  static_assert(Internal::memory_of(position) == 1, "PopStackBuffer: scratch is in the vector core's buffer only");
  tensor = LocalTensor<T>(sk_pipe_rest(), position);
  return true;
}

/* ---- static tensors: no pipe, no queues ------------------------------------------------------ */

template <Hardware hardware = Hardware::UB>
class LocalMemAllocator {
  static constexpr uint32_t memory = Internal::memory_of(hardware);
  static_assert(memory != 0, "LocalMemAllocator: device memory is not allocated by kernels");

public:
  template <class T, uint32_t elems>
  SK_INLINE LocalTensor<T> Alloc() {
    return Alloc<T>(elems);
  }
  template <TPosition position, class T, uint32_t elems>
  SK_INLINE LocalTensor<T> Alloc() {
    return Alloc<position, T>(elems);
  }
  template <class T>
  SK_INLINE LocalTensor<T> Alloc(uint32_t elems) {
    return Alloc<Internal::position_of_memory(memory), T>(elems);
  }
  template <TPosition position, class T>
  SK_INLINE LocalTensor<T> Alloc(uint32_t elems) {
    static_assert(Internal::memory_of(position) == memory, "LocalMemAllocator: the position is in another memory");
    static_assert(!is_tensorTrait_v<T>, "LocalMemAllocator: the elements of a TensorTrait are those of its layout");
    LocalTensor<T> tensor(position, used_, elems);
    used_ += (tensor.GetLength() + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
    return tensor;
  }
  /* Of a TensorTrait, which says the position and the elements. */
  template <class Trait>
  SK_INLINE LocalTensor<Trait> Alloc() {
    static_assert(is_tensorTrait_v<Trait>, "LocalMemAllocator: Alloc takes a number of elements, or a TensorTrait");
    if constexpr (is_tensorTrait_v<Trait>) {
      static_assert(Internal::memory_of(Trait::tPos) == memory, "LocalMemAllocator: the position is in another memory");
      LocalTensor<Trait> tensor(used_);
      used_ += (tensor.GetLength() + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
      return tensor;
    }
  }
  SK_INLINE uint32_t GetCurAddr() const { return used_; }

private:
  uint32_t used_ = 0;
};

} // namespace AscendC

#endif
