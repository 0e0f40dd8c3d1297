/* matmul_service.c - the calls of Matmul objects: on a cube core they are done at once; on a vector core each
 * becomes a message to the service that the cube core of the same block runs.
 *
 * A vector core has one message outstanding. It leaves a line in the system workspace and, where inputs or
 * results stand in its own buffer, passes them through its slot there. Order goes with the messages as with
 * polled words (machine/soft.h). */
#include <string.h>

#include "isa/cube.h"
#include "isa/matmul.h"
#include "isa/move.h"
#include "kernel_operator/library.h"
#include "machine/framework.h"
#include "machine/soft.h"

#define WORKSPACE_BYTES (16u << 20)
#define MESSAGE_BYTES 64u

#define CROSS_BLOCK 2u    /* mode: the cores of a block */
#define DUAL_BEGIN_ID 9u

/* A vector core's slot: message, A, B, bias, results. */
enum { SLOT_INPUT_BYTES = 96 << 10, SLOT_BIAS_BYTES = 4 << 10, SLOT_A = 512, SLOT_B = SLOT_A + SLOT_INPUT_BYTES,
       SLOT_BIAS = SLOT_B + SLOT_INPUT_BYTES, SLOT_RESULT = SLOT_BIAS + SLOT_BIAS_BYTES };

static sk__matmul_call begin(const char *name, const void *site) {
  return (sk__matmul_call){sk__enter(SK__PIPE_S, name, site), name, site};
}

static uint32_t slot_bytes(const sk__core *core) { return WORKSPACE_BYTES / sk__machine_soc(core->machine)->aiv_count / 512 * 512; }
static uint64_t slot_of(sk__core *core) {
  uint64_t index = (uint64_t)core->block_idx * core->ratio + core->sub_block;
  return sk__framework_of(core)->system_workspace + index % sk__machine_soc(core->machine)->aiv_count * slot_bytes(core);
}

/* Bytes from the vector core's buffer into its slot. */
static bool to_slot(sk__core *core, uint64_t to, const void *address, uint64_t bytes) {
  const void *from = sk__ub_operand(core, address, bytes, SK__BLOCK_BYTES, "the tensor");
  if (from == NULL) return false;
  sk__pipe_barrier(core, SK__PIPE_ALL);
  sk__local_access(core, SK__PIPE_MTE3, SK__READ, from, bytes);
  if (!sk__gm_store(core, SK__PIPE_MTE3, to, from, bytes)) return false;
  sk__advance_gm(core, SK__PIPE_MTE3, bytes, false);
  sk__pipe_barrier(core, SK__PIPE_ALL);
  return true;
}

/* ---- messages ------------------------------------------------------------------------------------ */

static void await_reply(sk__core *core) {
  while (__atomic_load_n(&core->matmul_served, __ATOMIC_ACQUIRE) != core->matmul_posted) sk__yield(core);
  sk__soft_acquire(core, slot_of(core) + MESSAGE_BYTES, 0);
}

static void post(const sk__matmul_call *call, const sk_matmul_message *message) {
  sk__core *core = call->core;
  await_reply(core);
  sk__framework_of(core)->message = *message;
  sk__framework_of(core)->message.site = call->site;
  uint8_t line[MESSAGE_BYTES] = {message->order};
  uint32_t atomics = core->atomic_type;
  core->atomic_type = 0;
  sk__pipe_barrier(core, SK__PIPE_ALL);
  if (!sk__gm_store(core, SK__PIPE_MTE3, slot_of(core), line, sizeof line)) sk__core_abort(core, SK_FAULT);
  core->atomic_type = atomics;
  sk__soft_publish(core, slot_of(core), 0);
  sk__advance(core, SK__PIPE_S, sk__machine_soc(core->machine)->costs.cross_flag_cycles);
  __atomic_store_n(&core->matmul_posted, core->matmul_posted + 1, __ATOMIC_RELEASE);
}

void sk_matmul_begin_client(uint64_t workspace, uint32_t objects) {
  sk__matmul_call call = begin("REGIST_MATMUL_OBJ", SK__SITE());
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
  sk__matmul_call call = begin("the end of the Matmul objects", SK__SITE());
  post(&call, &(sk_matmul_message){.order = SK_MATMUL_QUIT});
}

