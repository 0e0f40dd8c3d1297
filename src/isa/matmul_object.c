/* matmul_object.c - the calls of Matmul objects: on a cube core they are done at once; on a vector core each becomes a message
 * to the service that the cube core of the same block runs (matmul_client.c, matmul_service.c). */
#include <string.h>

#include "isa/cube.h"
#include "isa/matmul.h"
#include "machine/framework.h"

#define CROSS_BLOCK 2u    /* mode: the cores of a block */
#define DUAL_BEGIN_ID 9u

/* Does the object do something on this core? The other half of the kernel passes its calls by. */
static bool issues(const sk_matmul *mm, const sk__core *core) { return core->type == (mm->service ? SK__AIV : SK__AIC); }

void sk_matmul_init(sk_matmul *mm, const void *tiling, void *pipe, bool service_does) {
  sk__core *core = sk__matmul_begin("Matmul Init", SK__SITE()).core;
  *mm = (sk_matmul){.a = {.element = mm->a.element, .format = mm->a.format, .layout = mm->a.layout},
                    .b = {.element = mm->b.element, .format = mm->b.format, .layout = mm->b.layout},
                    .bias = {.element = mm->bias.element}, .service = service_does, .number = mm->number, .triangle = mm->triangle,
                    .partial_output = mm->partial_output, .dual_master = mm->dual_master, .functions = mm->functions};
  if (tiling == NULL || !issues(mm, core)) return;
  memcpy(&mm->tiling, tiling, sizeof mm->tiling);
  const sk_cube_tiling *t = &mm->tiling;
  mm->org_m = t->M, mm->org_n = t->N, mm->org_ka = t->Ka, mm->org_kb = t->Kb, mm->org_kc = 0;
  mm->single_m = t->singleCoreM, mm->single_n = t->singleCoreN, mm->single_k = t->singleCoreK;
  mm->with_bias = t->isBias != 0;
  mm->pipe = pipe != NULL ? pipe : sk__framework_of(core)->pipe;
  mm->ready = true;
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
  sk__matmul_pass(call, mm, operand, address, rows * columns * sk__matmul_bits(operand->element) / 8);
}

/* The call that gives an input, on a core that may; the input is forgotten until it has been taken. */
static sk__matmul_call begin_input(sk_matmul *mm, sk_matmul_operand *operand, const void *site) {
  static const char *const names[] = {"SetTensorA", "SetTensorB", "SetBias"};
  sk__matmul_call call = sk__matmul_begin(names[operand == &mm->a ? 0 : operand == &mm->b ? 1 : 2], site);
  if (!issues(mm, call.core)) return (sk__matmul_call){0};
  sk__framework *f = sk__framework_of(call.core);
  if (mm->service && f->tile_waits && f->tile.number == mm->number) { /* partial sums may be added to it */
    f->tile_waits = false;
    sk__matmul_post(&call, &(sk_matmul_message){.order = SK_MATMUL_KEEP, .matmul = f->tile});
  }
  mm->kept = false;
  *operand = (sk_matmul_operand){.element = operand->element, .format = operand->format, .layout = operand->layout};
  mm->step = 0;
  return call;
}

/* What is not in device memory comes through the service; false: a finding said that there is none. */
static bool comes_by_service(sk__core *core, const sk_matmul *mm) {
  if (!mm->service) sk__not_modelled_instr(core, "an input that is not in device memory, on a cube core");
  return mm->service;
}

void sk_matmul_give(sk_matmul *mm, sk_matmul_operand *operand, const void *address, bool local, bool transposed) {
  sk__matmul_call call = begin_input(mm, operand, SK__SITE());
  if (call.core == NULL) return;
  operand->transposed = transposed;
  operand->address = (uint64_t)(uintptr_t)address;
  if (operand == &mm->bias) mm->with_bias = true;
  if (!local) return;
  operand->address = 0;
  if (!comes_by_service(call.core, mm)) return;
  if (mm->ready) pass_on(&call, mm, operand, address);
  else (void)sk__matmul_complete(&call, mm);
}

void sk_matmul_give_batch(sk_matmul *mm, sk_matmul_operand *operand, const void *address, uint32_t elems, bool transposed) {
  sk__matmul_call call = begin_input(mm, operand, SK__SITE());
  if (call.core == NULL) return;
  operand->transposed = transposed;
  operand->elems = elems;
  if (comes_by_service(call.core, mm))
    sk__matmul_pass(&call, mm, operand, address, (uint64_t)elems * sk__matmul_bits(operand->element) / 8);
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
  sk__core *core = sk__matmul_begin("the Matmul object's shape", SK__SITE()).core;
  if (!issues(mm, core)) return;
  int32_t most_k = mm->org_ka < mm->org_kb || mm->org_kb == 0 ? mm->org_ka : mm->org_kb;
  if (!size_legal(core, "M", m, mm->org_m) || !size_legal(core, "N", n, mm->org_n) || !size_legal(core, "K", k, most_k)) return;
  mm->single_m = m, mm->single_n = n, mm->single_k = k;
}

bool sk_matmul_iterate(sk_matmul *mm, bool partial) {
  sk__matmul_call call = sk__matmul_begin("Iterate", SK__SITE());
  if (!issues(mm, call.core) || !sk__matmul_complete(&call, mm)) return false;
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
    if (partial) sk__matmul_post(&call, &(sk_matmul_message){.order = SK_MATMUL_ADD, .matmul = *mm});
    return true;
  }
  sk_matmul placed = *mm;
  if (!sk__matmul_place_tile(&call, &placed, 0, 0, partial ? SK__TILE_ADDS : SK__TILE_PASSES)) return false;
  sk__matmul_compute(&call, &placed, (uint32_t)mm->step - 1, partial);
  return true;
}

