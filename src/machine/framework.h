/* framework.h - what the C++ tensor layer keeps per core: begins empty with every kernel and sub-kernel. */
#ifndef SK_MACHINE_FRAMEWORK_H
#define SK_MACHINE_FRAMEWORK_H

#include <stdint.h>

#include "kernel_operator/library.h"
#include "kernel_operator/matmul_record.h"
#include "machine/machine.h"

#define SK__PIPE_COPIES 8u

typedef struct sk__framework {
  void *pipe;               /* the living TPipe, NULL if there is none */
  uint64_t system_workspace; /* as SetSysWorkSpace stored it, 0 if nobody did */
  uint64_t synced_at;       /* instruction count of the last automatic synchronisation */
  bool extreme_is_least;    /* the last reduction to an extreme was a minimum */
  bool pad_given;           /* SetPadValue was called */
  uint8_t matmuls;          /* Matmul objects registered with the service: cross-core ids 0 to 2N - 1 are theirs */
  sk_matmul_message message; /* AIV: the latest one to the service */
  sk_matmul tile;           /* AIV: the object at its latest Iterate, of which nobody has fetched the tile yet */
  bool tile_waits;
  struct { uint64_t address; uint32_t bytes; uint8_t object; } matmul_tiles[2]; /* AIC: what stands in L0C, by vector core; object
                                                                                  counted from 1, 0: nothing */
  uint64_t sparse_loaded[2]; /* AIC: a bit per fractal of L0B that has an index in the index buffer */
  uint8_t released;         /* the pipe's queue buffers in UB that FreeTensor has given back (buffers.c) */
  bool mapped;              /* chunks of UB name buffers */
  uint8_t copy_count;       /* copies of TPipes that are alive */
  const void *copies[SK__PIPE_COPIES];
  bool unwritten;           /* AIC: the cube's memories hold bytes that nobody has written (isa/cube_unwritten.h) */
} sk__framework;

static inline sk__framework *sk__framework_of(sk__core *core) { return core->framework; }

/* A buffer of this pipe has its place; it has been given back (its state says so; the running call is FreeTensor), or is
 * given out again (before its state says so); all are nobody's business any more. Only with checks, and of the living pipe. */
void sk__buffer_note(sk__core *core, const sk_pipe *pipe, const sk_buffer *buffer);
void sk__released_note(sk__core *core, const sk_pipe *pipe, const sk_buffer *buffer);
void sk__released_take(sk__core *core, const sk_pipe *pipe, const sk_buffer *buffer);
void sk__buffers_forget(sk__core *core);
/* Tells of an access that begins in a buffer and goes beyond it, or in one that was given back; operand NULL: by the scalar
 * unit, which is held to its tensor elsewhere. Worth a call only with a pipe. */
void sk__buffers_judge(sk__core *core, sk__mem mem, uint64_t address, uint64_t bytes, const char *operand);

/* The index buffer of the cube, a quarter of L0B; out of host memory ends the core. */
uint8_t *sk__sparse_buffer_of(sk__core *core);
/* Memory of isa/cube_unwritten.c, always of one size; it stays with the core. NULL: out of host memory. */
void *sk__cube_memory_of(sk__core *core, size_t bytes);

/* The core of this type in the same AI core of the launch; NULL if it starts none. */
sk__core *sk__neighbour(sk__core *core, sk__core_type type, uint32_t sub_block);

/* Where a memory of this core begins, and its size; 0 bytes: this kind of core does not have it. */
typedef struct sk__local_place {
  uint64_t address;
  uint32_t bytes;
} sk__local_place;
sk__local_place sk__local_place_of(const sk__core *core, sk__mem mem);

#endif
