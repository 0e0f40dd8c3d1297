/* options.c - options of the simulated device from the environment. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/internal.h"

static void list_socs(char *text, size_t bytes) {
  size_t count = 0, used = 0;
  const sk__soc *socs = sk__soc_all(&count);
  text[0] = '\0';
  for (size_t i = 0; i < count && used < bytes; i++) {
    int n = snprintf(text + used, bytes - used, "%s%s", i > 0 ? ", " : "", socs[i].name);
    if (n < 0) return;
    used += (size_t)n;
  }
}

static sk_status read_soc(sk__machine_options *out, char *why, size_t why_bytes) {
  const char *name = getenv("SUPERKERNEL_SOC");
  out->soc = sk__soc_find(name);
  if (out->soc != NULL) return SK_OK;
  char legal[256];
  list_socs(legal, sizeof legal);
  snprintf(why, why_bytes, "SUPERKERNEL_SOC: no chip profile '%s'; legal: %s", name, legal);
  return SK_INVALID_ARGUMENT;
}

static sk_status read_schedule(sk__machine_options *out, char *why, size_t why_bytes) {
  const char *text = getenv("SUPERKERNEL_SCHEDULE");
  if (text == NULL || sk__schedule_parse(text, &out->schedule) == SK_OK) return SK_OK;
  snprintf(why, why_bytes,
           "SUPERKERNEL_SCHEDULE: no schedule '%s'; legal: in-order, reversed, random:SEED, slow-consumer, "
           "slow-aiv1, waves",
           text);
  return SK_INVALID_ARGUMENT;
}

static sk_status read_threads(sk__machine_options *out, char *why, size_t why_bytes) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  out->threads = online >= 2 ? 2 : 1;
  const char *text = getenv("SUPERKERNEL_THREADS");
  if (text == NULL) return SK_OK;
  char *end = NULL;
  errno = 0;
  unsigned long threads = strtoul(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || threads < 1 || threads > 64) {
    snprintf(why, why_bytes, "SUPERKERNEL_THREADS: '%s' is not a number of host threads; legal: 1 to 64", text);
    return SK_INVALID_ARGUMENT;
  }
  out->threads = (uint32_t)threads;
  return SK_OK;
}

static sk_status read_checks(sk__machine_options *out, char *why, size_t why_bytes) {
  const char *text = getenv("SUPERKERNEL_CHECKS");
  out->checks = true;
  if (text == NULL || strcmp(text, "on") == 0) return SK_OK;
  if (strcmp(text, "off") == 0) {
    out->checks = false;
    return SK_OK;
  }
  snprintf(why, why_bytes, "SUPERKERNEL_CHECKS: '%s'; legal: on, off", text);
  return SK_INVALID_ARGUMENT;
}

sk_status sk__runtime_env_options(sk__machine_options *out, char *why, size_t why_bytes) {
  memset(out, 0, sizeof *out);
  sk_status status = read_soc(out, why, why_bytes);
  if (status == SK_OK) status = read_schedule(out, why, why_bytes);
  if (status == SK_OK) status = read_threads(out, why, why_bytes);
  if (status == SK_OK) status = read_checks(out, why, why_bytes);
  return status;
}