/* A cube core that serves nobody leaves results there only; false: a finding said so. */
static bool goes_to_device_memory(sk__core *core, const void *ub) {
  if (ub != NULL) sk__not_modelled_instr(core, "a result that does not go to device memory, on a cube core");
  return ub == NULL;
}

void sk_matmul_get(sk_matmul *mm, const sk_matmul_target *wanted, void *ub) {
  sk__matmul_call call = sk__matmul_begin("GetTensorC", SK__SITE());
  sk__core *core = call.core;
  if (!issues(mm, core) || !sk__matmul_complete(&call, mm)) return;
  if (mm->step == 0) {
    sk__instr_finding(core, "BAD_ARGUMENT", SK__CAT_OPERATOR, SK__ERROR, "call Iterate before, and stop when it returns false",
                      "there is no tile: Iterate has not computed one");
    return;
  }
  sk_matmul_target target = *wanted;
  sk__framework_of(core)->tile_waits = false;
  if (!mm->service) {
    if (goes_to_device_memory(core, ub)) sk__matmul_store(&call, mm, (uint32_t)mm->step - 1, &target);
    return;
  }
  sk__matmul_area area = sk__matmul_area_of(mm, (uint32_t)mm->step - 1);
  if (ub != NULL) {
    target.sequential = true;
    if (!sk__matmul_through_slot(core, &target, (uint32_t)area.rows, (uint32_t)area.columns)) return;
  }
  sk__matmul_post(&call, &(sk_matmul_message){.order = SK_MATMUL_TILE, .matmul = *mm, .target = target});
  sk__matmul_await(core);
  if (ub != NULL) sk__matmul_fetch(core, ub, 1, (uint32_t)area.rows, (uint32_t)area.columns, &target);
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
  sk__matmul_call call = sk__matmul_begin("IterateAll", SK__SITE());
  sk__core *core = call.core;
  if (core->type == SK__AIV && has_partner(mm, core)) all_of_partner(mm, core, wait);
  if (core->type == SK__AIC && has_partner(mm, core)) sk__cross_wait(core, DUAL_BEGIN_ID);
  if (!issues(mm, core) || !sk__matmul_complete(&call, mm)) return;
  sk_matmul_target target = *wanted;
  forget_tile(mm, core);
  if (!mm->service) {
    if (!goes_to_device_memory(core, ub)) return;
    sk_matmul placed = *mm;
    if (!sk__matmul_place_tile(&call, &placed, 0, 0, SK__TILE_PASSES)) return;
    sk__matmul_run(&call, &placed, &target);
    if (has_partner(mm, core) && (wait || later)) sk__cross_set(core, SK__PIPE_FIX, CROSS_BLOCK, mm->number);
    return;
  }
  uint32_t rows = (uint32_t)mm->single_m, columns = (uint32_t)mm->single_n;
  if (ub != NULL) {
    if (!sk__matmul_through_slot(core, &target, rows, columns)) return;
    target.rows = mm->single_m;
    target.pitch = mm->single_n;
  }
  sk__matmul_post(&call, &(sk_matmul_message){.order = SK_MATMUL_ALL, .matmul = *mm, .target = target});
  if (ub != NULL || wait) sk__matmul_await(core);
  if (ub != NULL) sk__matmul_fetch(core, ub, 1, rows, columns, &target);
}

void sk_matmul_batches(sk_matmul *mm, const sk_matmul_batch *batch, const sk_matmul_target *wanted, void *ub, bool wait) {
  sk__matmul_call call = sk__matmul_begin("IterateBatch", SK__SITE());
  sk__core *core = call.core;
  if (!issues(mm, core) || !sk__matmul_complete(&call, mm) || !sk__matmul_batch_legal(&call, mm, batch)) return;
  sk_matmul_target target = *wanted;
  forget_tile(mm, core);
  if (!mm->service) {
    if (!goes_to_device_memory(core, ub)) return;
    sk_matmul placed = *mm;
    if (sk__matmul_place_tile(&call, &placed, 0, 0, batch->partial ? SK__TILE_ADDS : SK__TILE_PASSES))
      sk__matmul_batch_run(&call, &placed, batch, &target);
    return;
  }
  uint32_t matrices = sk__matmul_batch_results(mm, batch), rows = (uint32_t)mm->single_m, columns = (uint32_t)mm->single_n;
  if (ub != NULL && !sk__matmul_through_slot(core, &target, matrices * sk__ceil_to(rows, 16), columns)) return;
  sk__matmul_post(&call, &(sk_matmul_message){.order = SK_MATMUL_BATCH, .matmul = *mm, .target = target, .batch = *batch});
  if (ub != NULL || wait) sk__matmul_await(core);
  if (ub != NULL) sk__matmul_fetch(core, ub, matrices, rows, columns, &target);
}

void sk_matmul_wait(sk_matmul *mm) {
  sk__matmul_call call = sk__matmul_begin("WaitIterateAll", SK__SITE());
  if (call.core->type == SK__AIV && has_partner(mm, call.core)) sk__cross_wait(call.core, mm->number);
  if (mm->service && call.core->type == SK__AIV) sk__matmul_await(call.core);
}

void sk_matmul_end(sk_matmul *mm) {
  sk__matmul_call call = sk__matmul_begin("End", SK__SITE());
  if (mm->service && call.core->type == SK__AIV) sk__matmul_await(call.core);
  mm->step = 0;
}
