/* facts.c - what is known of an SK before its code: launch, parameters, flushes, workspace; and every
 * refusal, in the order in which the real generator meets them. */
#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "base/text.h"
#include "fuse/ge/internal.h"

/* ---- descriptions ---------------------------------------------------------------------------- */

static sk_status refuse_description(sk__ge_build *b, uint32_t i) {
  const sk__ge_sub *sub = &b->input->subs[i];
  uint64_t copies = sk__ge_number(b, SK__GE_KEY_SPLIT_MODE);
  if (!sub->type_known) return sk__ge_fail(b->failure, SK__GE_SUB_JSON, NULL, i, -1, "its kernel type is not usable in an SK");
  if (!sub->complete) return sk__ge_fail(b->failure, SK__GE_SUB_JSON, NULL, i, -1, "a field is missing");
  if (sk__ge_number(b, SK__GE_KEY_EARLY_START) == 0 && (sub->es_set || sub->es_wait))
    return sk__ge_fail(b->failure, SK__GE_SUB_EARLY_START, NULL, i, -1, "build it again with early-start=0");
  if (sub->split != 0 && sub->split != copies)
    return sk__ge_fail(b->failure, SK__GE_SUB_SPLIT, NULL, i, -1, "built with %u copies, split-mode is %" PRIu64, sub->split, copies);
  return SK_OK;
}

static sk_status read_subs(sk__ge_build *b) {
  const sk__ge_input *input = b->input;
  for (uint32_t i = 0; i < input->count; i++)
    if (input->subs[i].described && !input->subs[i].task_known) {
      sk_status status = sk__ge_fail(b->failure, SK__GE_CRASH, NULL, i, -1, "kind of task is neither normal nor dynamic");
      b->failure->crash = "KeyError";
      return status;
    }
  b->parts = sk__arena_array(b->arena, sk__ge_part, input->count);
  uint32_t *positions = sk__arena_array(b->arena, uint32_t, input->count);
  if (b->parts == NULL || positions == NULL) return SK_OUT_OF_MEMORY;
  for (uint32_t i = 0; i < input->count; i++) {
    const sk__ge_sub *sub = &input->subs[i];
    if (!sub->described) continue;
    sk_status status = refuse_description(b, i);
    if (status != SK_OK) return status;
    uint32_t device = sk__ge_is_aiv(sub->type) ? input->aiv_count : input->aic_count;
    b->parts[b->count] = (sk__ge_part){.sub = sub, .position = i, .number = (uint32_t)b->count, .blocks = sub->dynamic ? device : sub->blocks};
    positions[b->count++] = i;
    if (sub->dynamic) b->out->features |= SK__GE_FEATURE_DYNAMIC;
  }
  b->out->subs = positions;
  b->out->sub_count = b->count;
  return SK_OK;
}

static sk_status refuse_dynamic_early_start(sk__ge_build *b) {
  for (size_t i = 0; i < b->count; i++) {
    const sk__ge_sub *sub = b->parts[i].sub;
    if (sub->dynamic && (sub->es_set || sub->es_wait)) return sk__ge_fail(b->failure, SK__GE_DYN_EARLY_START, NULL, b->parts[i].position, -1, NULL);
  }
  return SK_OK;
}

/* ---- launch ---------------------------------------------------------------------------------- */

static sk_kernel_type computed_launch(const sk__ge_build *b, uint64_t *blocks) {
  unsigned mask = 0;
  uint64_t aic = 0, aiv = 0;
  for (size_t i = 0; i < b->count; i++) {
    const sk__ge_part *part = &b->parts[i];
    uint64_t cubes = sk__ge_on(part->sub->type, SK__AIC) ? part->blocks : 0;
    uint64_t vectors = sk__ge_on(part->sub->type, SK__AIV) ? (uint64_t)part->blocks * (part->sub->type == SK_MIX_AIC_1_2 ? 2 : 1) : 0;
    mask |= 1u << part->sub->type;
    if (cubes > aic) aic = cubes;
    if (vectors > aiv) aiv = vectors;
  }
  const unsigned vector_types = 1u << SK_AIV_ONLY | 1u << SK_MIX_AIV_1_0, cube_types = 1u << SK_AIC_ONLY | 1u << SK_MIX_AIC_1_0;
  if (mask != 0 && (mask & ~vector_types) == 0) {
    *blocks = aiv;
    return SK_MIX_AIV_1_0;
  }
  if (mask != 0 && (mask & ~cube_types) == 0) {
    *blocks = aic;
    return SK_MIX_AIC_1_0;
  }
  /* a cube side that outweighs a 1:2 operator lowers the ratio of the whole launch: half of its vector
   * cores are missing then */
  bool two_each = !b->emulate && (mask & 1u << SK_MIX_AIC_1_2) != 0;
  if (aiv <= aic && !two_each) {
    *blocks = aic;
    return SK_MIX_AIC_1_1;
  }
  *blocks = aic > (aiv + 1) / 2 ? aic : (aiv + 1) / 2;
  return SK_MIX_AIC_1_2;
}

