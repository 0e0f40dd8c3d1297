/* core.h - what the files of superkernel._core share. */
#ifndef SK_PYTHON_CORE_H
#define SK_PYTHON_CORE_H

#include <Python.h>

#include "acl/acl.h"

/* Sets superkernel.Error from this thread's latest acl error; NULL. */
PyObject *core_fail(aclError code, const char *call);
/* None, or the error. */
PyObject *core_done(aclError code, const char *call);

PyObject *core_verify_begin(PyObject *self, PyObject *argument);
PyObject *core_verify_end(PyObject *self, PyObject *argument);
PyObject *core_model_optimize(PyObject *self, PyObject *arguments);
PyObject *core_ge_operator(PyObject *self, PyObject *argument);
PyObject *core_ge_compile(PyObject *self, PyObject *argument);

#endif