/* ---- the service ----------------------------------------------------------------------------------- */

static void load(const sk__matmul_call *call, const sk_matmul_load *x) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_MTE2, call->name, call->site);
  void *to = (void *)(uintptr_t)x->to;
  const void *from = (const void *)(uintptr_t)x->from;
  if (x->to_nz) {
    sk__nd2nz p = {.elem_bytes = x->elem_bytes, .nd_num = x->matrices, .rows = x->rows, .columns = x->columns, .src_matrix = x->src_matrix,
                   .src_row = x->src_row, .c0_stride = x->c0_stride, .row_stride = x->row_stride, .nz_matrix = x->nz_matrix};
    sk__nd2nz_run(core, &p, to, from);
  } else {
    sk__bursts b = sk__bursts_blocks(x->count, x->length_blocks, x->src_gap_blocks, x->dst_gap_blocks);
    sk__move_gm_to_local(core, SK__PIPE_MTE2, SK__MEM_L1, to, from, b, SK__BLOCK_BYTES);
  }
  sk__pipe_barrier(core, SK__PIPE_ALL);
}

static void all_steps(const sk__matmul_call *call, const sk_matmul *mm, const sk_matmul_target *target) {
  for (uint32_t step = 0; step < sk__matmul_steps(mm); step++) {
    sk__matmul_compute(call, mm, step, false);
    sk__matmul_store(call, mm, step, target);
  }
}

/* The upper half of L1 is the vector cores' TSCM. */
static bool leaves_shared_l1(sk__core *core, const sk_pipe *pipe) {
  sk__local_place l1 = sk__local_place_of(core, SK__MEM_L1);
  uint64_t end = pipe->matmul_address[0] + pipe->matmul_bytes[0];
  if (end <= l1.address + l1.bytes / 2) return true;
  sk__bad_argument(core, "what Matmul takes of L1 beside TSCM, in bytes,", (int64_t)(end - l1.address),
                   "at most %u; make the tiling's base sizes smaller", l1.bytes / 2);
  return false;
}

static sk__matmul_use use_of(const sk_matmul_message *message) {
  switch (message->order) {
    case SK_MATMUL_KEEP: return SK__TILE_STAYS;
    case SK_MATMUL_ADD: return SK__TILE_ADDS;
    case SK_MATMUL_TILE: return message->matmul.kept ? SK__TILE_STORED : SK__TILE_PASSES;
    case SK_MATMUL_BATCH: return message->batch.partial ? SK__TILE_ADDS : SK__TILE_PASSES;
    default: return SK__TILE_PASSES;
  }
}

static void serve_one(sk__core *core, const sk__core *client, const sk_matmul_message *message, const sk_matmul_functions *const *functions) {
  static const char *const names[] = {[SK_MATMUL_TILE] = "GetTensorC", [SK_MATMUL_ALL] = "IterateAll", [SK_MATMUL_BATCH] = "IterateBatch",
                                      [SK_MATMUL_LOAD] = "DataCopy to TSCM", [SK_MATMUL_KEEP] = "Iterate", [SK_MATMUL_ADD] = "Iterate"};
  sk__matmul_call call = {core, names[message->order], message->site};
  if (message->order == SK_MATMUL_LOAD) {
    load(&call, &message->load);
    return;
  }
  sk_matmul mm = message->matmul;
  mm.pipe = sk__framework_of(core)->pipe;
  mm.functions = functions[mm.number];
  if (!sk__matmul_place_tile(&call, &mm, client->sub_block, core->view.own_ratio, use_of(message))) return;
  if ((mm.a.in_l1 || mm.b.in_l1 || mm.quant_in_l1) && !leaves_shared_l1(core, mm.pipe)) return;
  uint32_t step = (uint32_t)mm.step - 1;
  switch (message->order) {
    case SK_MATMUL_BATCH: sk__matmul_batch_run(&call, &mm, &message->batch, &message->target); break;
    case SK_MATMUL_ALL: all_steps(&call, &mm, &message->target); break;
    case SK_MATMUL_KEEP: sk__matmul_compute(&call, &mm, step, false); break;
    case SK_MATMUL_ADD: sk__matmul_compute(&call, &mm, step, true); break;
    default:
      if (!mm.kept) sk__matmul_compute(&call, &mm, step, false);
      sk__matmul_store(&call, &mm, step, &message->target);
  }
}