static sk_status too_few(sk__ge_build *b, int side, uint64_t given, uint64_t needed) {
  const char *key = side == SK__AIC ? "debug-aic-num" : "debug-aiv-num";
  return sk__ge_fail(b->failure, SK__GE_NUM_SUBS, NULL, UINT32_MAX, side, "%s is %" PRIu64 ", needed: %" PRIu64, key, given, needed);
}

static sk_status refuse_debug_numbers(sk__ge_build *b, uint64_t aic, uint64_t aiv, sk_kernel_type type, uint64_t blocks) {
  const sk__ge_input *input = b->input;
  if (aic != 0 && aiv != 0 && aic != aiv && aiv != 2 * aic)
    return sk__ge_fail(b->failure, SK__GE_NUM_RATIO, NULL, UINT32_MAX, -1, "%" PRIu64 " : %" PRIu64 "; legal: 1:0, 0:1, 1:1, 1:2", aic, aiv);
  if (aic > input->aic_count)
    return sk__ge_fail(b->failure, SK__GE_NUM_DEVICE, NULL, UINT32_MAX, SK__AIC, "debug-aic-num is %" PRIu64 " of %u", aic, input->aic_count);
  if (aiv > input->aiv_count)
    return sk__ge_fail(b->failure, SK__GE_NUM_DEVICE, NULL, UINT32_MAX, SK__AIV, "debug-aiv-num is %" PRIu64 " of %u", aiv, input->aiv_count);
  if (type != SK_MIX_AIV_1_0 && aic < blocks) return too_few(b, SK__AIC, aic, blocks);
  uint64_t vectors = type == SK_MIX_AIC_1_2 ? 2 * blocks : blocks;
  if (type != SK_MIX_AIC_1_0 && aiv < vectors) return too_few(b, SK__AIV, aiv, vectors);
  return SK_OK;
}

static sk_status choose_launch(sk__ge_build *b) {
  sk__ge_program *out = b->out;
  uint64_t blocks, aic = sk__ge_number(b, SK__GE_KEY_DEBUG_AIC_NUM), aiv = sk__ge_number(b, SK__GE_KEY_DEBUG_AIV_NUM);
  out->type = computed_launch(b, &blocks);
  if (aic != 0 || aiv != 0) {
    sk_status status = refuse_debug_numbers(b, aic, aiv, out->type, blocks);
    if (status != SK_OK) return status;
    out->type = aiv == 0 ? SK_MIX_AIC_1_0 : aic == 0 ? SK_MIX_AIV_1_0 : aic == aiv ? SK_MIX_AIC_1_1 : SK_MIX_AIC_1_2;
    blocks = aic != 0 ? aic : aiv;
  }
  out->blocks = (uint32_t)blocks;
  out->queue[SK__AIC].launched = out->type != SK_MIX_AIV_1_0;
  out->queue[SK__AIV].launched = out->type != SK_MIX_AIC_1_0;
  if (out->type == SK_MIX_AIC_1_2) return SK_OK;
  for (size_t i = 0; i < b->count; i++)
    if (b->parts[i].sub->type == SK_MIX_AIC_1_2)
      sk__ge_warn(b, "operator %u is a 1:2 kernel, the SK starts one vector core per AI core (H6)", b->parts[i].position);
  return SK_OK;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static const char *const printing[] = {"printf", "timestamp", "assert"};

static bool prints(const sk__ge_sub *sub) {
  for (size_t i = 0; i < sub->debug_count; i++)
    for (size_t k = 0; k < sizeof printing / sizeof printing[0]; k++)
      if (strstr(sub->debug[i], printing[k]) != NULL) return true;
  return false;
}

/* Debug options of all subs that print, each once; the first list is taken as it is. */
static sk_status merge_debug(sk__ge_build *b) {
  sk__ge_program *out = b->out;
  size_t room = 0;
  for (size_t i = 0; i < b->count; i++) room += b->parts[i].sub->debug_count;
  out->debug = sk__arena_array(b->arena, const char *, room);
  if (out->debug == NULL) return SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < b->count; i++) {
    const sk__ge_sub *sub = b->parts[i].sub;
    if (!prints(sub)) continue;
    bool first = out->debug_count == 0;
    out->features |= SK__GE_FEATURE_DUMP;
    if (sub->debug_bytes > out->debug_bytes) out->debug_bytes = sub->debug_bytes;
    for (size_t k = 0; k < sub->debug_count; k++) {
      const sk__ge_words have = {out->debug, out->debug_count};
      if (first || !sk__ge_listed(&have, sub->debug[k])) out->debug[out->debug_count++] = sub->debug[k];
    }
  }
  return SK_OK;
}

