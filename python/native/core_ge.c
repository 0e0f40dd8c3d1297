/* core_ge.c - graphs of the GE graph compiler for Python: whose launches follow, and fusing what was captured. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "superkernel/ge.h"

PyObject *core_ge_operator(PyObject *self, PyObject *argument) {
  (void)self;
  sk_ge_operator op = {0};
  if (argument == Py_None) return core_done(sk_ge_operator_set(NULL), "sk_ge_operator_set");
  if (!PyArg_ParseTuple(argument, "szzzII", &op.name, &op.type, &op.scope, &op.options, &op.aicore_num, &op.vectorcore_num)) return NULL;
  return core_done(sk_ge_operator_set(&op), "sk_ge_operator_set");
}

PyObject *core_ge_compile(PyObject *self, PyObject *argument) {
  (void)self;
  void *model = PyLong_AsVoidPtr(argument);
  char *listing = NULL;
  if (PyErr_Occurred() != NULL) return NULL;
  aclError error = sk_ge_compile(model, &listing);
  if (error != ACL_SUCCESS) return core_fail(error, "sk_ge_compile");
  PyObject *text = PyUnicode_DecodeUTF8(listing, (Py_ssize_t)strlen(listing), "replace");
  free(listing);
  return text;
}
