/* api_pools.cpp - pools of local memory: two that take turns in one piece of UB, one inside another, and a class of the
 * kernel's own whose buffers lie where it puts them. Every stage adds a number of its own to what went in. */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t TILE = 256, TILES = 40;

/* Buffers from the end of the pool downwards, with a gap of 64 bytes between any two. */
class DownwardPool {
public:
  __aicore__ inline DownwardPool() { Init(); }
  template <class Queue>
  __aicore__ inline bool InitBuffer(Queue &queue, uint8_t count, uint32_t bytes) {
    TBufHandle first = GetBufHandle(GetCurBufSize());
    queue.InitStartBufHandle(first, count, bytes);
    for (uint32_t i = 0; i < count; i++) queue.InitBufHandle(this, i, first, Take(bytes), bytes);
    SetCurBufSize(GetCurBufSize() + count);
    return true;
  }
  template <TPosition position>
  __aicore__ inline bool InitBuffer(TBuf<position> &buffer, uint32_t bytes) {
    TBufHandle first = GetBufHandle(GetCurBufSize());
    buffer.InitStartBufHandle(first, 1, bytes);
    buffer.InitBufHandle(this, 0, first, Take(bytes), bytes);
    SetCurBufSize(GetCurBufSize() + 1);
    return true;
  }
  __aicore__ inline void Begin(uint32_t bytes) { end = GetCurAddr() + bytes; }
  EXTERN_IMPL_BUFPOOL(DownwardPool, TPosition::VECCALC, 8);

private:
  __aicore__ inline uint32_t Take(uint32_t bytes) {
    end -= bytes + 64;
    return end;
  }
  uint32_t end = 0;
};

template <class In, class Out>
__aicore__ inline void Stage(In &in, Out &out, GlobalTensor<int32_t> from, GlobalTensor<int32_t> to, int32_t number) {
  LocalTensor<int32_t> a = in.template AllocTensor<int32_t>();
  DataCopy(a, from, TILE);
  in.EnQue(a);
  a = in.template DeQue<int32_t>();
  LocalTensor<int32_t> b = out.template AllocTensor<int32_t>();
  Adds(b, a, number, TILE);
  out.EnQue(b);
  in.FreeTensor(a);
  b = out.template DeQue<int32_t>();
  DataCopy(to, b, TILE);
  out.FreeTensor(b);
}

/* More buffers in all than a pipe has: each reset gives them back. */
__global__ __vector__ void turns(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  TBufPool<TPosition::VECCALC> whole, one, two;
  GlobalTensor<int32_t> from, to;
  from.SetGlobalBuffer((__gm__ int32_t *)x, TILES * TILE);
  to.SetGlobalBuffer((__gm__ int32_t *)y, TILES * TILE);
  pipe.InitBufPool(whole, 5 * TILE * 4);
  whole.InitBufPool(one, 4 * TILE * 4);
  whole.InitBufPool(two, 4 * TILE * 4, one);
  for (uint32_t i = 0; i < TILES; i += 2) {
    {
      TQue<TPosition::VECIN, 2> in;
      TQue<TPosition::VECOUT, 2> out;
      one.InitBuffer(in, 2, TILE * 4);
      one.InitBuffer(out, 2, TILE * 4);
      Stage(in, out, from[i * TILE], to[i * TILE], 1000);
      one.Reset();
    }
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    two.InitBuffer(in, 1, TILE * 4);
    two.InitBuffer(out, 1, 2 * TILE * 4);
    Stage(in, out, from[(i + 1) * TILE], to[(i + 1) * TILE], 2000);
    two.Reset();
  }
}

__global__ __vector__ void own(GM_ADDR x, GM_ADDR y) {
  TPipe pipe;
  DownwardPool pool;
  TQue<TPosition::VECIN, 2> in;
  TQue<TPosition::VECOUT, 2> out;
  TBuf<> kept;
  GlobalTensor<int32_t> from, to;
  from.SetGlobalBuffer((__gm__ int32_t *)x, TILES * TILE);
  to.SetGlobalBuffer((__gm__ int32_t *)y, TILES * TILE);
  pipe.InitBuffer(kept, 96); /* the pool begins behind it */
  pipe.InitBufPool(pool, 8 * TILE * 4);
  pool.Begin(8 * TILE * 4);
  TBuf<> numbers;
  pool.InitBuffer(in, 2, TILE * 4);
  pool.InitBuffer(numbers, 32);
  pool.InitBuffer(out, 2, TILE * 4);
  LocalTensor<int32_t> number = numbers.Get<int32_t>();
  Duplicate(number, 3000, 8);
  for (uint32_t i = 0; i < TILES; i++) Stage(in, out, from[i * TILE], to[i * TILE], number.GetValue(i % 8));
  pool.Reset();
}

int main() {
  Device device;
  std::vector<int32_t> in(TILES * TILE);
  for (uint32_t i = 0; i < in.size(); i++) in[i] = (int32_t)(i * 7919u % 100003u) - 50000;
  DeviceArray<int32_t> x(in), y(in.size()), z(in.size());
  turns<<<1, 0, nullptr>>>(x.get(), y.get());
  own<<<1, 0, nullptr>>>(x.get(), z.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<int32_t> by_turns = y.Read(), by_own = z.Read();
  size_t wrong = 0;
  for (uint32_t i = 0; i < in.size(); i++) {
    wrong += by_turns[i] != in[i] + (i / TILE % 2 == 0 ? 1000 : 2000);
    wrong += by_own[i] != in[i] + 3000;
  }
  return Report("api_pools", 2 * in.size(), wrong);
}