static sk_status number_params(sk__ge_build *b) {
  sk__ge_program *out = b->out;
  out->params = sk__arena_calloc(b->arena, b->count, sizeof *out->params);
  if (out->params == NULL) return SK_OUT_OF_MEMORY;
  enum { DYNAMIC_WORDS = 3 }; /* tiling key, block count, lock */
  uint32_t next = 1;
  for (size_t i = 0; i < b->count; i++) {
    sk__ge_part *part = &b->parts[i];
    part->first_param = next;
    next += part->sub->args + (part->sub->dynamic ? DYNAMIC_WORDS : 0);
    part->lock_param = next - 1;
    part->notify_param = next;
    next += (uint32_t)part->sub->send.count;
    part->wait_param = next;
    next += (uint32_t)part->sub->recv.count;
    out->params[i].kernel = part->first_param;
    out->params[i].notify = part->notify_param;
    out->params[i].wait = part->wait_param;
  }
  out->param_count = next - 1;
  bool dump = (out->features & SK__GE_FEATURE_DUMP) != 0, workspace = dump || (out->features & SK__GE_FEATURE_FEED) != 0;
  if (workspace) out->workspace_param = next;
  /* the real generator counts the workspace only when something prints: both get one number otherwise */
  if (dump || (workspace && !b->emulate)) next++;
  if (sk__ge_number(b, SK__GE_KEY_PROFILING) != 0) {
    out->profiling_param = next;
    out->task_param = next + 1;
  }
  return SK_OK;
}

/* ---- flushes --------------------------------------------------------------------------------- */

static sk_status choose_flushes(sk__ge_build *b) {
  const sk__ge_options *options = &b->out->options;
  sk__ge_words before, after, disable;
  if (!sk__ge_split(options->values[SK__GE_KEY_DCCI_BEFORE].text, b->arena, &before) ||
      !sk__ge_split(options->values[SK__GE_KEY_DCCI_AFTER].text, b->arena, &after) ||
      !sk__ge_split(options->values[SK__GE_KEY_DCCI_DISABLE].text, b->arena, &disable))
    return SK_OUT_OF_MEMORY;
  b->out->no_dcci_runs = sk__arena_calloc(b->arena, b->count, sizeof *b->out->no_dcci_runs);
  if (b->out->no_dcci_runs == NULL) return SK_OUT_OF_MEMORY;
  uint32_t run = 0; /* neighbours so far whose flush is disabled */
  for (uint32_t i = 0; i < b->count; i++) {
    sk__ge_part *part = &b->parts[i];
    const sk__ge_sub *sub = part->sub;
    /* the lists act on static subs when these are compiled; of a dynamic one the real generator forgets
     * what its description asks for */
    bool off = sub->dcci_disable, wish_before = sub->dcci_before, wish_after = sub->dcci_after;
    if (sub->dynamic) {
      off = off || sk__ge_listed(&disable, sub->op_type);
      wish_before = (wish_before && !b->emulate) || sk__ge_listed(&before, sub->op_type);
      wish_after = (wish_after && !b->emulate) || sk__ge_listed(&after, sub->op_type);
      if (!off && (!wish_before || !wish_after))
        sk__ge_warn(b, "operator %u decides its tiling on the device and has no flush %s (H11, H12)", part->position, wish_before ? "after it" : "before it");
    }
    part->flush_before = wish_before && !off;
    part->flush_after = wish_after && !off;
    run = off ? run + 1 : 0;
    if (run == 2) b->out->no_dcci_run_count++;
    if (run >= 2) {
      uint32_t *last = b->out->no_dcci_runs[b->out->no_dcci_run_count - 1];
      last[0] = i + 1 - run;
      last[1] = i;
    }
  }
  if (b->out->no_dcci_run_count > 0)
    sk__ge_warn(b, "operators %u and %u follow each other and neither is flushed (H15)", b->out->subs[b->out->no_dcci_runs[0][0]],
                b->out->subs[b->out->no_dcci_runs[0][0] + 1]);
  return SK_OK;
}

/* ---- SyncAll of operators smaller than the SK ------------------------------------------------ */

bool sk__ge_needs_feed(const sk__ge_build *b, const sk__ge_part *part) {
  const sk__ge_program *out = b->out;
  if (!part->sub->sync_all || (part->blocks == out->blocks && part->sub->type == out->type)) return false;
  bool vector_of_two = out->type == SK_MIX_AIC_1_2 && sk__ge_is_aiv(part->sub->type);
  return part->blocks < (uint64_t)out->blocks * (vector_of_two ? 2 : 1);
}

