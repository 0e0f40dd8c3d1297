/* sgemm.c - the same product by OpenBLAS in single precision: `sgemm SIZE`. Its threads: OPENBLAS_NUM_THREADS. */
#include <cblas.h>

#include "contender.h"

typedef struct job { float *a, *b, *c; int size; } job;

static void run(void *context) {
  const job *j = context;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, j->size, j->size, j->size, 1, j->a, j->size, j->b, j->size, 0, j->c,
              j->size);
}

static float *filled(size_t count, uint64_t state) {
  float *data = aligned_alloc(64, count * sizeof *data);
  if (data == NULL) contender_stop("sgemm", "out of memory");
  for (size_t i = 0; i < count; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    data[i] = (float)(state >> 40) * 0x1p-23f - 1.0f;
  }
  return data;
}

int main(int argc, char **argv) {
  job j = {.size = (int)contender_number("sgemm", argc > 1 ? argv[1] : NULL, 32768)};
  size_t count = (size_t)j.size * (size_t)j.size;
  j.a = filled(count, 1);
  j.b = filled(count, 2);
  j.c = filled(count, 3);
  run(&j);
  return contender_serve(run, &j);
}
