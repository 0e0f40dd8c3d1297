/* library.h - what the C++ tensor layer asks of the library beyond the C API. C and C++.
 *
 * Queues, buffers and events are plain records that live in the kernel's own objects; their rules, flags
 * and findings are the library's work, so an EnQue in a kernel is one call from the user's line. */
#ifndef SK_KERNEL_OPERATOR_LIBRARY_H
#define SK_KERNEL_OPERATOR_LIBRARY_H

#include "../c_api/asc_types.h"
#include "high_level_list.h"

/* Event kinds in the order of their values. X(source pipe, destination pipe). */
#define SK_HARD_EVENT_LIST(X)                                                                          \
  X(MTE2, MTE1) X(MTE1, MTE2) X(MTE1, M) X(M, MTE1) X(MTE2, V) X(V, MTE2) X(MTE3, V) X(V, MTE3)         \
  X(M, V) X(V, M) X(V, V) X(MTE3, MTE1) X(MTE1, MTE3) X(MTE1, V) X(MTE2, M) X(M, MTE2) X(V, MTE1)       \
  X(M, FIX) X(FIX, M) X(MTE3, MTE2) X(MTE2, MTE3) X(S, V) X(V, S) X(S, MTE2) X(MTE2, S) X(S, MTE3)      \
  X(MTE3, S) X(MTE2, FIX) X(FIX, MTE2) X(FIX, S) X(M, S) X(FIX, MTE3) X(MTE1, FIX) X(FIX, MTE1)         \
  X(FIX, FIX)

#define SK_MAX_PIPE_BUFFERS 64   /* a pipe's own */
#define SK_BUFFER_RECORDS 128    /* with those of its pools */
#define SK_MAX_QUEUE_BUFFERS 8
#define SK_HARD_EVENTS 35

/* Memories by number, as in sk_local_array: 1 UB, 2 L1, 3 L0A, 4 L0B, 5 L0C, 6 BT, 7 FB. */
#define SK_LOCAL_MEMORIES 8

enum { SK_BUFFER_FREE, SK_BUFFER_ALLOCATED, SK_BUFFER_ENQUEUED, SK_BUFFER_DEQUEUED, SK_BUFFER_UNPLACED, SK_BUFFER_RELEASED };
typedef struct sk_buffer {
  uint64_t address;
  const struct sk_pool *pool; /* NULL: the pipe's own */
  uint32_t bytes;
  uint8_t state;        /* unplaced: without memory; released: free again */
  uint8_t retired;      /* its pool was reset: the pool's next buffers may take the record */
  uint8_t memory;
  uint8_t queued;       /* 1: belongs to a queue, 0: a TBuf */
  uint8_t own_place;    /* where the kernel said: buffers may lie over one another */
  int8_t enque_event;   /* id, -1: none */
  int8_t free_event;
  uint8_t free_kind;    /* event kind of free_event */
  const void *released_at; /* call site of its last FreeTensor */
} sk_buffer;

typedef struct sk_pipe {
  uint32_t used_bytes[SK_LOCAL_MEMORIES];
  uint32_t buffer_count, own_count;
  uint8_t alive;
  uint8_t event_taken[SK_HARD_EVENTS]; /* a bit per id */
  uint8_t event_given[SK_HARD_EVENTS]; /* likewise: ids that AllocEventID and FetchEventID have named */
  uint64_t matmul_address[2];          /* L1 and L0C that all Matmul objects of this pipe use; 0: none yet */
  uint32_t matmul_bytes[2], matmul_cleared_bytes, shared_l1_bytes;
  sk_buffer buffers[SK_BUFFER_RECORDS];
} sk_pipe;

/* A part of a pipe's memory that hands out buffers of its own (TBufPool, or a class of the kernel's). */
typedef struct sk_pool {
  sk_pipe *pipe;
  uint64_t address;
  uint32_t bytes, used_bytes;
  uint8_t memory;
  uint8_t count, limit; /* buffers: since the last reset, and as declared */
} sk_pool;
/* What TBufHandle points to: a number of a buffer in a kernel's own pool. */
typedef struct sk_pool_slot {
  sk_pool *pool;
  uint32_t index;
} sk_pool_slot;

