/* api_sync.cpp - synchronisation through device memory: a barrier in two rounds, a chain of blocks that wake one
 * another, blocks that take turns, and blocks that wait for a group of others. Each core adds to what others wrote before. */
#include "host.hpp"
#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t CORES = 12, SLOT = 8; // int32 of 32 bytes

__global__ __vector__ void barrier(GM_ADDR values, GM_ADDR sums, GM_ADDR workspace) {
  TPipe pipe;
  TBuf<> mineBuf, allBuf, syncBuf;
  pipe.InitBuffer(mineBuf, 32);
  pipe.InitBuffer(allBuf, CORES * 32);
  pipe.InitBuffer(syncBuf, CORES * 32);
  LocalTensor<int32_t> mine = mineBuf.Get<int32_t>(), all = allBuf.Get<int32_t>(), sync = syncBuf.Get<int32_t>();
  GlobalTensor<int32_t> valueGm, sumGm, syncGm;
  valueGm.SetGlobalBuffer((__gm__ int32_t *)values, CORES * SLOT);
  sumGm.SetGlobalBuffer((__gm__ int32_t *)sums, CORES * SLOT);
  syncGm.SetGlobalBuffer((__gm__ int32_t *)workspace, CORES * SLOT);
  int32_t value = GetBlockIdx() + 1;
  for (int round = 0; round < 2; round++) {
    Duplicate(mine, value, SLOT);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(valueGm[GetBlockIdx() * SLOT], mine, SLOT);
    SyncAll(syncGm, sync);
    DataCopy(all, valueGm, CORES * SLOT);
    PipeBarrier<PIPE_ALL>();
    value = 0;
    for (uint32_t i = 0; i < CORES; i++) value += all.GetValue(i * SLOT);
    SyncAll(syncGm, sync);
  }
  mine.SetValue(0, value);
  SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
  DataCopy(sumGm[GetBlockIdx() * SLOT], mine, SLOT);
}

/* Block i waits for block i - 1, then writes twice its value plus one. */
__global__ __vector__ void chain(GM_ADDR values, GM_ADDR workspace) {
  TPipe pipe;
  TBuf<> mineBuf, syncBuf;
  pipe.InitBuffer(mineBuf, 32);
  pipe.InitBuffer(syncBuf, 32);
  LocalTensor<int32_t> mine = mineBuf.Get<int32_t>(), sync = syncBuf.Get<int32_t>();
  GlobalTensor<int32_t> valueGm, syncGm;
  valueGm.SetGlobalBuffer((__gm__ int32_t *)values, CORES * SLOT);
  syncGm.SetGlobalBuffer((__gm__ int32_t *)workspace, CORES * SLOT);
  int32_t block = GetBlockIdx();
  Duplicate(mine, 0, SLOT);
  if (block > 0) {
    IBWait(syncGm, sync, block - 1, 0);
    DataCopy(mine, valueGm[(block - 1) * SLOT], SLOT);
    PipeBarrier<PIPE_ALL>();
  }
  mine.SetValue(0, 2 * mine.GetValue(0) + 1);
  PipeBarrier<PIPE_ALL>();
  DataCopy(valueGm[block * SLOT], mine, SLOT);
  if (block + 1 < (int32_t)CORES) IBSet(syncGm, sync, block, 0);
}

/* All blocks change one value, in the order of their numbers, three times round. */
__global__ __vector__ void turns(GM_ADDR value, GM_ADDR workspace) {
  TPipe pipe;
  TBuf<> mineBuf, syncBuf;
  pipe.InitBuffer(mineBuf, 32);
  pipe.InitBuffer(syncBuf, (CORES + 1) * 32);
  LocalTensor<int32_t> mine = mineBuf.Get<int32_t>(), sync = syncBuf.Get<int32_t>();
  GlobalTensor<int32_t> valueGm, syncGm;
  valueGm.SetGlobalBuffer((__gm__ int32_t *)value, SLOT);
  syncGm.SetGlobalBuffer((__gm__ int32_t *)workspace, CORES * SLOT);
  InitDetermineComputeWorkspace(syncGm, sync);
  for (int round = 0; round < 3; round++) {
    WaitPreBlock(syncGm, sync);
    DataCopy(mine, valueGm, SLOT);
    PipeBarrier<PIPE_ALL>();
    mine.SetValue(0, (3 * mine.GetValue(0) + (int32_t)GetBlockIdx()) % 65521);
    PipeBarrier<PIPE_ALL>();
    DataCopy(valueGm, mine, SLOT);
    PipeBarrier<PIPE_ALL>();
    NotifyNextBlock(syncGm, sync);
  }
}

