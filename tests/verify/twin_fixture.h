/* twin_fixture.h - a device under the verifier, and kernels that are good, or wrong only when fused. */
#ifndef SK_TESTS_VERIFY_TWIN_FIXTURE_H
#define SK_TESTS_VERIFY_TWIN_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "harness.h"
#include "verify/verify.h"

enum { SLOTS = 64, BUFFER_BYTES = SLOTS * 32 };

/* One argument block for all: to[slot] = from[slot] + add for the slots of a block, 32 bytes each. */
typedef struct twin_args { uint64_t from, to; uint32_t add, slots; } twin_args;

extern const sk_kernel add_vector, add_cube;
extern const sk_kernel add_hidden;      /* as add_vector, its pointers declared as plain numbers */
extern const sk_kernel ratio_words;     /* 1:1; from is not used; to = add + vector cores per cube core */
extern const sk_kernel ratio_hidden;    /* the same, its pointers declared as plain numbers */
extern const sk_kernel ratio_floats;    /* the same, as floats that differ in the last bits only */
extern const sk_kernel both_vectors;    /* 1:1; writes slot of its block on every vector core */
extern const sk_kernel first_vector;    /* the same on sub-block 0 only */
extern const sk_kernel load_last;       /* ends with a load of `from` on MTE2 that nothing waits for */
extern const sk_kernel load_drained;    /* the same, then a full barrier */
extern const sk_kernel local_last;      /* ends with a write of UB on V that nothing waits for */
extern const sk_kernel local_drained;
extern const sk_kernel local_first;     /* begins with a write of the same UB bytes on MTE2 */
extern const sk_kernel store_first;     /* stores its slot at once */
extern const sk_kernel crash_always;
extern const sk_kernel crash_fused;     /* faults where two vector cores stand by a cube core */

/* Attaches a verifier with these modes; NULL: a recorder of plain runs. */
sk__verifier *twin_open(const char *modes);
const sk__verify_result *twin_result(void);
void *buffer_new(uint32_t value);
void buffer_check(const void *buffer, uint32_t value);
void launch(aclrtStream stream, const sk_kernel *kernel, uint32_t blocks, const void *from, void *to, uint32_t add);
/* Findings of that id as they are shown, in all modes. */
size_t shown(const char *id);
size_t shown_all(void);
const sk__mode_result *mode_of(const char *name);

#define assert_ok(call)                                                           \
  do {                                                                            \
    int code_ = (call);                                                           \
    if (code_ != ACL_SUCCESS) fail_msg("%s: %s", #call, aclGetRecentErrMsg());    \
  } while (0)

#endif