typedef struct sk_queue {
  sk_pipe *pipe;        /* NULL: no InitBuffer yet */
  uint8_t first, count; /* its buffers in the pipe */
  uint8_t depth, memory;
  uint8_t enque_kind, free_kind;
  uint8_t cursor;       /* next buffer to allocate */
  uint8_t head, waiting, allocated;
  uint8_t inert;        /* its memory is not on this kind of core: nothing happens */
  uint8_t shared_l1;    /* TSCM: on a vector core it lies in L1 of the cube core that serves it */
  uint8_t silent;       /* no events: the service keeps the order */
  uint8_t fifo[SK_MAX_QUEUE_BUFFERS];
} sk_queue;

typedef struct sk_memory {
  uint64_t address, bytes;
} sk_memory;

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* ---- pipe, buffers, events ------------------------------------------------------------------- */

void sk_pipe_init(sk_pipe *pipe);
void sk_pipe_destroy(sk_pipe *pipe, bool with_barrier);
/* All that the object holds, as the chip's has it: queues go on with the other one's buffers. */
void sk_pipe_copy(sk_pipe *to, const sk_pipe *from);
void sk_pipe_reset(sk_pipe *pipe);
void *sk_pipe_current(void); /* ends the block with a finding where there is none */
/* `count` buffers of `bytes` each, rounded up to 32; the record's constants are filled in before. */
bool sk_pipe_init_queue(sk_pipe *pipe, sk_pool *pool, sk_queue *queue, uint32_t count, uint32_t bytes);
/* Buffers where the kernel wants them: addresses from the memory's start. */
bool sk_pipe_init_queue_at(sk_pipe *pipe, sk_queue *queue, uint32_t count, const sk_memory *places);
sk_memory sk_pipe_init_buffer(sk_pipe *pipe, sk_pool *pool, uint32_t memory, uint32_t bytes);
/* The pool's limit is filled in before. From `parent`, or from the pipe; shared: the same memory as that pool. */
bool sk_pipe_init_pool(sk_pipe *pipe, sk_pool *parent, sk_pool *pool, const sk_pool *shared, uint32_t memory, uint32_t bytes);
void sk_pool_reset(sk_pool *pool);
/* The kernel places the buffers: a queue of the pool gets `count` of them, and each its place. */
void sk_pool_place_queue(const sk_pool_slot *slot, sk_queue *queue, uint32_t count);
void sk_pool_place_buffer(const sk_pool *pool, sk_queue *queue, uint32_t index, uint32_t offset_bytes, uint32_t bytes);
sk_memory sk_pool_place(const sk_pool *pool, uint32_t offset_bytes, uint32_t bytes);
/* A slot of the pool; beyond its limit a finding and the end of the block. */
void sk_pool_slot_at(sk_pool_slot *slots, sk_pool *pool, uint32_t index);
/* What is left of UB below the reserved scratch. */
sk_memory sk_pipe_rest(void);
int32_t sk_event_alloc(sk_pipe *pipe, uint32_t kind);
int32_t sk_event_fetch(sk_pipe *pipe, uint32_t kind);
void sk_event_release(sk_pipe *pipe, uint32_t kind, int32_t id);

sk_memory sk_queue_alloc(sk_queue *queue);
bool sk_queue_enque(sk_queue *queue, uint64_t address);
sk_memory sk_queue_deque(sk_queue *queue);
void sk_queue_free(sk_queue *queue, uint64_t address);
void sk_queue_free_events(sk_queue *queue);
bool sk_queue_vacant(const sk_queue *queue);
bool sk_queue_idle(const sk_queue *queue);

/* ---- the core -------------------------------------------------------------------------------- */

