/* core.c - superkernel._core: the acl interface for Python, as far as front ends need it.
 *
 * Handles are integers. Nothing here holds Python's lock while it waits for the device. Failures are
 * superkernel.Error (a RuntimeError) with the acl code as its attribute `code`. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>

#include "acl/acl.h"
#include "core.h"

static PyObject *error_type;

PyObject *core_fail(aclError code, const char *call) {
  const char *text = aclGetRecentErrMsg();
  PyObject *message = PyUnicode_FromFormat("%s failed: %s (error code %d)", call, text != NULL ? text : "no text", code);
  PyObject *error = message != NULL ? PyObject_CallOneArg(error_type, message) : NULL;
  PyObject *number = error != NULL ? PyLong_FromLong(code) : NULL;
  if (number != NULL && PyObject_SetAttrString(error, "code", number) == 0) PyErr_SetObject(error_type, error);
  Py_XDECREF(number);
  Py_XDECREF(error);
  Py_XDECREF(message);
  return NULL;
}

PyObject *core_done(aclError code, const char *call) {
  if (code != ACL_SUCCESS) return core_fail(code, call);
  Py_RETURN_NONE;
}

/* ---- device ---- */

static PyObject *soc_name(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  const char *name = aclrtGetSocName();
  return name != NULL ? PyUnicode_FromString(name) : core_fail(ACL_ERROR_INTERNAL_ERROR, "aclrtGetSocName");
}

static PyObject *device_info(PyObject *self, PyObject *argument) {
  (void)self;
  long attribute = PyLong_AsLong(argument);
  int64_t value = 0;
  if (PyErr_Occurred() != NULL) return NULL;
  aclError error = aclrtGetDeviceInfo(0, (aclrtDevAttr)attribute, &value);
  return error == ACL_SUCCESS ? PyLong_FromLongLong(value) : core_fail(error, "aclrtGetDeviceInfo");
}

static PyObject *memory_info(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  size_t available = 0, total = 0;
  aclError error = aclrtGetMemInfo(0, &available, &total);
  return error == ACL_SUCCESS ? Py_BuildValue("nn", (Py_ssize_t)available, (Py_ssize_t)total) : core_fail(error, "aclrtGetMemInfo");
}

/* ---- events beyond torch.Event ---- */

static PyObject *event_create(PyObject *self, PyObject *argument) {
  (void)self;
  unsigned long flags = PyLong_AsUnsignedLong(argument);
  aclrtEvent event = NULL;
  if (PyErr_Occurred() != NULL) return NULL;
  aclError error = aclrtCreateEventExWithFlag(&event, (uint32_t)flags);
  return error == ACL_SUCCESS ? PyLong_FromVoidPtr(event) : core_fail(error, "aclrtCreateEvent");
}

