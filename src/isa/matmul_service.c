/* matmul_service.c - the matmul service: the cube core of a block does what the Matmul objects of its vector cores ask for. */
#include "isa/cube.h"
#include "isa/matmul.h"
#include "machine/framework.h"
#include "machine/soft.h"

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
    case SK_MATMUL_ALL: sk__matmul_run(&call, &mm, &message->target); break;
    case SK_MATMUL_KEEP: sk__matmul_compute(&call, &mm, step, false); break;
    case SK_MATMUL_ADD: sk__matmul_compute(&call, &mm, step, true); break;
    default:
      if (!mm.kept) sk__matmul_compute(&call, &mm, step, false);
      sk__matmul_store(&call, &mm, step, &message->target);
  }
}

void sk_matmul_serve(uint64_t workspace, uint32_t objects, const sk_matmul_functions *const *functions) {
  const void *site = SK__SITE();
  sk__matmul_call call = sk__matmul_begin("matmul service", site);
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
      sk__soft_acquire(core, sk__matmul_message_word(client), 0);
      const sk_matmul_message *message = &sk__framework_of(client)->message;
      if (message->order == SK_MATMUL_QUIT) quits++;
      else serve_one(core, client, message, functions);
      (void)sk__matmul_begin("matmul service", site);
      sk__pipe_barrier(core, SK__PIPE_ALL);
      sk__soft_publish(core, sk__matmul_reply_word(client), 0);
      __atomic_store_n(&client->matmul_served, client->matmul_served + 1, __ATOMIC_RELEASE);
    }
    if (idle) sk__yield(core);
  }
}