/* Address of a byte of one of this core's memories; 0 on the host. */
uint64_t sk_local_address(uint32_t memory, uint32_t offset_bytes);
int64_t sk_block_index(void); /* GetBlockIdx */
/* Mask register: all ones, or the first `length` elements (counter mode: that many in total). */
void sk_mask_full(void);
void sk_mask_length(uint64_t length);
/* What InitSocState resets. */
void sk_init_soc_state(void);
/* The compiler's automatic order between the scalar unit and the other pipes of a vector core, around a
 * scalar access to a tensor: in UB it also waits for V. */
void sk_auto_sync_begin(void); /* from here on also between vector instructions */
void sk_auto_sync_local(void);
void sk_auto_sync_global(void);
/* SetPadValue, and whether it was called in this kernel. */
void sk_set_pad_value(uint64_t bits);
bool sk_pad_value_given(void);
/* Cleans and invalidates a cache line, inside a SuperKernel only. */
void sk_line_clean(uint64_t address);
void sk_set_atomic_type(uint32_t type); /* the operation stays */
void sk_set_system_workspace(uint64_t address);
uint64_t sk_system_workspace(void);
void sk_set_control_bits(uint32_t first, uint32_t last, uint64_t value);
uint64_t sk_control_bits(uint32_t first, uint32_t last);
/* An exception register watches the blocks of UB behind `start` up to `end`, which is one of them; kinds, from bit 0: scalar
 * read, write, vector read, write, MTE read, write. */
void sk_watch_local(uint32_t which, uint32_t start, uint32_t end, uint32_t kinds, bool enable);
/* Scalar access to device memory past the data cache. */
void sk_read_past_cache(void *to, const void *from, uint32_t bytes);
void sk_write_past_cache(void *to, uint64_t value, uint32_t bytes);

/* Selection that goes on through the bits; src1 NULL: the scalar. count 0: repeats with strides. */
void sk_select_by_bits(void *dst, const void *bits, const void *src0, const void *src1, uint32_t scalar, uint32_t elem_bytes,
                       uint32_t count, uint8_t repeat, uint8_t dst_block_stride, uint8_t src0_block_stride,
                       uint8_t src1_block_stride, uint8_t dst_repeat_stride, uint8_t src0_repeat_stride,
                       uint8_t src1_repeat_stride);
/* first, first + 1, ...; type 0 half, 1 float, 2 int16, 3 int32; count 0: repeats with strides. */
void sk_create_index(void *dst, uint32_t type, double first, uint32_t count, uint8_t repeat, uint16_t dst_block_stride,
                     uint16_t dst_repeat_stride);
/* Which of the two registers a reduction to an extreme wrote last. */
void sk_note_extreme(bool least);
bool sk_last_extreme_is_least(void);

/* ---- high-level functions: one step on V each; float_bits is 16 (half) or 32 ------------------- */

/* sharedTmpBuffer of a call; not given: what the pipe has left. reuse: isReuseSource. */
typedef struct sk_scratch {
  const void *address;
  uint32_t bytes;
  bool given, reuse;
} sk_scratch;

/* Temporary memory of `repeats` of 256 bytes for the call that follows. False: it is too small, a finding was told. */
bool sk_high_scratch(const char *name, uint32_t repeats, sk_scratch tmp);
/* src0 or src1 NULL: the scalar. */
void sk_high_elementwise(sk_high_op op, uint32_t float_bits, void *dst, const void *src0, const void *src1, double scalar,
                         uint32_t count, sk_scratch tmp);
/* dst = src0 * src1 * sigmoid(beta * src1). */
void sk_high_swiglu(uint32_t float_bits, void *dst, const void *src0, const void *src1, double beta, uint32_t count, sk_scratch tmp);
/* Rows of `columns` elements, `pitch` elements apart. value_bits: type of what a row has one of. nz_rows not 0: the softmax
 * functions find 16 columns of so many rows after another (NZ). */