void sk_matmul_serve(uint64_t workspace, uint32_t objects, const sk_matmul_functions *const *functions) {
  const void *site = SK__SITE();
  sk__matmul_call call = begin("matmul service", site);
  sk__core *core = call.core;
  if (core->type != SK__AIC) return;
  (void)workspace, (void)objects;
  if (core->view.own_ratio == 0) {
    sk__instr_finding(core, "CROSS_NOT_MIXED", SK__CAT_OPERATOR, SK__ERROR,
                      "define ASCENDC_CUBE_ONLY before lib/matmul_intf.h, or declare the kernel __mix__(1, 1) or __mix__(1, 2)",
                      "the service of a Matmul object on a cube core without vector cores: nobody sends it messages");
    sk__core_abort(core, SK_FAULT);
  }
  uint32_t clients = core->view.own_ratio, quits = 0;
  while (quits < clients) {
    bool idle = true;
    for (uint32_t i = 0; i < clients; i++) {
      sk__core *client = sk__neighbour(core, SK__AIV, i);
      if (client == NULL || __atomic_load_n(&client->matmul_posted, __ATOMIC_ACQUIRE) == client->matmul_served) continue;
      idle = false;
      sk__soft_acquire(core, slot_of(client), 0);
      const sk_matmul_message *message = &sk__framework_of(client)->message;
      if (message->order == SK_MATMUL_QUIT) quits++;
      else serve_one(core, client, message, functions);
      (void)begin("matmul service", site);
      sk__pipe_barrier(core, SK__PIPE_ALL);
      sk__soft_publish(core, slot_of(client) + MESSAGE_BYTES, 0);
      __atomic_store_n(&client->matmul_served, client->matmul_served + 1, __ATOMIC_RELEASE);
    }
    if (idle) sk__yield(core);
  }
}

/* ---- an object --------------------------------------------------------------------------------------- */

void sk_matmul_init(sk_matmul *mm, const void *tiling, void *pipe, bool service_does) {
  sk__core *core = begin("Matmul Init", SK__SITE()).core;
  *mm = (sk_matmul){.a = {.element = mm->a.element, .format = mm->a.format, .layout = mm->a.layout},
                    .b = {.element = mm->b.element, .format = mm->b.format, .layout = mm->b.layout},
                    .bias = {.element = mm->bias.element}, .service = service_does, .number = mm->number, .triangle = mm->triangle,
                    .partial_output = mm->partial_output, .dual_master = mm->dual_master, .functions = mm->functions};
  if (tiling == NULL || (service_does ? SK__AIV : SK__AIC) != core->type) return;
  memcpy(&mm->tiling, tiling, sizeof mm->tiling);
  const sk_cube_tiling *t = &mm->tiling;
  mm->org_m = t->M, mm->org_n = t->N, mm->org_ka = t->Ka, mm->org_kb = t->Kb, mm->org_kc = 0;
  mm->single_m = t->singleCoreM, mm->single_n = t->singleCoreN, mm->single_k = t->singleCoreK;
  mm->with_bias = t->isBias != 0;
  mm->pipe = pipe != NULL ? pipe : sk__framework_of(core)->pipe;
  mm->ready = true;
}

/* Bytes from the vector core's buffer to the input's slot. */
static void pass_bytes(const sk__matmul_call *call, const sk_matmul *mm, sk_matmul_operand *operand, const void *address, uint64_t bytes) {
  sk__core *core = call->core;
  bool bias = operand == &mm->bias;
  uint64_t room = bias ? SLOT_BIAS_BYTES : SLOT_INPUT_BYTES;
  if (bytes > room) {
    sk__bad_argument(core, bias ? "a bias in the vector core's buffer, in bytes," : "an input in the vector core's buffer, in bytes,",
                     (int64_t)bytes, "at most %llu", (unsigned long long)room);
    return;
  }
  await_reply(core); /* the slot may be in use */
  uint64_t to = slot_of(core) + (bias ? SLOT_BIAS : operand == &mm->a ? SLOT_A : SLOT_B);
  if (to_slot(core, to, address, bytes)) operand->address = to;
}

