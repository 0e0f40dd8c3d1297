/* api_list_tensor.cpp - a list of tensors as one input: as many of them, of as many dimensions, as the list in device memory says. */
#include <memory>

#include "host.hpp"
#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"

using namespace AscendC;

/* facts: tensors; of each its dimensions, index and elements. sums: of each tensor. */
__global__ __vector__ void read_list(GM_ADDR list, GM_ADDR facts, GM_ADDR sums, uint32_t bytes, uint32_t tensors) {
  InitSocState();
  ListTensorDesc given(reinterpret_cast<__gm__ void *>(list), bytes, tensors), all;
  all.Init(reinterpret_cast<__gm__ void *>(list));
  GlobalTensor<uint32_t> factGm;
  GlobalTensor<float> sumGm;
  factGm.SetGlobalBuffer((__gm__ uint32_t *)facts);
  sumGm.SetGlobalBuffer((__gm__ float *)sums);
  factGm.SetValue(0, all.GetSize());
  uint64_t shape[4];
  TensorDesc<__gm__ float> desc;
  desc.SetShapeAddr(shape);
  for (uint32_t i = 0; i < all.GetSize(); i++) {
    given.GetDesc(desc, i);
    uint64_t elems = 1;
    for (uint32_t d = 0; d < desc.GetDim(); d++) elems *= desc.GetShape(d);
    factGm.SetValue(1 + i * 3, static_cast<uint32_t>(desc.GetDim()));
    factGm.SetValue(2 + i * 3, static_cast<uint32_t>(desc.GetIndex()));
    factGm.SetValue(3 + i * 3, static_cast<uint32_t>(elems));
    GlobalTensor<float> values = desc.GetDataObj();
    float sum = values.GetPhyAddr() == all.GetDataPtr<__gm__ float>(i) && desc.GetDataPtr() == values.GetPhyAddr() ? 0.0f : 1e6f;
    for (uint64_t k = 0; k < elems; k++) sum += values.GetValue(k);
    sumGm.SetValue(i, sum);
  }
  DataCacheCleanAndInvalid<uint32_t, CacheLine::ENTIRE_DATA_CACHE>(factGm);
}

int main() {
  const std::vector<std::vector<uint64_t>> shapes = {{3, 5}, {7}, {2, 3, 1, 4}};
  Device device;
  std::vector<std::unique_ptr<DeviceArray<float>>> tensors;
  std::vector<uint64_t> list(1), pointers;
  std::vector<uint32_t> expected = {static_cast<uint32_t>(shapes.size())};
  std::vector<float> expected_sums;
  for (const std::vector<uint64_t> &shape : shapes) {
    uint64_t elems = 1, index = tensors.size();
    list.push_back(shape.size() | index << 32);
    for (uint64_t d : shape) list.push_back(d), elems *= d;
    std::vector<float> x(elems);
    float sum = 0;
    for (uint64_t i = 0; i < elems; i++) x[i] = static_cast<float>(index * 100 + i), sum += x[i];
    tensors.push_back(std::make_unique<DeviceArray<float>>(x));
    pointers.push_back(reinterpret_cast<uint64_t>(tensors.back()->get()));
    for (uint64_t fact : {static_cast<uint64_t>(shape.size()), index, elems}) expected.push_back(static_cast<uint32_t>(fact));
    expected_sums.push_back(sum);
  }
  list[0] = list.size() * sizeof(uint64_t);
  list.insert(list.end(), pointers.begin(), pointers.end());
  DeviceArray<uint64_t> listDev(list);
  DeviceArray<uint32_t> factsDev(expected.size());
  DeviceArray<float> sumsDev(expected_sums.size());
  read_list<<<1, 0, nullptr>>>(listDev.get(), factsDev.get(),
                               sumsDev.get(), static_cast<uint32_t>(list.size() * 8),
                               static_cast<uint32_t>(shapes.size()));
  Device::Must(aclrtSynchronizeDevice());
  size_t wrong = 0;
  std::vector<uint32_t> facts = factsDev.Read();
  std::vector<float> sums = sumsDev.Read();
  for (size_t i = 0; i < facts.size(); i++) wrong += facts[i] != expected[i];
  for (size_t i = 0; i < sums.size(); i++) wrong += sums[i] != expected_sums[i];
  return Report("api_list_tensor", facts.size() + sums.size(), wrong);
}