typedef struct sk_rows {
  uint32_t rows, columns, pitch, float_bits, value_bits, nz_rows;
} sk_rows;
/* A row's values are blocks of 32 bytes. NULL: not wanted. in_max and in_sum: those of the steps before; scale: what they
 * are multiplied by. */
typedef enum sk_softmax_kind { SK_SOFTMAX_PLAIN, SK_SOFTMAX_LOG, SK_SOFTMAX_FLASH, SK_SOFTMAX_FLASH2 } sk_softmax_kind;
void sk_high_softmax(sk_softmax_kind kind, const sk_rows *shape, void *dst, void *sum, void *max, const void *src, void *scale,
                     const void *in_sum, const void *in_max, sk_scratch tmp);
typedef struct sk_part_means {
  uint32_t loop_count, parts;
  float alpha;
} sk_part_means;
void sk_high_softmax_part_means(const sk_rows *shape, const sk_part_means *p, void *dst, void *mean, void *sum, void *max, const void *src,
                                void *scale, const void *in_mean, const void *in_sum, const void *in_max, sk_scratch tmp);
void sk_high_softmax_given(const sk_rows *shape, void *dst, const void *sum, const void *max, const void *src, sk_scratch tmp);
void sk_high_softmax_grad(const sk_rows *shape, void *dst, const void *grad, const void *src, bool front_only, sk_scratch tmp);
bool sk_high_adjust_rows(const sk_rows *shape, void *dst, const void *max, uint32_t from_bits, double to);
void sk_high_row_sum(const sk_rows *shape, void *dst, const void *src, double factor, sk_scratch tmp);
void sk_high_broadcast(uint32_t elem_bytes, void *dst, const void *src, const uint32_t *dst_shape, const uint32_t *src_shape,
                       uint32_t dims, sk_scratch tmp);
void sk_high_quantise(uint32_t float_bits, int8_t *dst, const void *src, float scale, float offset, uint32_t count, sk_scratch tmp);
typedef enum sk_high_scale { SK_HIGH_SCALE_F32, SK_HIGH_SCALE_BF16, SK_HIGH_SCALE_U64 /* a float in its low half */ } sk_high_scale;
/* Rows of n, of which `count` are computed, `elems` in all; rows of the result begin at blocks. single_row: a row that holds several
 * times the count is as many rows. */
typedef struct sk_dequant {
  uint32_t rows, columns, count, elems, result_bits;
  bool result_is_bf16, single_row;
  sk_high_scale kind;
  float scale; /* without scales of columns */
} sk_dequant;
void sk_high_dequantise(const sk_dequant *what, void *dst, const int32_t *src, const void *scales, sk_scratch tmp);
/* index: names of the columns; finished: a byte per row, whose positions become `columns` where it is set. Both may be NULL. */
void sk_high_top_k(const sk_rows *shape, void *values, int32_t *positions, const void *src, const int32_t *index, const void *finished,
                   uint32_t k, bool largest);
/* src_bits 8 or 4; the results have 16. */
void sk_high_anti_quantise(uint32_t src_bits, bool bf16, void *dst, const void *src, const void *offsets, const void *scales, double offset,
                           double scale, uint32_t rows, uint32_t columns, bool per_row, sk_scratch tmp);
void sk_high_quantise_by(uint32_t float_bits, int8_t *dst, const void *src, const void *scales, const void *offsets, double offset,
                         uint32_t period, uint32_t count, sk_scratch tmp);
typedef enum sk_high_reduction {
  SK_HIGH_REDUCE_SUM, SK_HIGH_REDUCE_MEAN, SK_HIGH_REDUCE_MAX, SK_HIGH_REDUCE_MIN, SK_HIGH_REDUCE_PROD, SK_HIGH_REDUCE_ANY,
  SK_HIGH_REDUCE_ALL
} sk_high_reduction;
/* bits 8 (bytes), 16, 32; rows begin at blocks of 32 bytes. */
void sk_high_reduce(sk_high_reduction op, uint32_t bits, void *dst, const void *src, uint32_t rows, uint32_t columns, bool along_row,
                    sk_scratch tmp);
