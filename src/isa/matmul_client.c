/* matmul_client.c - a vector core's side of the matmul service: its slot in the system workspace, the one message it has
 * outstanding, and what passes between the slot and its own buffer.
 *
 * A message leaves a line in the slot. Order goes with the messages as with polled words (machine/soft.h). */
#include "isa/cube.h"
#include "isa/matmul.h"
#include "machine/framework.h"
#include "machine/soft.h"

#define WORKSPACE_BYTES (16u << 20)
#define MESSAGE_BYTES 64u

/* A vector core's slot: message, A, B, bias, results. */
enum { SLOT_INPUT_BYTES = 96 << 10, SLOT_BIAS_BYTES = 4 << 10, SLOT_A = 512, SLOT_B = SLOT_A + SLOT_INPUT_BYTES,
       SLOT_BIAS = SLOT_B + SLOT_INPUT_BYTES, SLOT_RESULT = SLOT_BIAS + SLOT_BIAS_BYTES };

static uint32_t slot_bytes(const sk__core *core) { return WORKSPACE_BYTES / sk__machine_soc(core->machine)->aiv_count / 512 * 512; }
static uint64_t slot_of(sk__core *core) {
  uint64_t index = (uint64_t)core->block_idx * core->ratio + core->sub_block;
  return sk__framework_of(core)->system_workspace + index % sk__machine_soc(core->machine)->aiv_count * slot_bytes(core);
}

uint64_t sk__matmul_message_word(sk__core *client) { return slot_of(client); }
uint64_t sk__matmul_reply_word(sk__core *client) { return slot_of(client) + MESSAGE_BYTES; }

/* Bytes from the vector core's buffer into its slot. */
static bool ub_to_slot(sk__core *core, uint64_t to, const void *address, uint64_t bytes) {
  const void *from = sk__ub_operand(core, address, bytes, SK__BLOCK_BYTES, "the tensor");
  if (from == NULL) return false;
  sk__pipe_barrier(core, SK__PIPE_ALL);
  sk__local_access(core, SK__PIPE_MTE3, SK__READ, from, bytes);
  if (!sk__gm_store(core, SK__PIPE_MTE3, to, from, bytes)) return false;
  sk__advance_gm(core, SK__PIPE_MTE3, bytes, false);
  sk__pipe_barrier(core, SK__PIPE_ALL);
  return true;
}

/* The other way: pieces that are `step` bytes apart on both sides. */
static void slot_to_ub(sk__core *core, uint8_t *to, uint64_t from, uint32_t pieces, uint64_t piece, uint64_t step, uint64_t bytes) {
  sk__pipe_barrier(core, SK__PIPE_ALL);
  for (uint32_t i = 0; i < pieces; i++) {
    if (!sk__gm_load(core, SK__PIPE_MTE2, to + i * step, from + i * step, piece)) return;
    sk__local_access(core, SK__PIPE_MTE2, SK__WRITE, to + i * step, piece);
  }
  sk__advance_gm(core, SK__PIPE_MTE2, bytes, true);
  sk__pipe_barrier(core, SK__PIPE_ALL);
}

/* ---- messages ------------------------------------------------------------------------------------ */

void sk__matmul_await(sk__core *core) {
  while (__atomic_load_n(&core->matmul_served, __ATOMIC_ACQUIRE) != core->matmul_posted) sk__yield(core);
  sk__soft_acquire(core, sk__matmul_reply_word(core), 0);
}

void sk__matmul_post(const sk__matmul_call *call, const sk_matmul_message *message) {
  sk__core *core = call->core;
  sk__matmul_await(core);
  sk__framework_of(core)->message = *message;
  sk__framework_of(core)->message.site = call->site;
  uint8_t line[MESSAGE_BYTES] = {message->order};
  uint32_t atomics = core->atomic_type;
  core->atomic_type = 0;
  sk__pipe_barrier(core, SK__PIPE_ALL);
  if (!sk__gm_store(core, SK__PIPE_MTE3, slot_of(core), line, sizeof line)) sk__core_abort(core, SK_FAULT);
  core->atomic_type = atomics;
  sk__soft_publish(core, sk__matmul_message_word(core), 0);
  sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.cross_flag_cycles);
  __atomic_store_n(&core->matmul_posted, core->matmul_posted + 1, __ATOMIC_RELEASE);
}

