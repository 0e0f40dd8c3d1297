/* trace.c - timelines as a Chrome trace (JSON array format with an object around it). Times are estimates of
 * the cost model and are called so in the file. */
#include <string.h>

#include "base/file.h"
#include "report/report.h"

static const char *const kinds[] = {
#define X(name, text) text,
    SK__TIMELINE_LIST(X)
#undef X
};

/* JSON holds UTF-8 only: other bytes of a name become '?'. */
static void print_text(FILE *to, const char *text) {
  json_t *valid = json_string(text);
  fputc('"', to);
  for (const char *at = text; *at != '\0'; at++) {
    unsigned char byte = (unsigned char)*at;
    if (byte == '"' || byte == '\\') fprintf(to, "\\%c", byte);
    else if (byte < 0x20) fprintf(to, "\\u%04x", byte);
    else fputc(byte >= 0x80 && valid == NULL ? '?' : byte, to);
  }
  fputc('"', to);
  json_decref(valid);
}

static void print_heads(FILE *to, const sk__timeline *timeline, int pid, const sk__soc *soc) {
  bool used[SK__MAX_CORES] = {false};
  fprintf(to, "  {\"name\": \"process_name\", \"ph\": \"M\", \"pid\": %d, \"args\": {\"name\": \"%s (estimate)\"}},\n", pid, kinds[pid - 1]);
  for (size_t i = 0; i < timeline->count; i++) used[timeline->spans[i].core] = true;
  for (uint32_t core = 0; core < SK__MAX_CORES; core++) {
    if (!used[core]) continue;
    bool aic = core < soc->aic_count;
    fprintf(to, "  {\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": %d, \"tid\": %u, \"args\": {\"name\": \"%s %u\"}},\n", pid, core,
            aic ? "AIC" : "AIV", aic ? core : core - soc->aic_count);
    fprintf(to, "  {\"name\": \"thread_sort_index\", \"ph\": \"M\", \"pid\": %d, \"tid\": %u, \"args\": {\"sort_index\": %u}},\n", pid, core, core);
  }
}

static void print_spans(FILE *to, const sk__timeline *timeline, int pid, double cycles_per_us) {
  for (size_t i = 0; i < timeline->count; i++) {
    const sk__timeline_span *span = &timeline->spans[i];
    bool launch = span->task == UINT32_MAX;
    fprintf(to, "  {\"name\": ");
    print_text(to, span->name);
    fprintf(to, ", \"cat\": \"%s\", \"ph\": \"X\", \"pid\": %d, \"tid\": %u, \"ts\": %.4f, \"dur\": %.4f, \"args\": {\"launch\": %u",
            launch ? "launch" : "sub-kernel", pid, span->core, (double)span->begin_cycles / cycles_per_us,
            (double)(span->end_cycles - span->begin_cycles) / cycles_per_us, span->launch);
    if (!launch) fprintf(to, ", \"task\": %u", span->task);
    fprintf(to, ", \"begin_cycles\": %llu, \"end_cycles\": %llu}},\n", (unsigned long long)span->begin_cycles,
            (unsigned long long)span->end_cycles);
  }
}

sk_status sk__report_trace(const sk__verifier *verifier, const sk__soc *soc, const char *path) {
  sk__file file;
  sk_status status = sk__file_begin(&file, path);
  if (status != SK_OK) return status;
  uint64_t dropped = 0;
  fprintf(file.stream, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
  for (int kind = 0; kind < SK__TIMELINES; kind++) {
    const sk__timeline *timeline = sk__verifier_timeline(verifier, (sk__timeline_kind)kind);
    if (timeline == NULL) continue;
    print_heads(file.stream, timeline, kind + 1, soc);
    print_spans(file.stream, timeline, kind + 1, soc->costs.clock_mhz);
    dropped += timeline->dropped;
  }
  fprintf(file.stream, "  {\"name\": \"end\", \"ph\": \"M\", \"pid\": 1, \"args\": {}}\n], \"otherData\": {\"times\": \"estimate of the cost model, "
          "not a measurement; launches one after another\", \"chip\": \"%s\", \"clock_mhz\": %g, \"dropped_spans\": %llu}}\n",
          soc->name, (double)soc->costs.clock_mhz, (unsigned long long)dropped);
  return sk__file_commit(&file);
}