/* An input whose rows have whole blocks. */
static void pass_on(const sk__matmul_call *call, const sk_matmul *mm, sk_matmul_operand *operand, const void *address) {
  bool bias = operand == &mm->bias, is_a = operand == &mm->a;
  int32_t outer = is_a ? mm->single_m : mm->single_n;
  bool k_is_row = !bias && operand->transposed == is_a;
  operand->rows = bias ? 1 : k_is_row ? mm->single_k : outer;
  int32_t c0 = bias ? 1 : 256 / (int32_t)sk__matmul_bits(operand->element);
  operand->pitch = ((bias || k_is_row ? outer : mm->single_k) + c0 - 1) / c0 * c0;
  uint64_t rows = (uint32_t)operand->rows, columns = (uint32_t)operand->pitch;
  if (operand->format == SK_MATMUL_NZ) rows = (rows + 15) / 16 * 16;
  pass_bytes(call, mm, operand, address, rows * columns * sk__matmul_bits(operand->element) / 8);
}

/* The call that gives an input, on a core that may; the input is forgotten until it has been taken. */
static sk__matmul_call begin_input(sk_matmul *mm, sk_matmul_operand *operand, const void *site) {
  static const char *const names[] = {"SetTensorA", "SetTensorB", "SetBias"};
  sk__matmul_call call = begin(names[operand == &mm->a ? 0 : operand == &mm->b ? 1 : 2], site);
  if (call.core->type != (mm->service ? SK__AIV : SK__AIC)) return (sk__matmul_call){0};
  sk__framework *f = sk__framework_of(call.core);
  if (mm->service && f->tile_waits && f->tile.number == mm->number) { /* partial sums may be added to it */
    f->tile_waits = false;
    post(&call, &(sk_matmul_message){.order = SK_MATMUL_KEEP, .matmul = f->tile});
  }
  mm->kept = false;
  *operand = (sk_matmul_operand){.element = operand->element, .format = operand->format, .layout = operand->layout};
  mm->step = 0;
  return call;
}

void sk_matmul_give(sk_matmul *mm, sk_matmul_operand *operand, const void *address, bool local, bool transposed) {
  sk__matmul_call call = begin_input(mm, operand, SK__SITE());
  if (call.core == NULL) return;
  operand->transposed = transposed;
  operand->address = (uint64_t)(uintptr_t)address;
  if (operand == &mm->bias) mm->with_bias = true;
  if (!local) return;
  operand->address = 0;
  if (!mm->service) sk__not_modelled_instr(call.core, "an input that is not in device memory, on a cube core");
  else if (mm->ready) pass_on(&call, mm, operand, address);
  else (void)sk__matmul_complete(&call, mm);
}

void sk_matmul_give_batch(sk_matmul *mm, sk_matmul_operand *operand, const void *address, uint32_t elems, bool transposed) {
  sk__matmul_call call = begin_input(mm, operand, SK__SITE());
  if (call.core == NULL) return;
  operand->transposed = transposed;
  operand->elems = elems;
  if (!mm->service) sk__not_modelled_instr(call.core, "an input that is not in device memory, on a cube core");
  else pass_bytes(&call, mm, operand, address, (uint64_t)elems * sk__matmul_bits(operand->element) / 8);
}

/* A matrix of the single shape that stands in L1; of the cube core, or of the one that serves this vector core. */
void sk_matmul_give_l1(sk_matmul *mm, sk_matmul_operand *operand, const void *address, bool transposed) {
  sk__matmul_call call = begin_input(mm, operand, SK__SITE());
  if (call.core == NULL) return;
  bool is_a = operand == &mm->a, k_is_row = transposed == is_a;
  operand->transposed = transposed;
  operand->in_l1 = true;
  operand->rows = k_is_row ? mm->single_k : is_a ? mm->single_m : mm->single_n;
  operand->address = (uint64_t)(uintptr_t)address;
}

void sk_matmul_give_scalar(sk_matmul *mm, sk_matmul_operand *operand, uint32_t value) {
  sk__matmul_call call = begin_input(mm, operand, SK__SITE());
  if (call.core == NULL) return;
  operand->scalar = true;
  operand->value = value;
  operand->address = 1;
}

