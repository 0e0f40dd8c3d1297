/* core_verify.c - twin runs of a stretch of the process, for Python. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

#include "core.h"
#include "superkernel/verify.h"

PyObject *core_verify_begin(PyObject *self, PyObject *argument) {
  (void)self;
  const char *modes = PyUnicode_AsUTF8(argument);
  aclError error = ACL_SUCCESS;
  if (modes == NULL) return NULL;
  Py_BEGIN_ALLOW_THREADS
  error = sk_verify_begin(modes);
  Py_END_ALLOW_THREADS
  return core_done(error, "sk_verify_begin");
}

/* (program) -> (json, text) */
PyObject *core_verify_end(PyObject *self, PyObject *argument) {
  (void)self;
  const char *program = PyUnicode_AsUTF8(argument);
  char *json = NULL, *text = NULL;
  aclError error = ACL_SUCCESS;
  if (program == NULL) return NULL;
  Py_BEGIN_ALLOW_THREADS
  error = sk_verify_end(program, &json, &text);
  Py_END_ALLOW_THREADS
  if (error != ACL_SUCCESS) return core_fail(error, "sk_verify_end");
  PyObject *both = Py_BuildValue("ss", json, text);
  free(json);
  free(text);
  return both;
}
