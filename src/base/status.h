/* status.h - status values: every function that can fail returns one, and it must be used. */
#ifndef SK_BASE_STATUS_H
#define SK_BASE_STATUS_H

/* The list is written once: enum, name and text come from here. */
#define SK__STATUS_LIST(X)                                                                      \
  X(OK, 0, "success")                                                                           \
  X(INVALID_ARGUMENT, 1, "an argument is out of its legal range")                               \
  X(OUT_OF_MEMORY, 2, "out of host memory")                                                     \
  X(OUT_OF_DEVICE_MEMORY, 3, "out of simulated device memory")                                  \
  X(NOT_FOUND, 4, "no such thing")                                                              \
  X(NOT_MODELLED, 5, "the real system can do this, the simulator does not model it")            \
  X(FAULT, 6, "a kernel faulted")                                                               \
  X(DEADLOCK, 7, "no core can go on")                                                           \
  X(BUDGET, 8, "a kernel ran past its instruction budget")                                      \
  X(IO, 9, "input or output failed")                                                            \
  X(PARSE, 10, "the input is malformed")                                                        \
  X(STATE, 11, "the call does not fit the current state")                                       \
  X(INTERNAL, 12, "an invariant of the simulator does not hold")

typedef enum sk_status {
#define X(name, value, text) SK_##name = (value),
  SK__STATUS_LIST(X)
#undef X
} sk_status;

#define SK_MUST_USE __attribute__((warn_unused_result))

/* Name ("SK_OK") and one-line text of a status; never NULL. */
__attribute__((visibility("default"))) const char *sk_status_name(sk_status status);
__attribute__((visibility("default"))) const char *sk_status_text(sk_status status);

#endif