static bool size_legal(sk__core *core, const char *what, int32_t value, int32_t most) {
  if (value >= 1 && value <= most) return true;
  sk__bad_argument(core, what, value, "1..%d, the whole matrix", most);
  return false;
}
void sk_matmul_shape(sk_matmul *mm, int32_t m, int32_t n, int32_t k) {
  sk__core *core = begin("the Matmul object's shape", SK__SITE()).core;
  if (core->type != (mm->service ? SK__AIV : SK__AIC)) return;
  int32_t most_k = mm->org_ka < mm->org_kb || mm->org_kb == 0 ? mm->org_ka : mm->org_kb;
  if (!size_legal(core, "M", m, mm->org_m) || !size_legal(core, "N", n, mm->org_n) || !size_legal(core, "K", k, most_k)) return;
  mm->single_m = m, mm->single_n = n, mm->single_k = k;
}

bool sk_matmul_iterate(sk_matmul *mm, bool partial) {
  sk__matmul_call call = begin("Iterate", SK__SITE());
  if (call.core->type != (mm->service ? SK__AIV : SK__AIC) || !sk__matmul_complete(&call, mm)) return false;
  if (partial && !sk__matmul_one_tile(&call, mm)) return false;
  uint32_t steps = sk__matmul_steps(mm);
  if ((uint32_t)mm->step >= steps) {
    mm->step = 0;
    return false;
  }
  mm->step++;
  if (mm->service) { /* the service computes the tile when it is asked for it, or when another is added to it */
    sk__framework *f = sk__framework_of(call.core);
    mm->kept = partial;
    f->tile_waits = !partial && steps == 1;
    if (f->tile_waits) f->tile = *mm;
    if (partial) post(&call, &(sk_matmul_message){.order = SK_MATMUL_ADD, .matmul = *mm});
    return true;
  }
  sk_matmul placed = *mm;
  if (!sk__matmul_place_tile(&call, &placed, 0, 0, partial ? SK__TILE_ADDS : SK__TILE_PASSES)) return false;
  sk__matmul_compute(&call, &placed, (uint32_t)mm->step - 1, partial);
  return true;
}

/* Results that the service left in the slot: rows, or columns of blocks without the rows that only pad. */
static void fetch(const sk__matmul_call *call, void *ub, uint32_t matrices, uint32_t rows, uint32_t columns, const sk_matmul_target *target) {
  sk__core *core = call->core;
  uint32_t bytes = sk__matmul_bits(target->element) / 8, block = bytes == 1 ? 32 : 16;
  bool nz = target->format == SK_MATMUL_NZ;
  uint64_t piece = nz ? (uint64_t)rows * block * bytes : (uint64_t)columns * bytes;
  uint64_t step = nz ? (uint64_t)sk__ceil_to(rows, 16) * block * bytes : (uint64_t)sk__matmul_pitch(columns, target->element) * bytes;
  uint32_t pieces = matrices * (nz ? sk__ceil_div(columns, block) : rows);
  uint64_t extent = pieces * step;
  uint8_t *to = sk__ub_operand(core, ub, extent, SK__BLOCK_BYTES, "the tensor");
  if (to == NULL) return;
  sk__pipe_barrier(core, SK__PIPE_ALL);
  if (piece == step) piece = step = extent, pieces = 1;
  for (uint32_t i = 0; i < pieces; i++) {
    if (!sk__gm_load(core, SK__PIPE_MTE2, to + i * step, target->address + i * step, piece)) return;
    sk__local_access(core, SK__PIPE_MTE2, SK__WRITE, to + i * step, piece);
  }
  sk__advance_gm(core, SK__PIPE_MTE2, extent, true);
  sk__pipe_barrier(core, SK__PIPE_ALL);
}

/* The target in the slot for a result of this size; false: a finding said that it does not fit. */
static bool through_slot(sk__core *core, sk_matmul_target *target, uint32_t rows, uint32_t columns) {
  uint64_t bytes = (uint64_t)(rows + 15) / 16 * 16 * sk__matmul_pitch(columns, target->element) * sk__matmul_bits(target->element) / 8;
  uint32_t room = slot_bytes(core) - SLOT_RESULT;
  target->address = slot_of(core) + SLOT_RESULT;
  if (target->format == SK_MATMUL_ND) target->format = SK_MATMUL_ND_ALIGN;
  if (bytes <= room) return true;
  sk__bad_argument(core, "a result for the vector core's buffer, in bytes,", (int64_t)bytes, "at most %u", room);
  return false;
}

