/* module.cpp - superkernel._device: the PyTorch device as a Python module; streams, captures, memory figures. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <c10/util/Exception.h>

#include "device.h"
#include "formats.h"

namespace sk_torch {
void register_device();
void share_default_generator();
}

namespace {

using namespace sk_torch;

/* Runs f without Python's lock; a C++ exception becomes a RuntimeError. */
template <class F> bool without_lock(F f) {
  std::string why;
  bool failed = false;
  PyThreadState *state = PyEval_SaveThread();
  try {
    f();
  } catch (const c10::Error &error) {
    failed = true;
    why = error.what_without_backtrace();
  } catch (const std::exception &error) {
    failed = true;
    why = error.what();
  }
  PyEval_RestoreThread(state);
  if (failed) PyErr_SetString(PyExc_RuntimeError, why.c_str());
  return !failed;
}

template <class F> PyObject *nothing(F f) {
  if (!without_lock(f)) return nullptr;
  Py_RETURN_NONE;
}

PyObject *py_initialise(PyObject *, PyObject *) {
  return nothing([] { ensure_device(); });
}
PyObject *py_is_initialised(PyObject *, PyObject *) { return PyBool_FromLong(device_ready()); }
PyObject *py_synchronize(PyObject *, PyObject *) {
  return nothing([] { synchronize(); });
}
PyObject *py_current_stream(PyObject *, PyObject *) { return PyLong_FromLongLong(current_stream().id()); }
PyObject *py_stream_handle(PyObject *, PyObject *argument) {
  long long id = PyLong_AsLongLong(argument);
  if (PyErr_Occurred() != nullptr) return nullptr;
  aclrtStream handle = nullptr;
  if (!without_lock([&] { handle = stream_handle(id); })) return nullptr;
  return PyLong_FromVoidPtr(handle);
}
PyObject *py_current_handle(PyObject *, PyObject *) { return PyLong_FromVoidPtr(current_handle()); }
PyObject *py_set_stream(PyObject *, PyObject *argument) {
  long long id = PyLong_AsLongLong(argument);
  if (PyErr_Occurred() != nullptr) return nullptr;
  return nothing([&] { exchange_stream(c10::Stream(c10::Stream::UNSAFE, c10::Device(device_type, 0), id)); });
}
PyObject *py_set_core_limit(PyObject *, PyObject *arguments) {
  long long stream = 0;
  core_limit limit;
  if (!PyArg_ParseTuple(arguments, "LII", &stream, &limit.aic, &limit.aiv)) return nullptr;
  return nothing([&] { set_core_limit(stream, limit); });
}
PyObject *py_capturing(PyObject *, PyObject *) {
  bool now = false;
  if (!without_lock([&] { now = capturing(); })) return nullptr;
  return PyBool_FromLong(now);
}

PyObject *py_memory_stats(PyObject *, PyObject *) {
  memory_stats s = get_memory_stats();
  return Py_BuildValue("{s:L,s:L,s:L,s:L,s:L,s:L}", "allocated", (long long)s.allocated, "peak", (long long)s.peak, "reserved",
                       (long long)s.reserved, "reserved_peak", (long long)s.reserved_peak, "count", (long long)s.count, "ooms",
                       (long long)s.ooms);
}
PyObject *py_reset_peak(PyObject *, PyObject *) {
  reset_peak_memory();
  Py_RETURN_NONE;
}
PyObject *py_share_default_generator(PyObject *, PyObject *) {
  share_default_generator();
  Py_RETURN_NONE;
}
PyObject *py_new_pool(PyObject *, PyObject *) { return PyLong_FromUnsignedLongLong(new_pool()); }

PyObject *py_begin_capture(PyObject *, PyObject *argument) {
  unsigned long long pool = PyLong_AsUnsignedLongLong(argument);
  if (PyErr_Occurred() != nullptr) return nullptr;
  capture *made = nullptr;
  if (!without_lock([&] { made = begin_capture(pool); })) return nullptr;
  return PyCapsule_New(made, "superkernel.capture", nullptr);
}
PyObject *py_end_capture(PyObject *, PyObject *argument) {
  auto *of = static_cast<capture *>(PyCapsule_GetPointer(argument, "superkernel.capture"));
  if (of == nullptr) return nullptr;
  end_capture(of);
  Py_RETURN_NONE;
}
PyObject *py_free_capture(PyObject *, PyObject *argument) {
  auto *of = static_cast<capture *>(PyCapsule_GetPointer(argument, "superkernel.capture"));
  if (of == nullptr || PyCapsule_SetName(argument, "superkernel.capture (freed)") != 0) return nullptr;
  return nothing([&] { free_capture(of); });
}

PyObject *py_format(PyObject *, PyObject *argument) {
  void *address = PyLong_AsVoidPtr(argument);
  if (PyErr_Occurred() != nullptr) return nullptr;
  return PyLong_FromLongLong(format_of(address));
}
PyObject *py_formats(PyObject *, PyObject *) {
  return Py_BuildValue("{"
#define X(name, number) "si"
                       SK_TORCH_FORMATS(X)
#undef X
                       "}"
#define X(name, number) , #name, number
                       SK_TORCH_FORMATS(X)
#undef X
  );
}

PyMethodDef methods[] = {
    {"initialise", py_initialise, METH_NOARGS, "Makes the simulated device."},
    {"is_initialised", py_is_initialised, METH_NOARGS, "Whether the simulated device was made."},
    {"synchronize", py_synchronize, METH_NOARGS, "Runs everything that is pending."},
    {"current_stream", py_current_stream, METH_NOARGS, "Id of this thread's stream; 0 is the default stream."},
    {"current_handle", py_current_handle, METH_NOARGS, "aclrtStream of this thread's stream, as a number."},
    {"stream_handle", py_stream_handle, METH_O, "aclrtStream of a stream id, as a number."},
    {"set_stream", py_set_stream, METH_O, "Makes the stream with this id the thread's."},
    {"set_core_limit", py_set_core_limit, METH_VARARGS, "(stream or -1, cube cores, vector cores): 0 = no limit."},
    {"capturing", py_capturing, METH_NOARGS, "Whether this thread's stream is being captured."},
    {"memory_stats", py_memory_stats, METH_NOARGS, "Bytes and numbers of tensors' memory."},
    {"reset_peak", py_reset_peak, METH_NOARGS, "Peaks start again at what is in use."},
    {"share_default_generator", py_share_default_generator, METH_NOARGS, "The next torch.Generator of this thread is the default one."},
    {"new_pool", py_new_pool, METH_NOARGS, "A set of memory blocks that captures share."},
    {"begin_capture", py_begin_capture, METH_O, "Memory and host operators of this thread belong to a capture from now on."},
    {"end_capture", py_end_capture, METH_O, "The opposite."},
    {"free_capture", py_free_capture, METH_O, "Gives back what a capture owns."},
    {"formats", py_formats, METH_NOARGS, "Names of storage formats and their numbers."},
    {"format_of", py_format, METH_O, "Format number of the storage at an address."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "superkernel._device", "The simulated NPU as PyTorch's device 'npu'.", -1, methods,
                          nullptr, nullptr, nullptr, nullptr};

}  // namespace

extern "C" __attribute__((visibility("default"))) PyObject *PyInit__device(void) {
  if (!without_lock([] { sk_torch::register_device(); })) return nullptr;
  return PyModule_Create(&definition);
}
