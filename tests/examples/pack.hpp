/* pack.hpp - for programs that try functions of the high-level API on many shapes: operands and results stand packed in one
 * array each way, blocks of 32 bytes apart, and every array of a case is recorded as FUNCTION.CASE.NAME. */
#ifndef TESTS_EXAMPLES_PACK_HPP
#define TESTS_EXAMPLES_PACK_HPP

#include <cstring>

#include "host.hpp"
#include "kernel_operator.h"

/* Where things stand; tmpBytes 0: the call takes its temporary memory from the pipe. */
struct Frame {
  uint32_t inBytes = 0, outBytes = 0, tmpBytes = 0, inCount = 0, outCount = 0;
  uint32_t in[10] = {}, out[6] = {};
  bool isHalf = false, isFirst = false; /* isFirst: what a function has two of, the first */
};

/* The vector core's buffer during one call. */
class Buffer {
public:
  __aicore__ inline Buffer(GM_ADDR in, GM_ADDR out, const Frame &frame) : frame_(frame) {
    in_.SetGlobalBuffer((__gm__ uint8_t *)in, frame.inBytes);
    out_.SetGlobalBuffer((__gm__ uint8_t *)out, frame.outBytes);
    pipe_.InitBuffer(inBuffer_, frame.inBytes);
    pipe_.InitBuffer(outBuffer_, frame.outBytes);
    if (frame.tmpBytes != 0) pipe_.InitBuffer(tmpBuffer_, frame.tmpBytes);
    AscendC::DataCopy(inBuffer_.Get<uint8_t>(), in_, frame.inBytes);
    AscendC::DataCopy(outBuffer_.Get<uint8_t>(), out_, frame.outBytes);
    AscendC::PipeBarrier<PIPE_ALL>();
  }
  __aicore__ inline ~Buffer() {
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(out_, outBuffer_.Get<uint8_t>(), frame_.outBytes);
  }
  template <typename T>
  __aicore__ inline AscendC::LocalTensor<T> In(uint32_t index) {
    return inBuffer_.Get<uint8_t>()[frame_.in[index]].template ReinterpretCast<T>();
  }
  template <typename T>
  __aicore__ inline AscendC::LocalTensor<T> Out(uint32_t index) {
    return outBuffer_.Get<uint8_t>()[frame_.out[index]].template ReinterpretCast<T>();
  }
  __aicore__ inline bool Shared() const { return frame_.tmpBytes != 0; }
  __aicore__ inline AscendC::LocalTensor<uint8_t> Tmp() { return tmpBuffer_.Get<uint8_t>(frame_.tmpBytes); }

private:
  Frame frame_;
  AscendC::TPipe pipe_;
  AscendC::TBuf<> inBuffer_, outBuffer_, tmpBuffer_;
  AscendC::GlobalTensor<uint8_t> in_, out_;
};
/* The function with temporary memory and without; parenthesised: what stands before and after it. */
#define SK_TEST_UNPACK(...) __VA_ARGS__
#define CALL_BOTH(buffer, function, before, after)                                                        \
  if ((buffer).Shared()) function(SK_TEST_UNPACK before, (buffer).Tmp(), SK_TEST_UNPACK after);           \
  else function(SK_TEST_UNPACK before, SK_TEST_UNPACK after)

/* One case on the host: operands in, results out, all recorded. */
class Case {
public:
  Case(const std::string &function, uint32_t number, const std::vector<uint32_t> &shape)
      : prefix_(function + "." + std::to_string(number) + ".") {
    Record((prefix_ + "shape").c_str(), shape);
  }
  template <typename T>
  Case &In(const char *name, const std::vector<T> &values) {
    frame.in[frame.inCount++] = Append(in_, values);
    Record((prefix_ + name).c_str(), values);
    return *this;
  }
  /* Results stand on a pattern that no function leaves; elements of a byte are int8_t, of 2 half, of 4 float. */
  Case &Out(const char *name, size_t elems, size_t elemBytes) {
    frame.out[frame.outCount++] = Append(out_, std::vector<uint8_t>(elems * elemBytes, 0x5b));
    results_.push_back({name, static_cast<uint32_t>(elems), elemBytes});
    return *this;
  }
  template <class Kernel>
  void Run(Kernel launch) {
    frame.inBytes = static_cast<uint32_t>(in_.size()), frame.outBytes = static_cast<uint32_t>(out_.size());
    DeviceArray<uint8_t> in(in_), out(out_);
    launch(in.get(), out.get(), frame);
    Device::Must(aclrtSynchronizeDevice());
    std::vector<uint8_t> bytes = out.Read();
    for (size_t i = 0; i < results_.size(); i++) {
      const Result &r = results_[i];
      if (r.size == 1) Keep<int8_t>(r, &bytes[frame.out[i]]);
      else if (r.size == 2) Keep<half>(r, &bytes[frame.out[i]]);
      else Keep<float>(r, &bytes[frame.out[i]]);
    }
  }
  Frame frame;

private:
  struct Result {
    std::string name;
    uint32_t elems;
    size_t size;
  };
  template <typename T>
  void Keep(const Result &r, const uint8_t *from) {
    std::vector<T> values(r.elems);
    std::memcpy(static_cast<void *>(values.data()), from, r.elems * sizeof(T));
    Record((prefix_ + r.name).c_str(), values);
  }
  template <typename T>
  static uint32_t Append(std::vector<uint8_t> &to, const std::vector<T> &values) {
    uint32_t at = static_cast<uint32_t>(to.size()), bytes = static_cast<uint32_t>(values.size() * sizeof(T));
    to.resize((at + bytes + 31) / 32 * 32);
    std::memcpy(&to[at], static_cast<const void *>(values.data()), bytes);
    return at;
  }
  std::string prefix_;
  std::vector<uint8_t> in_, out_;
  std::vector<Result> results_;
};

template <typename T>
std::vector<T> Numbers(size_t count, float scale, float shift) {
  static uint32_t next;
  std::vector<T> values(count);
  for (T &v : values) v = static_cast<T>(shift + scale * Number(next++));
  return values;
}

#endif