void sk_matmul_get(sk_matmul *mm, const sk_matmul_target *wanted, void *ub) {
  sk__matmul_call call = begin("GetTensorC", SK__SITE());
  sk__core *core = call.core;
  if (core->type != (mm->service ? SK__AIV : SK__AIC) || !sk__matmul_complete(&call, mm)) return;
  if (mm->step == 0) {
    sk__instr_finding(core, "BAD_ARGUMENT", SK__CAT_OPERATOR, SK__ERROR, "call Iterate before, and stop when it returns false",
                      "there is no tile: Iterate has not computed one");
    return;
  }
  sk_matmul_target target = *wanted;
  sk__framework_of(core)->tile_waits = false;
  if (!mm->service) {
    if (ub != NULL) sk__not_modelled_instr(core, "a result that does not go to device memory, on a cube core");
    else sk__matmul_store(&call, mm, (uint32_t)mm->step - 1, &target);
    return;
  }
  sk__matmul_area area = sk__matmul_area_of(mm, (uint32_t)mm->step - 1);
  if (ub != NULL) {
    target.sequential = true;
    if (!through_slot(core, &target, (uint32_t)area.rows, (uint32_t)area.columns)) return;
  }
  post(&call, &(sk_matmul_message){.order = SK_MATMUL_TILE, .matmul = *mm, .target = target});
  await_reply(core);
  if (ub != NULL) fetch(&call, ub, 1, (uint32_t)area.rows, (uint32_t)area.columns, &target);
}

/* With two masters the cores meet by cross-core flags: the vector cores let the cube core begin, and it tells them its end. */
static bool has_partner(const sk_matmul *mm, const sk__core *core) { return mm->dual_master && core->view.own_ratio != 0; }
static void all_of_partner(const sk_matmul *mm, sk__core *core, bool wait) {
  sk__cross_set(core, SK__PIPE_MTE3, CROSS_BLOCK, DUAL_BEGIN_ID);
  if (wait) sk__cross_wait(core, mm->number);
}

/* Whole results: no tile of the object waits to be fetched. */
static void forget_tile(sk_matmul *mm, sk__core *core) {
  mm->step = 0;
  mm->kept = false;
  sk__framework_of(core)->tile_waits = false;
}

void sk_matmul_all(sk_matmul *mm, const sk_matmul_target *wanted, void *ub, bool wait, bool later) {
  sk__matmul_call call = begin("IterateAll", SK__SITE());
  sk__core *core = call.core;
  if (core->type == SK__AIV && has_partner(mm, core)) all_of_partner(mm, core, wait);
  if (core->type == SK__AIC && has_partner(mm, core)) sk__cross_wait(core, DUAL_BEGIN_ID);
  if (core->type != (mm->service ? SK__AIV : SK__AIC) || !sk__matmul_complete(&call, mm)) return;
  sk_matmul_target target = *wanted;
  forget_tile(mm, core);
  if (!mm->service) {
    if (ub != NULL) {
      sk__not_modelled_instr(core, "a result that does not go to device memory, on a cube core");
      return;
    }
    sk_matmul placed = *mm;
    if (!sk__matmul_place_tile(&call, &placed, 0, 0, SK__TILE_PASSES)) return;
    all_steps(&call, &placed, &target);
    if (has_partner(mm, core) && (wait || later)) sk__cross_set(core, SK__PIPE_FIX, CROSS_BLOCK, mm->number);
    return;
  }
  if (ub == NULL) {
    post(&call, &(sk_matmul_message){.order = SK_MATMUL_ALL, .matmul = *mm, .target = target});
    if (wait) await_reply(core);
    return;
  }
  if (!through_slot(core, &target, (uint32_t)mm->single_m, (uint32_t)mm->single_n)) return;
  target.rows = mm->single_m;
  target.pitch = mm->single_n;
  post(&call, &(sk_matmul_message){.order = SK_MATMUL_ALL, .matmul = *mm, .target = target});
  await_reply(core);
  fetch(&call, ub, 1, (uint32_t)mm->single_m, (uint32_t)mm->single_n, &target);
}

