/* plans.c - what was fused, for the report: data, listing, estimates. */
#include <stdio.h>
#include <stdlib.h>

#include "verify/kept.h"
#include "verify/verifier.h"

/* A program that repeats itself gets one plan: the latest, if it says the same, counts up. `pure`: what it says
 * without the estimates, which may differ from one time to the next. */
static void add_plan(sk__verifier *verifier, json_t *plan, const json_t *pure) {
  sk__verify_result *result = &verifier->result;
  size_t count = json_array_size(result->plans);
  json_t *last = json_array_get(result->plans, count > 0 ? count - 1 : 0);
  if (last != NULL && json_equal(verifier->last_plan, pure)) {
    json_object_set_new(last, "segments", json_integer(json_integer_value(json_object_get(last, "segments")) + 1));
    json_decref(plan);
    return;
  }
  json_decref(verifier->last_plan);
  verifier->last_plan = json_deep_copy(pure);
  json_object_set_new(plan, "segment", json_integer((json_int_t)result->segments));
  json_object_set_new(plan, "segments", json_integer(1));
  json_array_append_new(result->plans, plan);
}

/* Listing for people, with the estimates behind it when there are any. */
static json_t *listing_of(sk__verifier *verifier, const sk__plan *plan, const sk__sk_estimate *estimates) {
  char *listing = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&listing, &bytes);
  if (stream == NULL) return NULL;
  sk__plan_print(plan, stream);
  if (estimates != NULL) sk__estimate_print(plan, estimates, sk__machine_soc(sk__runtime_machine(verifier->runtime)), stream);
  fclose(stream);
  json_t *text = json_string(listing);
  free(listing);
  return text;
}

void sk__keep_plan(sk__verifier *verifier, const sk__plan *plan, const uint64_t *sk_cycles) {
  const sk__soc *soc = sk__machine_soc(sk__runtime_machine(verifier->runtime));
  json_t *pure = sk__plan_json(plan);
  sk__tell_plan(pure, plan);
  json_t *json = json_deep_copy(pure);
  sk__sk_estimate *estimates = sk_cycles != NULL ? calloc(plan->sk_count + 1, sizeof *estimates) : NULL;
  if (estimates != NULL) sk__estimate_plan(plan, &verifier->costs, sk_cycles, soc, estimates);
  if (json != NULL) {
    for (size_t k = 0; estimates != NULL && k < plan->sk_count; k++)
      json_object_set_new(json_array_get(json_object_get(json, "scopes"), k), "estimate", sk__estimate_json(&estimates[k]));
    json_object_set_new(json, "listing", listing_of(verifier, plan, estimates));
    add_plan(verifier, json, pure);
  }
  json_decref(pure);
  free(estimates);
}

void sk__keep_made(sk__verifier *verifier, sk__form work) {
  char *listing = NULL;
  size_t bytes = 0;
  FILE *stream = open_memstream(&listing, &bytes);
  if (stream == NULL) return; /* the report then has no listing */
  for (size_t i = 0; i < work.count; i++) {
    const sk__superkernel *made = work.tasks[i]->superkernel;
    if (work.tasks[i]->kind != SK__TASK_SUPERKERNEL) continue;
    fprintf(stream, "%s: %u blocks, %zu tasks, made by the program\n", made->name, made->blocks, made->part_count);
    if (made->listing != NULL) fputs(made->listing, stream);
  }
  fclose(stream);
  json_t *json = json_pack("{s:s*}", "listing", listing);
  free(listing);
  sk__tell_made(json, work.tasks, work.count);
  if (json != NULL) add_plan(verifier, json, json);
}