/* (event, stream) -> None, without Python's lock. */
#define EVENT_CALL(name, call, first, second)                        \
  static PyObject *name(PyObject *self, PyObject *arguments) {       \
    (void)self;                                                      \
    unsigned long long event = 0, stream = 0;                        \
    aclError error = ACL_SUCCESS;                                    \
    if (!PyArg_ParseTuple(arguments, "KK", &event, &stream)) return NULL; \
    Py_BEGIN_ALLOW_THREADS                                           \
    error = call((void *)(uintptr_t)(first), (void *)(uintptr_t)(second)); \
    Py_END_ALLOW_THREADS                                             \
    return core_done(error, #call);                                  \
  }
EVENT_CALL(event_record, aclrtRecordEvent, event, stream)
EVENT_CALL(event_reset, aclrtResetEvent, event, stream)
EVENT_CALL(event_wait, aclrtStreamWaitEvent, stream, event)

/* Both must have run. */
static PyObject *event_elapsed(PyObject *self, PyObject *arguments) {
  (void)self;
  unsigned long long start = 0, end = 0;
  float ms = 0.0f;
  if (!PyArg_ParseTuple(arguments, "KK", &start, &end)) return NULL;
  aclError error = aclrtEventElapsedTime(&ms, (void *)(uintptr_t)start, (void *)(uintptr_t)end);
  return error == ACL_SUCCESS ? PyFloat_FromDouble((double)ms) : core_fail(error, "aclrtEventElapsedTime");
}

static PyObject *event_destroy(PyObject *self, PyObject *argument) {
  (void)self;
  void *event = PyLong_AsVoidPtr(argument);
  aclError error = ACL_SUCCESS;
  if (PyErr_Occurred() != NULL) return NULL;
  Py_BEGIN_ALLOW_THREADS
  error = aclrtDestroyEvent(event);
  Py_END_ALLOW_THREADS
  return core_done(error, "aclrtDestroyEvent");
}

/* ---- scopes ---- */

static PyObject *scope(PyObject *arguments, aclError (*call)(const char *, aclrtStream), const char *name) {
  const char *text = NULL;
  unsigned long long stream = 0;
  if (!PyArg_ParseTuple(arguments, "zK", &text, &stream)) return NULL;
  return core_done(call(text, (void *)(uintptr_t)stream), name);
}
static PyObject *scope_begin(PyObject *self, PyObject *arguments) {
  (void)self;
  return scope(arguments, aclskScopeBegin, "aclskScopeBegin");
}
static PyObject *scope_end(PyObject *self, PyObject *arguments) {
  (void)self;
  return scope(arguments, aclskScopeEnd, "aclskScopeEnd");
}

/* ---- captured models ---- */

static PyObject *capture_begin(PyObject *self, PyObject *arguments) {
  (void)self;
  unsigned long long stream = 0;
  int mode = 0;
  if (!PyArg_ParseTuple(arguments, "Ki", &stream, &mode)) return NULL;
  return core_done(aclmdlRICaptureBegin((void *)(uintptr_t)stream, (aclmdlRICaptureMode)mode), "aclmdlRICaptureBegin");
}

/* The model's handle and the error, which comes with a model that must still be destroyed. */
static PyObject *capture_end(PyObject *self, PyObject *argument) {
  (void)self;
  void *stream = PyLong_AsVoidPtr(argument);
  aclmdlRI model = NULL;
  if (PyErr_Occurred() != NULL) return NULL;
  aclError error = aclmdlRICaptureEnd(stream, &model);
  if (error == ACL_SUCCESS) return PyLong_FromVoidPtr(model);
  core_fail(error, "aclmdlRICaptureEnd");
  if (model != NULL) (void)aclmdlRIDestroy(model);
  return NULL;
}

static PyObject *model_execute(PyObject *self, PyObject *arguments) {
  (void)self;
  unsigned long long model = 0, stream = 0;
  aclError error = ACL_SUCCESS;
  if (!PyArg_ParseTuple(arguments, "KK", &model, &stream)) return NULL;
  Py_BEGIN_ALLOW_THREADS
  error = aclmdlRIExecuteAsync((void *)(uintptr_t)model, (void *)(uintptr_t)stream);
  Py_END_ALLOW_THREADS
  return core_done(error, "aclmdlRIExecuteAsync");
}

static PyObject *model_destroy(PyObject *self, PyObject *argument) {
  (void)self;
  void *model = PyLong_AsVoidPtr(argument);
  aclError error = ACL_SUCCESS;
  if (PyErr_Occurred() != NULL) return NULL;
  Py_BEGIN_ALLOW_THREADS
  error = aclmdlRIDestroy(model);
  Py_END_ALLOW_THREADS
  return core_done(error, "aclmdlRIDestroy");
}

static PyObject *model_json(PyObject *self, PyObject *arguments) {
  (void)self;
  unsigned long long model = 0;
  const char *path = NULL;
  if (!PyArg_ParseTuple(arguments, "Ks", &model, &path)) return NULL;
  return core_done(aclmdlRIDebugJsonPrint((void *)(uintptr_t)model, path, 1), "aclmdlRIDebugJsonPrint");
}

static PyMethodDef methods[] = {
    {"soc_name", soc_name, METH_NOARGS, "Name of the chip."},
    {"device_info", device_info, METH_O, "An attribute of the device (aclrtDevAttr)."},
    {"memory_info", memory_info, METH_NOARGS, "Bytes of device memory: free, total."},
    {"event_create", event_create, METH_O, "An event with these flags."},
    {"event_record", event_record, METH_VARARGS, "(event, stream)"},
    {"event_reset", event_reset, METH_VARARGS, "(event, stream)"},
    {"event_wait", event_wait, METH_VARARGS, "(event, stream): the stream waits."},
    {"event_elapsed", event_elapsed, METH_VARARGS, "(start, end): estimated milliseconds between them."},
    {"event_destroy", event_destroy, METH_O, "Ends the event."},
    {"scope_begin", scope_begin, METH_VARARGS, "(name or None, stream): a SuperKernel scope begins."},
    {"scope_end", scope_end, METH_VARARGS, "(name or None, stream): it ends."},
    {"capture_begin", capture_begin, METH_VARARGS, "(stream, mode): 0 global, 1 thread_local, 2 relaxed."},
    {"capture_end", capture_end, METH_O, "Ends the stream's capture; the model."},
    {"model_execute", model_execute, METH_VARARGS, "(model, stream): queues a replay."},
    {"model_destroy", model_destroy, METH_O, "Ends the model."},
    {"model_json", model_json, METH_VARARGS, "(model, path): writes its graph."},
    {"model_optimize", core_model_optimize, METH_VARARGS, "(model, [(option id, value)...]): fuses it."},
    {"ge_operator", core_ge_operator, METH_O,
     "(name, type, scope, options, cube cores, vector cores) or None: whose launches follow on this thread."},
    {"ge_compile", core_ge_compile, METH_O, "(model): fuses its scopes by the rules of graph mode; what became of each launch."},
    {"verify_begin", core_verify_begin, METH_O, "(modes): twin runs of everything from now on."},
    {"verify_end", core_verify_end, METH_O, "(program): the report, as JSON and as text."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "superkernel._core", .m_doc = "The acl interface of the simulated NPU.", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
  PyObject *module = PyModule_Create(&definition);
  error_type = PyErr_NewExceptionWithDoc("superkernel.Error", "A call of the simulated device failed.", PyExc_RuntimeError, NULL);
  bool good = module != NULL && error_type != NULL && PyModule_AddObjectRef(module, "Error", error_type) == 0;
  /* The torch that superkernel._device was built with. */
  if (good && PyModule_AddStringConstant(module, "torch_version", SK_TORCH_VERSION) == 0) return module;
  Py_XDECREF(module);
  return NULL;
}