void sk_matmul_batches(sk_matmul *mm, const sk_matmul_batch *batch, const sk_matmul_target *wanted, void *ub, bool wait) {
  sk__matmul_call call = begin("IterateBatch", SK__SITE());
  sk__core *core = call.core;
  if (core->type != (mm->service ? SK__AIV : SK__AIC) || !sk__matmul_complete(&call, mm) || !sk__matmul_batch_legal(&call, mm, batch)) return;
  sk_matmul_target target = *wanted;
  forget_tile(mm, core);
  if (!mm->service) {
    if (ub != NULL) {
      sk__not_modelled_instr(core, "a result that does not go to device memory, on a cube core");
      return;
    }
    sk_matmul placed = *mm;
    if (sk__matmul_place_tile(&call, &placed, 0, 0, batch->partial ? SK__TILE_ADDS : SK__TILE_PASSES))
      sk__matmul_batch_run(&call, &placed, batch, &target);
    return;
  }
  uint32_t matrices = sk__matmul_batch_results(mm, batch), rows = (uint32_t)mm->single_m, columns = (uint32_t)mm->single_n;
  if (ub != NULL && !through_slot(core, &target, matrices * sk__ceil_to(rows, 16), columns)) return;
  post(&call, &(sk_matmul_message){.order = SK_MATMUL_BATCH, .matmul = *mm, .target = target, .batch = *batch});
  if (ub != NULL || wait) await_reply(core);
  if (ub != NULL) fetch(&call, ub, matrices, rows, columns, &target);
}

void sk_matmul_batch_take(sk_matmul *mm, const sk_matmul_batch *batch, const sk_matmul_target *wanted, uint64_t taken, void *ub) {
  sk__matmul_call call = begin("GetBatchTensorC", SK__SITE());
  sk__core *core = call.core;
  if (core->type != SK__AIV || !mm->service) return;
  await_reply(core);
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
  sk__pipe_barrier(core, SK__PIPE_ALL);
  for (uint32_t i = 0; i < rows; i++) {
    if (!sk__gm_load(core, SK__PIPE_MTE2, to + i * step, target.address + i * step, piece)) return;
    sk__local_access(core, SK__PIPE_MTE2, SK__WRITE, to + i * step, piece);
  }
  sk__advance_gm(core, SK__PIPE_MTE2, rows * piece, true);
  sk__pipe_barrier(core, SK__PIPE_ALL);
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
  await_reply(call->core); /* the slot may be in use */
  const void *from = (const void *)(uintptr_t)x->from;
  x->from = slot_of(call->core) + SLOT_RESULT;
  return bytes == 0 || to_slot(call->core, x->from, from, bytes);
}

void sk_matmul_load_l1(const char *name, const sk_matmul_load *load) {
  sk__matmul_call call = begin(name, SK__SITE());
  if (call.core->type != SK__AIV) return;
  if (sk__framework_of(call.core)->matmuls == 0) {
    sk__instr_finding(call.core, "QUEUE_STATE", SK__CAT_OPERATOR, SK__ERROR, "call REGIST_MATMUL_OBJ before",
                      "a copy to TSCM without a Matmul object: the service of the cube core makes it");
    return;
  }
  sk_matmul_load made = *load;
  if (made.from_ub && !pass_load(&call, &made)) return;
  post(&call, &(sk_matmul_message){.order = SK_MATMUL_LOAD, .load = made});
  await_reply(call.core);
}

void sk_matmul_wait(sk_matmul *mm) {
  sk__matmul_call call = begin("WaitIterateAll", SK__SITE());
  if (call.core->type == SK__AIV && has_partner(mm, call.core)) sk__cross_wait(call.core, mm->number);
  if (mm->service && call.core->type == SK__AIV) await_reply(call.core);
}

void sk_matmul_end(sk_matmul *mm) {
  sk__matmul_call call = begin("End", SK__SITE());
  if (mm->service && call.core->type == SK__AIV) await_reply(call.core);
  mm->step = 0;
}