void sk_high_xor(uint16_t *dst, const uint16_t *src0, const uint16_t *src1, uint32_t count, bool total, sk_scratch tmp);
typedef enum sk_high_class { SK_HIGH_IS_FINITE, SK_HIGH_IS_INF, SK_HIGH_IS_NAN } sk_high_class;
void sk_high_classify(sk_high_class which, uint32_t float_bits, uint32_t result_bits, void *dst, const void *src, uint32_t count);
void sk_high_arange(uint32_t type, void *dst, double first, double step, uint32_t count);
void sk_add_deq_relu(void *dst, const int32_t *src0, const int32_t *src1, uint32_t count);
void sk_add_deq_relu_strided(void *dst, const int32_t *src0, const int32_t *src1, uint8_t repeat, uint8_t dst_block, uint8_t src0_block,
                             uint8_t src1_block, uint8_t dst_repeat, uint8_t src0_repeat, uint8_t src1_repeat);
/* Rows: `columns` of `pitch` elements are computed; in_place: the others become those of mean and variance. */
void sk_high_welford_update(const sk_rows *shape, float *out_mean, float *out_variance, const float *mean, const float *variance, const void *x,
                            float reciprocal, bool in_place, sk_scratch tmp);
/* counts NULL: the first head_columns stand for `head` values each, the others for `tail`. */
typedef struct sk_counts {
  uint32_t columns, head_columns;
  double head, tail, reciprocal;
} sk_counts;
void sk_high_welford_finalise(float *out_mean, float *out_variance, const float *mean, const float *variance, const int32_t *counts,
                              const sk_counts *p, sk_scratch tmp);
/* The mask's elements have mask_bytes, or are bits (0). */
void sk_high_mask(const char *name, uint32_t bits, void *dst, const void *src, const void *mask, uint32_t rows, uint32_t columns,
                  uint32_t mask_pitch, uint32_t mask_bytes, bool keep_where_set, double factor, double else_value, sk_scratch tmp);
void sk_high_running_sum(const sk_rows *shape, void *dst, void *last_row, const void *src, bool along_rows, sk_scratch tmp);

/* Norms: a value per row has shape.value_bits, gamma and beta weight_bits. */
typedef enum sk_norm_kind { SK_NORM_LAYER, SK_NORM_LAYER_SEPARATE, SK_NORM_RMS, SK_NORM_DEEP, SK_NORM_GIVEN } sk_norm_kind;
typedef struct sk_norm {
  sk_norm_kind kind;
  sk_rows shape;
  uint32_t weight_bits;
  double epsilon, alpha;
} sk_norm;
void sk_high_norm(const sk_norm *norm, void *dst, void *mean, void *spread, void *rstd, const void *src, const void *more,
                  const void *gamma, const void *beta, sk_scratch tmp);
void sk_high_batch_norm(const sk_rows *shape, void *dst, void *mean, void *variance, const void *src, const void *gamma, const void *beta,
                        double epsilon, bool basic_block, sk_scratch tmp);
typedef struct sk_groups {
  uint32_t n, channels, groups, elems, float_bits;
} sk_groups;
void sk_high_group_norm(const sk_groups *groups, void *dst, void *mean, void *variance, const void *src, const void *gamma,
                        const void *beta, double epsilon, sk_scratch tmp);
void sk_high_layer_norm_grad(const sk_rows *shape, void *dx, void *for_gamma, const void *dy, const void *x, const void *variance,
                             const void *mean, const void *gamma, double epsilon, sk_scratch tmp);
void sk_high_layer_norm_grad_beta(const sk_rows *shape, void *d_gamma, void *d_beta, const void *for_gamma, const void *dy, sk_scratch tmp);