/* Blocks 0 to 2 write and arrive; blocks 2 to 11 wait and sum up, so block 2 is in both groups. A barrier the other way
 * round lets the next round begin. */
constexpr uint32_t ARRIVE = 3, WAIT = CORES - 2, ROUNDS = 3;
__global__ __vector__ void groups(GM_ADDR values, GM_ADDR sums, GM_ADDR workspace) {
  TPipe pipe;
  TBuf<> mineBuf, allBuf;
  pipe.InitBuffer(mineBuf, 32);
  pipe.InitBuffer(allBuf, ARRIVE * 32);
  LocalTensor<int32_t> mine = mineBuf.Get<int32_t>(), all = allBuf.Get<int32_t>();
  GlobalTensor<int32_t> valueGm, sumGm;
  valueGm.SetGlobalBuffer((__gm__ int32_t *)values, ARRIVE * SLOT);
  sumGm.SetGlobalBuffer((__gm__ int32_t *)sums, CORES * ROUNDS * SLOT);
  GroupBarrier<PipeMode::MTE3_MODE> barrier(workspace, ARRIVE, WAIT);
  GroupBarrier<PipeMode::MTE3_MODE> back(workspace + barrier.GetWorkspaceLen(), WAIT, ARRIVE);
  if (barrier.GetWorkspaceLen() != WAIT * 512 || back.GetWorkspaceLen() != WAIT * 512) Trap();
  uint32_t block = GetBlockIdx();
  for (uint32_t round = 0; round < ROUNDS; round++) {
    if (block < ARRIVE) {
      Duplicate(mine, (int32_t)((block + 1) * (round + 1)), SLOT);
      SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
      DataCopy(valueGm[block * SLOT], mine, SLOT);
      SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
      WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
      barrier.Arrive(block);
    }
    if (block >= CORES - WAIT) {
      barrier.Wait(block - (CORES - WAIT));
      DataCopy(all, valueGm, ARRIVE * SLOT);
      PipeBarrier<PIPE_ALL>();
      int32_t sum = 0;
      for (uint32_t i = 0; i < ARRIVE; i++) sum += all.GetValue(i * SLOT);
      Duplicate(mine, sum, SLOT);
      PipeBarrier<PIPE_ALL>();
      DataCopy(sumGm[(round * CORES + block) * SLOT], mine, SLOT);
      PipeBarrier<PIPE_ALL>();
      back.Arrive(block - (CORES - WAIT));
    }
    if (block < ARRIVE) back.Wait(block);
  }
}

int main() {
  Device device;
  std::vector<int32_t> zero(CORES * SLOT, 0);
  DeviceArray<int32_t> values(CORES * SLOT), sums(CORES * SLOT), barrierSlots(zero), chained(CORES * SLOT), chainSlots(zero), value(zero),
      turnSlots(zero), groupValues(ARRIVE * SLOT),
      groupSums(std::vector<int32_t>(ROUNDS * CORES * SLOT, 0)), groupSlots(std::vector<int32_t>(2 * WAIT * 128, 0));
  barrier<<<CORES, 0, nullptr>>>(values.get(), sums.get(), barrierSlots.get());
  chain<<<CORES, 0, nullptr>>>(chained.get(), chainSlots.get());
  turns<<<CORES, 0, nullptr>>>(value.get(), turnSlots.get());
  groups<<<CORES, 0, nullptr>>>(groupValues.get(), groupSums.get(), groupSlots.get());
  Device::Must(aclrtSynchronizeDevice());
  std::vector<int32_t> sum = sums.Read(), chain_ = chained.Read(), last = value.Read();
  size_t wrong = 0;
  int32_t total = CORES * (CORES + 1) / 2, link = 0, turn = 0;
  for (uint32_t i = 0; i < CORES; i++) {
    wrong += sum[i * SLOT] != total * (int32_t)CORES;
    wrong += chain_[i * SLOT] != (link = 2 * link + 1);
  }
  for (uint32_t i = 0; i < 3 * CORES; i++) turn = (3 * turn + (int32_t)(i % CORES)) % 65521;
  wrong += last[0] != turn;
  std::vector<int32_t> groupSum = groupSums.Read();
  for (uint32_t i = 0; i < ROUNDS * CORES; i++) {
    int32_t want = i % CORES < CORES - WAIT ? 0 : (int32_t)(ARRIVE * (ARRIVE + 1) / 2 * (i / CORES + 1));
    wrong += groupSum[i * SLOT] != want;
  }
  return Report("api_sync", 2 * CORES + 1 + ROUNDS * CORES, wrong);
}
