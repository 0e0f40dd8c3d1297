/* device_fixture.h - a device and small kernels written against the machine itself. */
#ifndef SK_TESTS_RUNTIME_DEVICE_FIXTURE_H
#define SK_TESTS_RUNTIME_DEVICE_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "harness.h"
#include "runtime/runtime.h"

enum { SLOTS = 64, SLOT_BYTES = 32, BUFFER_BYTES = SLOTS * SLOT_BYTES };

/* to[slot] = from[slot] + add, 32 bytes of uint32 a slot, slots dealt out to the blocks. */
typedef struct add_args { uint64_t from, to; uint32_t add, slots; } add_args;
extern const sk_kernel add_vector, add_cube;
/* Takes no arguments: writes through a null pointer, waits for a flag nobody sets, never ends. */
extern const sk_kernel crash_vector, crash_cube, hang_vector, endless_vector;

void device_open(void);
aclrtStream stream_new(void);
/* Device memory of BUFFER_BYTES, each word = value. */
void *buffer_new(uint32_t value);
/* Waits for everything; all words of the buffer have the value. */
void buffer_check(const void *buffer, uint32_t value);
int launch_add(aclrtStream stream, const sk_kernel *kernel, uint32_t blocks, const void *from, void *to, uint32_t add);
int launch_plain(aclrtStream stream, const sk_kernel *kernel, uint32_t blocks);
/* Findings so far with that id. */
size_t findings_of(const char *id);
size_t findings_all(void);

/* The code, and a text of the latest failure that holds the word. */
#define assert_fails(call, code, word)                                                            \
  do {                                                                                            \
    assert_int_equal(call, code);                                                                 \
    const char *text_ = aclGetRecentErrMsg();                                                     \
    assert_non_null(text_);                                                                       \
    if (strstr(text_, word) == NULL) fail_msg("no '%s' in: %s", word, text_);                     \
  } while (0)
#define assert_ok(call)                                                                           \
  do {                                                                                            \
    int code_ = (call);                                                                           \
    if (code_ != ACL_SUCCESS) fail_msg("%s: %s", #call, aclGetRecentErrMsg());                    \
  } while (0)

#endif