static sk_status size_workspace(sk__ge_build *b) {
  enum { UNIT_BYTES = 512, BYTES_PER_SUB = 128 };
  if (sk__ge_number(b, SK__GE_KEY_FEED_SYNC_ALL) == 0) return SK_OK;
  uint64_t shares = (uint64_t)b->out->blocks * (b->out->type == SK_MIX_AIC_1_2 ? 2 : 1), unit = UNIT_BYTES;
  if (shares == 0) {
    sk_status status = sk__ge_fail(b->failure, SK__GE_CRASH, NULL, UINT32_MAX, -1, "feed-sync-all with an SK of 0 blocks never ends");
    b->failure->crash = "endless loop";
    return status;
  }
  while (shares * unit <= (uint64_t)BYTES_PER_SUB * b->count) unit *= 2;
  b->out->features |= SK__GE_FEATURE_FEED;
  b->out->workspace_bytes = shares * unit;
  return SK_OK;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static sk_status take_options(sk__ge_build *b) {
  sk__ge_program *out = b->out;
  sk__ge_words words;
  if (!sk__ge_split(out->options.values[SK__GE_KEY_COMPILE_OPTIONS].text, b->arena, &words)) return SK_OUT_OF_MEMORY;
  out->compile_options = words.items;
  out->compile_option_count = words.count;
  out->align = sk__ge_number(b, SK__GE_KEY_FUNC_ALIGN);
  out->copies = (uint32_t)sk__ge_number(b, SK__GE_KEY_SPLIT_MODE);
  for (size_t i = 0; i < out->options.ignored_count; i++) sk__ge_warn(b, "option part '%.100s' has no '=' and is ignored", out->options.ignored[i]);
  if (out->copies == 1 || out->copies == 4) return SK_OK;
  sk__ge_warn(b, "split-mode=%u: only 1 and 4 copies can be linked%s", out->copies, b->emulate ? "" : "; 4 are used");
  if (!b->emulate) out->copies = 4;
  return SK_OK;
}

static void mix_in(XXH3_state_t *hash, uint64_t value) { XXH3_64bits_update(hash, &value, sizeof value); }

/* Names of the kernels, kinds of tasks and event lists decide the name; event ids count by first appearance,
 * receive lists before send lists. */
static sk_status name_kernel(sk__ge_build *b) {
  uint32_t *renumbered = sk__arena_array(b->arena, uint32_t, b->event_count); /* 0 not seen */
  XXH3_state_t *hash = XXH3_createState();
  if (renumbered == NULL || hash == NULL || XXH3_64bits_reset(hash) != XXH_OK) {
    XXH3_freeState(hash);
    return SK_OUT_OF_MEMORY;
  }
  uint32_t seen = 0;
  for (size_t i = 0; i < b->count; i++) {
    const sk__ge_sub *sub = b->parts[i].sub;
    const char *name = sub->name != NULL ? sub->name : "";
    XXH3_64bits_update(hash, name, strlen(name) + 1);
    mix_in(hash, sub->dynamic);
    const sk__ge_ids *const lists[] = {&sub->recv, &sub->send};
    for (int l = 0; l < 2; l++) {
      mix_in(hash, lists[l]->count);
      for (size_t k = 0; k < lists[l]->count; k++) {
        uint32_t *number = &renumbered[sk__ge_use_of(b, lists[l]->items[k]) - b->events];
        if (*number == 0) *number = ++seen;
        mix_in(hash, *number);
      }
    }
  }
  b->out->name = sk__arena_format(b->arena, "te_superkernel_%016" PRIx64, (uint64_t)XXH3_64bits_digest(hash));
  XXH3_freeState(hash);
  return b->out->name != NULL ? SK_OK : SK_OUT_OF_MEMORY;
}

sk_status sk__ge_facts(sk__ge_build *b) {
  const sk__ge_input *input = b->input;
  if (!input->chip_supported) return sk__ge_fail(b->failure, SK__GE_SOC, NULL, UINT32_MAX, -1, NULL);
  if (input->subs == NULL) return sk__ge_fail(b->failure, SK__GE_NO_OPS, NULL, UINT32_MAX, -1, NULL);
  sk_status status = sk__ge_options_read(input->options, b->arena, &b->out->options, b->failure);
  if (status == SK_OK) status = read_subs(b);
  if (status == SK_OK) status = sk__ge_read_events(b);
  if (status == SK_OK) status = refuse_dynamic_early_start(b);
  if (status == SK_OK) status = choose_launch(b);
  if (status == SK_OK) status = take_options(b);
  if (status == SK_OK) status = size_workspace(b);
  if (status == SK_OK) status = merge_debug(b);
  if (status == SK_OK) status = number_params(b);
  if (status == SK_OK) status = choose_flushes(b);
  if (status == SK_OK) status = name_kernel(b);
  b->early = b->out->queue_count == 1 && sk__ge_number(b, SK__GE_KEY_EARLY_START) != 0;
  if (b->early) b->out->features |= SK__GE_FEATURE_EARLY;
  return status;
}
