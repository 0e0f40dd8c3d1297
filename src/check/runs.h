/* runs.h - template: the bytes of a span as a sorted list of runs, each with one cell. Exact to the byte,
 * so disjoint bytes never meet, however they share blocks or cache lines.
 *
 * Define before including (then it undefines them):
 *   RUNS_PREFIX      prefix of the generated names
 *   RUNS_CELL        cell type
 *   RUNS_ACCESS(probe, cell, low, high)   judges and updates one cell
 *   RUNS_SAME(a, b)  may the neighbours become one run?
 *   RUNS_COPY(checker, to, from)   duplicates a cell for the other side of a cut
 *
 * Array form: run i covers [start[i], start[i+1]), the last to the end of the span; start[0] = 0. */
#define RUNS_PASTE_(a, b) a##b
#define RUNS_PASTE(a, b) RUNS_PASTE_(a, b)
#define RUNS_(name) RUNS_PASTE(RUNS_PREFIX, name)

typedef struct RUNS_(run) {
  uint32_t start;
  RUNS_CELL cell;
} RUNS_(run);

/* Index of the run that holds the byte. */
static uint32_t RUNS_(find)(const RUNS_(run) *runs, uint32_t count, uint32_t at) {
  uint32_t low = 0, high = count;
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    if (runs[middle].start <= at) low = middle;
    else high = middle;
  }
  return low;
}

/* Makes a run start at `at`; the array has room for one more. Returns its index. */
static uint32_t RUNS_(cut)(sk__checker *checker, RUNS_(run) *runs, uint32_t *count, uint32_t at) {
  uint32_t i = RUNS_(find)(runs, *count, at);
  if (runs[i].start == at) return i;
  memmove(&runs[i + 2], &runs[i + 1], (*count - i - 1) * sizeof *runs);
  (*count)++;
  runs[i + 1].start = at;
  RUNS_COPY(checker, &runs[i + 1].cell, &runs[i].cell);
  return i + 1;
}

/* One access to [low, high) of a span that begins at `base`; room for two more runs. */
static void RUNS_(apply)(sk__probe *probe, RUNS_(run) *runs, uint32_t *count, uint32_t span, uint64_t base,
                         uint32_t low, uint32_t high) {
  uint32_t first = low == 0 ? 0 : RUNS_(cut)(probe->checker, runs, count, low);
  uint32_t end = high == span ? *count : RUNS_(cut)(probe->checker, runs, count, high);
  for (uint32_t i = first; i < end; i++)
    RUNS_ACCESS(probe, &runs[i].cell, base + runs[i].start, base + (i + 1 < *count ? runs[i + 1].start : span));
  /* Neighbours from first-1 to end that became the same are one run again. */
  uint32_t to = first == 0 ? 0 : first - 1, stop = end < *count ? end : *count - 1;
  uint32_t from = to + 1;
  for (; from <= stop; from++) {
    if (RUNS_SAME(&runs[to].cell, &runs[from].cell)) continue;
    if (++to != from) runs[to] = runs[from];
  }
  uint32_t removed = stop - to;
  if (removed == 0) return;
  memmove(&runs[to + 1], &runs[stop + 1], (*count - stop - 1) * sizeof *runs);
  *count -= removed;
}

/* The same on the heap, growing. */
struct RUNS_(runs) {
  uint32_t count, capacity;
  RUNS_(run) run[];
};

static size_t RUNS_(bytes)(uint32_t capacity) {
  return sizeof(struct RUNS_(runs)) + capacity * sizeof(RUNS_(run));
}

/* A list with room for two more, moved if need be; NULL on no memory (the old list is still there). */
static struct RUNS_(runs) *RUNS_(room)(sk__checker *checker, struct RUNS_(runs) *list) {
  if (list->count + 2 <= list->capacity) return list;
  struct RUNS_(runs) *grown = sk__shadow_alloc(checker, RUNS_(bytes)(list->capacity * 2));
  if (grown == NULL) return NULL;
  memcpy(grown, list, RUNS_(bytes)(list->count));
  grown->capacity = list->capacity * 2;
  sk__shadow_free(checker, list, RUNS_(bytes)(list->capacity));
  return grown;
}

/* A list of one run. */
static struct RUNS_(runs) *RUNS_(list)(sk__checker *checker, const RUNS_CELL *cell) {
  struct RUNS_(runs) *list = sk__shadow_alloc(checker, RUNS_(bytes)(4));
  if (list == NULL) return NULL;
  list->count = 1;
  list->capacity = 4;
  list->run[0] = (RUNS_(run)){.start = 0, .cell = *cell};
  return list;
}

#undef RUNS_
#undef RUNS_PASTE
#undef RUNS_PASTE_
#undef RUNS_PREFIX
#undef RUNS_CELL
#undef RUNS_ACCESS
#undef RUNS_SAME
#undef RUNS_COPY
