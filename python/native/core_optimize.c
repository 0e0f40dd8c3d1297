/* core_optimize.c - aclskOptimize for Python: option ids with int, str, list of str or dict values. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "acl/super_kernel.h"
#include "core.h"

enum { MAX_OPTIONS = 32 };

/* Names borrow the Python strings' text, which the caller's list keeps alive. */
typedef struct options {
  aclskOption items[MAX_OPTIONS];
  char **names[MAX_OPTIONS];
  size_t count;
} options;

static int number(PyObject *value, uint32_t *out) {
  long long given = PyLong_AsLongLong(value);
  if (PyErr_Occurred() != NULL) return -1;
  if (given < INT32_MIN || given > UINT32_MAX) {
    PyErr_Format(PyExc_RuntimeError, "option value %lld does not fit into 32 bits", given);
    return -1;
  }
  *out = (uint32_t)given;
  return 0;
}

static int strings(PyObject *list, char ***names, size_t *count) {
  Py_ssize_t length = PyList_Size(list);
  if (length < 0) return -1;
  *names = PyMem_Calloc((size_t)length + 1, sizeof(char *));
  if (*names == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  for (Py_ssize_t i = 0; i < length; i++) {
    (*names)[i] = (char *)(uintptr_t)PyUnicode_AsUTF8(PyList_GET_ITEM(list, i));
    if ((*names)[i] == NULL) return -1;
  }
  *count = (size_t)length;
  return 0;
}

static int sub_number(PyObject *dict, const char *key, uint32_t *out) {
  PyObject *value = PyDict_GetItemString(dict, key);
  return value != NULL ? number(value, out) : 0;
}

static int strategies(PyObject *dict, aclskAggressiveOptStrategies *out) {
  if (!PyDict_Check(dict)) {
    PyErr_SetString(PyExc_TypeError, "aggressive_opt_strategies must be a dict");
    return -1;
  }
  if (sub_number(dict, "event_breaker_bypass", &out->eventBreakerBypass) != 0) return -1;
  if (sub_number(dict, "value_breaker_bypass", &out->valueBreakerBypass) != 0) return -1;
  return sub_number(dict, "task_breaker_bypass", &out->taskBreakerBypass);
}

static int text(PyObject *value, char **out) {
  *out = (char *)(uintptr_t)PyUnicode_AsUTF8(value);
  return *out != NULL ? 0 : -1;
}

static int read_option(unsigned long id, PyObject *value, options *to) {
  aclskOption *option = &to->items[to->count];
  char ***names = &to->names[to->count];
  option->optionType = (aclskOptionType)id;
  to->count++;
  switch (id) {
    case DCCI_DISABLE_ON_KERNEL: return strings(value, names, &option->disableKernelDcci.kernelCnt) != 0 ? -1 : (option->disableKernelDcci.kernelNames = *names, 0);
    case DCCI_BEFORE_KERNEL_START: return strings(value, names, &option->dcciBeforeKernelStart.kernelCnt) != 0 ? -1 : (option->dcciBeforeKernelStart.kernelNames = *names, 0);
    case DCCI_AFTER_KERNEL_END: return strings(value, names, &option->dcciAfterKernelEnd.kernelCnt) != 0 ? -1 : (option->dcciAfterKernelEnd.kernelNames = *names, 0);
    case UBUF_LOCK_IGNORE_KERNEL: {
      size_t count = 0;
      if (strings(value, names, &count) != 0) return -1;
      option->ubufLockIgnoreKernel = (aclskUbufLockIgnoreKernelOption){(uint32_t)count, *names};
      return 0;
    }
    case AGGRESSIVE_OPT_STRATEGIES: return strategies(value, &option->aggressiveOpts);
    case OPT_EXTEND_OPTION: return text(value, &option->optExtend.value);
    case DEBUG_EXTEND_OPTION: return text(value, &option->debugExtend.value);
    case KERNEL_MAP: break;
    default:
      if (id < SK_OPTION_MAX) return number(value, &option->preload.preloadMode); /* each a single uint32_t */
  }
  PyErr_Format(PyExc_ValueError, "option id %lu; legal: 0 to %d without %d", id, (int)SK_OPTION_MAX - 1, (int)KERNEL_MAP);
  return -1;
}

PyObject *core_model_optimize(PyObject *self, PyObject *arguments) {
  (void)self;
  unsigned long long model = 0;
  PyObject *list = NULL;
  options given = {.count = 0};
  if (!PyArg_ParseTuple(arguments, "KO!", &model, &PyList_Type, &list)) return NULL;
  if (PyList_GET_SIZE(list) > MAX_OPTIONS) return PyErr_Format(PyExc_ValueError, "more than %d options", MAX_OPTIONS);
  int failed = 0;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list) && failed == 0; i++) {
    unsigned long id = 0;
    PyObject *value = NULL;
    failed = PyArg_ParseTuple(PyList_GET_ITEM(list, i), "kO", &id, &value) ? read_option(id, value, &given) : -1;
  }
  aclError error = ACL_SUCCESS;
  if (failed == 0) {
    aclskOptions all = {given.items, given.count};
    Py_BEGIN_ALLOW_THREADS
    error = aclskOptimize((void *)(uintptr_t)model, given.count > 0 ? &all : NULL);
    Py_END_ALLOW_THREADS
  }
  for (size_t i = 0; i < given.count; i++) PyMem_Free(given.names[i]);
  return failed != 0 ? NULL : core_done(error, "aclskOptimize");
}