void sk_matmul_begin_client(uint64_t workspace, uint32_t objects) {
  sk__matmul_call call = sk__matmul_begin("REGIST_MATMUL_OBJ", SK__SITE());
  sk__core *core = call.core;
  if (core->type != SK__AIV) return;
  if (core->view.own_ratio == 0 || sk__neighbour(core, SK__AIC, 0) == NULL) {
    sk__instr_finding(core, "CROSS_NOT_MIXED", SK__CAT_OPERATOR, SK__ERROR,
                      "declare the kernel __mix__(1, 1) or __mix__(1, 2), or define ASCENDC_CUBE_ONLY for one of cube cores only",
                      "a Matmul object on a vector core without a cube core: nobody runs its service");
    sk__core_abort(core, SK_FAULT);
  }
  if (core->view.own_ratio == 1 && core->sub_block == 1) {
    sk__instr_finding(core, "H3", SK__CAT_OPERATOR, SK__ERROR, "Guard the Matmul calls so that only sub-block 0 issues them",
                      "the second vector core talks to the matmul service of a 1:1 kernel, which never receives its messages");
    sk__core_abort(core, SK_FAULT);
  }
  if (workspace == 0) {
    sk__instr_finding(core, "BAD_ARGUMENT", SK__CAT_OPERATOR, SK__ERROR, "call SetSysWorkSpace(workspace) before",
                      "there is no system workspace: a null pointer is given, as GetSysWorkSpacePtr returns without SetSysWorkSpace");
    sk__core_abort(core, SK_FAULT);
  }
  sk__framework_of(core)->matmuls = (uint8_t)objects;
  sk__framework_of(core)->system_workspace = workspace;
}

void sk_matmul_quit(void) {
  if (sk__self == NULL || sk__self->type != SK__AIV) return;
  sk__matmul_call call = sk__matmul_begin("the end of the Matmul objects", SK__SITE());
  sk__matmul_post(&call, &(sk_matmul_message){.order = SK_MATMUL_QUIT});
}

/* ---- through the slot ------------------------------------------------------------------------------ */

void sk__matmul_pass(const sk__matmul_call *call, const sk_matmul *mm, sk_matmul_operand *operand, const void *address, uint64_t bytes) {
  sk__core *core = call->core;
  bool bias = operand == &mm->bias;
  uint64_t room = bias ? SLOT_BIAS_BYTES : SLOT_INPUT_BYTES;
  if (bytes > room) {
    sk__bad_argument(core, bias ? "a bias in the vector core's buffer, in bytes," : "an input in the vector core's buffer, in bytes,",
                     (int64_t)bytes, "at most %llu", (unsigned long long)room);
    return;
  }
  sk__matmul_await(core); /* the slot may be in use */
  uint64_t to = slot_of(core) + (bias ? SLOT_BIAS : operand == &mm->a ? SLOT_A : SLOT_B);
  if (ub_to_slot(core, to, address, bytes)) operand->address = to;
}

bool sk__matmul_through_slot(sk__core *core, sk_matmul_target *target, uint32_t rows, uint32_t columns) {
  uint64_t bytes = (uint64_t)(rows + 15) / 16 * 16 * sk__matmul_pitch(columns, target->element) * sk__matmul_bits(target->element) / 8;
  uint32_t room = slot_bytes(core) - SLOT_RESULT;
  target->address = slot_of(core) + SLOT_RESULT;
  if (target->format == SK_MATMUL_ND) target->format = SK_MATMUL_ND_ALIGN;
  if (bytes <= room) return true;
  sk__bad_argument(core, "a result for the vector core's buffer, in bytes,", (int64_t)bytes, "at most %u", room);
  return false;
}

/* Results that the service left in the slot: rows, or columns of blocks without the rows that only pad. */
void sk__matmul_fetch(sk__core *core, void *ub, uint32_t matrices, uint32_t rows, uint32_t columns, const sk_matmul_target *target) {
  uint32_t bytes = sk__matmul_bits(target->element) / 8, block = bytes == 1 ? 32 : 16;
  bool nz = target->format == SK_MATMUL_NZ;
  uint64_t piece = nz ? (uint64_t)rows * block * bytes : (uint64_t)columns * bytes;
  uint64_t step = nz ? (uint64_t)sk__ceil_to(rows, 16) * block * bytes : (uint64_t)sk__matmul_pitch(columns, target->element) * bytes;
  uint32_t pieces = matrices * (nz ? sk__ceil_div(columns, block) : rows);
  uint64_t extent = pieces * step;
  uint8_t *to = sk__ub_operand(core, ub, extent, SK__BLOCK_BYTES, "the tensor");
  if (to == NULL) return;
  if (piece == step) piece = step = extent, pieces = 1;
  slot_to_ub(core, to, target->address, pieces, piece, step, extent);
}