/* Elements that get other places. */
typedef struct sk_padding {
  uint32_t rows, columns, original, left, right; /* original: columns that hold data */
} sk_padding;
void sk_high_pad(uint32_t elem_bytes, void *dst, const void *src, const sk_padding *padding, uint64_t value, sk_scratch tmp);
void sk_high_unpad(uint32_t elem_bytes, void *dst, const void *src, const sk_padding *padding);
typedef struct sk_volume {
  uint32_t n, c, d, h, w;
} sk_volume;
void sk_high_trans_data(void *dst, const void *src, const sk_volume *volume, bool to_blocks, bool by_n, sk_scratch tmp);
/* NCHW to NHWC, or back. */
void sk_high_channels(uint32_t elem_bytes, void *dst, const void *src, const sk_volume *volume, bool to_last, sk_scratch tmp);
/* B, N, S and H / N stand in n, c, h and w. */
void sk_high_transpose(uint32_t type, uint32_t elem_bytes, void *dst, const void *src, const sk_volume *volume, sk_scratch tmp);

/* Early start in a SuperKernel, by the configuration word of the running operator. */
void sk_set_next_task_start(pipe_t aiv_pipe, pipe_t aic_pipe);
void sk_wait_previous_task_end(void);

/* Synchronisation by polled slots of 32 bytes in device memory; ub: a slot of scratch each. Vector cores only. */
void sk_soft_sync_all(void *workspace, void *ub, int32_t used_cores);
void sk_soft_set(void *workspace, void *ub, int32_t block, int32_t event, bool aiv_only);
void sk_soft_wait(void *workspace, void *ub, int32_t block, int32_t event, bool aiv_only);
void sk_turns_begin(void *workspace, void *ub);
void sk_turn_wait(void *workspace, void *ub);
void sk_turn_notify(void *workspace, void *ub);
/* Some vector cores wait for others. `..._ready` polls and says whether the other half of the call may follow, behind
 * an event from S to MTE3. */
typedef struct sk_group_barrier {
  uint64_t workspace;
  uint32_t arrivers, waiters; /* 0: the constructor refused */
  uint32_t round;             /* from 1 */
  bool arrived;               /* in this round */
} sk_group_barrier;
void sk_group_begin(sk_group_barrier *barrier, void *workspace, uint32_t arrivers, uint32_t waiters);
bool sk_group_arrive_ready(sk_group_barrier *barrier, uint32_t index);
void sk_group_arrive(sk_group_barrier *barrier);
bool sk_group_wait_ready(sk_group_barrier *barrier, uint32_t index);
void sk_group_wait(sk_group_barrier *barrier);

/* DumpTensor: a header line and the elements. type: 0 half, 1 bfloat16, 2 float, 3 signed, 4 unsigned integer. */
void sk_dump(const char *position, uint32_t desc, const void *address, uint32_t type, uint32_t elem_bytes, uint32_t count);
/* Laid out by a shape of 1 to 8 dimensions; what the shape has more than `count` is a dash. */
void sk_dump_shaped(const char *position, uint32_t desc, const void *address, uint32_t type, uint32_t elem_bytes, uint32_t count,
                    uint32_t dims, const uint32_t *shape);

/* A call that touches `count` elements of a tensor of `elems`. */
void sk_tensor_overflow(uint32_t count, uint32_t elems) __attribute__((cold));
/* A reduction whose work tensor has `elems` elements, fewer than `least`. */
void sk_work_too_small(const char *call, uint32_t elems, uint32_t least) __attribute__((cold));

/* A finding of the catalogue about the call at hand; fatal ends the block. Text: one sentence. */
void sk_kernel_finding(const char *id, const char *text, bool fatal);
/* Of what the chip does as it is told and the framework's own checks forbid. */
void sk_kernel_warning(const char *id, const char *text);
/* printf of a kernel, which also works on the host. */
int sk_kernel_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void sk_kernel_assert_failed(const char *expression, const char *file, int line) __attribute__((noreturn));
void sk_kernel_trap(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