void sk_matmul_batch_take(sk_matmul *mm, const sk_matmul_batch *batch, const sk_matmul_target *wanted, uint64_t taken, void *ub) {
  sk__matmul_call call = sk__matmul_begin("GetBatchTensorC", SK__SITE());
  sk__core *core = call.core;
  if (core->type != SK__AIV || !mm->service) return;
  sk__matmul_await(core);
  sk_matmul_target target = *wanted;
  uint32_t matrices = sk__matmul_batch_results(mm, batch), rows = 1, elem_bytes = sk__matmul_bits(target.element) / 8;
  sk__matmul_batch_place(mm, batch, &target, taken * matrices);
  uint64_t piece = sk_matmul_batch_elems(mm, batch, &target) * elem_bytes, step = piece;
  if (batch->c_layout == SK_MATMUL_BSNGD || batch->c_layout == SK_MATMUL_SBNGD) /* gaps stay, as in device memory */
    rows = (uint32_t)mm->single_m, piece /= rows, step = (uint64_t)(uint32_t)target.pitch * elem_bytes;
  if (piece % SK__BLOCK_BYTES != 0 || step % SK__BLOCK_BYTES != 0) {
    sk__bad_argument(core, "what is fetched at a time, in bytes,", (int64_t)(piece % SK__BLOCK_BYTES != 0 ? piece : step),
                     "multiples of 32; with CubeFormat ND_ALIGN rows have whole blocks");
    return;
  }
  uint8_t *to = sk__ub_operand(core, ub, (rows - 1) * step + piece, SK__BLOCK_BYTES, "the tensor");
  if (to == NULL) return;
  slot_to_ub(core, to, target.address, rows, piece, step, rows * piece);
}

/* What the copy reads, from the vector core's buffer into the slot's part for results. */
static bool pass_load(const sk__matmul_call *call, sk_matmul_load *x) {
  uint64_t blocks = x->count == 0 ? 0 : (uint64_t)x->count * x->length_blocks + (uint64_t)(x->count - 1) * x->src_gap_blocks;
  uint64_t elems = x->rows == 0 ? 0 : (uint64_t)(x->rows - 1) * x->src_row + x->columns;
  uint64_t bytes = x->to_nz ? (elems * x->elem_bytes + SK__BLOCK_BYTES - 1) / SK__BLOCK_BYTES * SK__BLOCK_BYTES : blocks * SK__BLOCK_BYTES;
  uint32_t room = slot_bytes(call->core) - SLOT_RESULT;
  if (x->to_nz && x->matrices != 1) {
    sk__bad_argument(call->core, "ndNum, from the vector core's buffer to TSCM,", x->matrices, "1");
    return false;
  }
  if (bytes > room) {
    sk__bad_argument(call->core, "a copy from the vector core's buffer to TSCM, in bytes,", (int64_t)bytes, "at most %u", room);
    return false;
  }
  sk__matmul_await(call->core); /* the slot may be in use */
  const void *from = (const void *)(uintptr_t)x->from;
  x->from = slot_of(call->core) + SLOT_RESULT;
  return bytes == 0 || ub_to_slot(call->core, x->from, from, bytes);
}

void sk_matmul_load_l1(const char *name, const sk_matmul_load *load) {
  sk__matmul_call call = sk__matmul_begin(name, SK__SITE());
  if (call.core->type != SK__AIV) return;
  if (sk__framework_of(call.core)->matmuls == 0) {
    sk__instr_finding(call.core, "QUEUE_STATE", SK__CAT_OPERATOR, SK__ERROR, "call REGIST_MATMUL_OBJ before",
                      "a copy to TSCM without a Matmul object: the service of the cube core makes it");
    return;
  }
  sk_matmul_load made = *load;
  if (made.from_ub && !pass_load(&call, &made)) return;
  sk__matmul_post(&call, &(sk_matmul_message){.order = SK_MATMUL_LOAD, .load = made});
  sk__matmul_await(call.core);
}
