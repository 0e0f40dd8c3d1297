/* image.c - copies of what a run wrote, and how two runs differ, buffer by buffer. */
#include "verify/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct taking { sk__machine *machine; const sk__image *beyond; sk__image *image; } taking;

static sk_status append(sk__machine *machine, sk__image *image, uint64_t start, uint64_t bytes) {
  sk__piece *pieces = realloc(image->pieces, (image->count + 1) * sizeof *pieces);
  if (pieces == NULL) return SK_OUT_OF_MEMORY;
  image->pieces = pieces;
  sk__piece *piece = &pieces[image->count];
  *piece = (sk__piece){start, bytes, malloc(bytes)};
  if (piece->data == NULL) return SK_OUT_OF_MEMORY;
  image->count++;
  return sk__gm_host_read(machine, piece->data, start, bytes);
}

/* Is the address in a piece? *until = where that piece ends, or the next one begins. */
static bool covered(const sk__image *image, uint64_t at, uint64_t *until) {
  *until = UINT64_MAX;
  for (size_t low = 0, high = image->count; low < high;) {
    size_t middle = (low + high) / 2;
    const sk__piece *piece = &image->pieces[middle];
    if (at < piece->start) {
      if (piece->start < *until) *until = piece->start;
      high = middle;
    } else if (at >= piece->start + piece->bytes) {
      low = middle + 1;
    } else {
      *until = piece->start + piece->bytes;
      return true;
    }
  }
  return false;
}

/* Appends what `beyond` does not cover of [at, end). */
static sk_status append_beyond(sk__machine *machine, sk__image *image, const sk__image *beyond, uint64_t at, uint64_t end) {
  sk_status status = SK_OK;
  while (at < end && status == SK_OK) {
    uint64_t until;
    bool have = covered(beyond, at, &until);
    uint64_t stop = until < end ? until : end;
    if (!have) status = append(machine, image, at, stop - at);
    at = stop;
  }
  return status;
}

/* Touched ranges may run over red zones of neighbours; only live allocations are read. */
static bool take_range(void *context, uint64_t start, uint64_t bytes) {
  taking *to = context;
  for (uint64_t at = start, end = start + bytes; at < end;) {
    sk__gm_info info;
    if (!sk__gm_find(to->machine, at, &info)) {
      at += 32;
      continue;
    }
    uint64_t stop = info.start + info.bytes < end ? info.start + info.bytes : end;
    to->image->status = append_beyond(to->machine, to->image, to->beyond, at, stop);
    if (to->image->status != SK_OK) return false;
    at = (stop + 31) / 32 * 32;
  }
  return true;
}

sk_status sk__image_take(sk__machine *machine, const sk__image *beyond, sk__image *out) {
  static const sk__image nothing = {NULL, 0, SK_OK};
  memset(out, 0, sizeof *out);
  taking context = {machine, beyond != NULL ? beyond : &nothing, out};
  sk__gm_touched(machine, take_range, &context);
  return out->status;
}

void sk__image_free(sk__image *image) {
  for (size_t i = 0; i < image->count; i++) free(image->pieces[i].data);
  free(image->pieces);
  memset(image, 0, sizeof *image);
}

sk_status sk__image_put(sk__machine *machine, const sk__image *image) {
  for (size_t i = 0; i < image->count; i++) {
    const sk__piece *piece = &image->pieces[i];
    sk_status status = sk__gm_host_write(machine, piece->start, piece->data, piece->bytes);
    if (status != SK_OK) return status;
  }
  return SK_OK;
}

static int by_start(const void *a, const void *b) {
  uint64_t x = ((const sk__piece *)a)->start, y = ((const sk__piece *)b)->start;
  return (x > y) - (x < y);
}

sk_status sk__image_cover(sk__machine *machine, sk__image *in, const sk__image *of) {
  sk__image added = {NULL, 0, SK_OK};
  sk_status status = SK_OK;
  for (size_t i = 0; i < of->count && status == SK_OK; i++)
    status = append_beyond(machine, &added, in, of->pieces[i].start, of->pieces[i].start + of->pieces[i].bytes);
  sk__piece *pieces = status == SK_OK && added.count > 0
                          ? realloc(in->pieces, (in->count + added.count) * sizeof *pieces)
                          : NULL;
  if (status == SK_OK && added.count > 0 && pieces == NULL) status = SK_OUT_OF_MEMORY;
  if (status != SK_OK) {
    sk__image_free(&added);
    return status;
  }
  if (added.count > 0) {
    in->pieces = pieces;
    memcpy(in->pieces + in->count, added.pieces, added.count * sizeof *pieces);
    in->count += added.count;
    qsort(in->pieces, in->count, sizeof *in->pieces, by_start);
  }
  free(added.pieces);
  return SK_OK;
}

/* ---- buffers ---- */

static sk_status add_buffer(sk__buffers *out, const sk__gm_info *info, sk__dtype dtype, const char *parameter,
                            size_t number, const char *kernel) {
  for (size_t i = 0; i < out->count; i++)
    if (out->items[i].start == info->start) {
      if (out->items[i].dtype == SK__DTYPE_BYTES) out->items[i].dtype = dtype;
      return SK_OK;
    }
  sk__buffer *items = realloc(out->items, (out->count + 1) * sizeof *items);
  if (items == NULL) return SK_OUT_OF_MEMORY;
  out->items = items;
  sk__buffer *buffer = &items[out->count++];
  *buffer = (sk__buffer){info->start, info->bytes, dtype, ""};
  snprintf(buffer->name, sizeof buffer->name, "%s (argument %zu of %s)", parameter, number, kernel);
  return SK_OK;
}

sk_status sk__buffers_of(sk__machine *machine, sk__task *const *tasks, size_t count, sk__buffers *out) {
  memset(out, 0, sizeof *out);
  for (size_t t = 0; t < count; t++) {
    if (tasks[t]->kind != SK__TASK_KERNEL) continue;
    const sk_kernel *kernel = tasks[t]->kernel;
    for (uint32_t p = 0; p < kernel->param_count; p++) {
      const sk_kernel_param *parameter = &kernel->params[p];
      uint64_t address = 0;
      sk__gm_info info;
      if (parameter->is_pointer == 0 || parameter->size_bytes != sizeof address) continue;
      memcpy(&address, (const char *)tasks[t]->args + parameter->offset_bytes, sizeof address);
      if (!sk__gm_find(machine, address, &info)) continue;
      sk_status status = add_buffer(out, &info, sk__dtype_of_text(parameter->type), parameter->name, p + 1, kernel->name);
      if (status != SK_OK) return status;
    }
  }
  return SK_OK;
}

void sk__buffers_free(sk__buffers *buffers) {
  free(buffers->items);
  memset(buffers, 0, sizeof *buffers);
}

/* ---- comparison ---- */

static const sk__buffer *buffer_at(const sk__buffers *buffers, uint64_t address) {
  for (size_t i = 0; i < buffers->count; i++)
    if (address - buffers->items[i].start < buffers->items[i].bytes) return &buffers->items[i];
  return NULL;
}

/* Folds the difference of one piece into the entry of its buffer. */
static void fold(const sk__buffer *buffer, uint64_t address, const sk__difference *how, sk__mode_result *into) {
  uint64_t start = buffer != NULL ? buffer->start : address;
  uint64_t offset = (address - start) / sk__dtype_bytes(how->dtype);
  for (uint32_t i = 0; i < into->difference_count; i++) {
    sk__buffer_difference *entry = &into->differences[i];
    if (entry->address != start) continue;
    if (how->match > entry->how.match) entry->how.match = how->match;
    if (how->first_index + offset < entry->how.first_index) {
      entry->how.first_index = how->first_index + offset;
      entry->how.first_reference = how->first_reference;
      entry->how.first_other = how->first_other;
    }
    entry->how.differing += how->differing;
    entry->how.ties += how->ties;
    if (how->max_abs > entry->how.max_abs) entry->how.max_abs = how->max_abs;
    if (how->max_rel > entry->how.max_rel) entry->how.max_rel = how->max_rel;
    if (how->max_ulp > entry->how.max_ulp) entry->how.max_ulp = how->max_ulp;
    return;
  }
  if (into->difference_count == SK__MAX_DIFFERENCES) return;
  sk__buffer_difference *entry = &into->differences[into->difference_count++];
  entry->address = start;
  entry->how = *how;
  entry->how.first_index += offset;
  if (buffer == NULL) {
    snprintf(entry->buffer, sizeof entry->buffer, "device memory that is no kernel argument");
    return;
  }
  entry->how.elements = buffer->bytes / sk__dtype_bytes(how->dtype);
  snprintf(entry->buffer, sizeof entry->buffer, "%s", buffer->name);
}

/* What differs because float sums were made in another order is within tolerance, whatever the size. */
typedef struct excuses { sk__checker *checker; sk__order_sums *sums; } excuses;

static void compare_bytes(const sk__buffers *buffers, uint64_t address, const uint8_t *reference,
                          uint8_t *other, uint64_t bytes, const excuses *by, sk__mode_result *into) {
  const sk__buffer *buffer = buffer_at(buffers, address);
  sk__dtype dtype = buffer != NULL ? buffer->dtype : SK__DTYPE_BYTES;
  sk__difference how, rest;
  sk__compare(dtype, reference, other, bytes, &how);
  if (how.match == SK__IDENTICAL) return;
  if (by != NULL && buffer != NULL &&
      sk__order_sums_excuse(by->sums, by->checker, buffer->start, buffer->name, address, reference, other, bytes)) {
    sk__compare(dtype, reference, other, bytes, &rest);
    how.match = rest.match == SK__DIFFERENT ? SK__DIFFERENT : SK__WITHIN_TOLERANCE;
  }
  fold(buffer, address, &how, into);
  sk__outcome outcome = how.match == SK__DIFFERENT ? SK__MISMATCH : SK__CLOSE;
  if (outcome > into->outcome) into->outcome = outcome;
}

void sk__image_compare(const sk__buffers *buffers, const sk__image *reference, const sk__image *other,
                       sk__mode_result *into) {
  size_t i = 0, j = 0;
  while (i < reference->count && j < other->count) {
    const sk__piece *a = &reference->pieces[i], *b = &other->pieces[j];
    uint64_t start = a->start > b->start ? a->start : b->start;
    uint64_t a_end = a->start + a->bytes, b_end = b->start + b->bytes;
    uint64_t end = a_end < b_end ? a_end : b_end;
    if (start < end)
      compare_bytes(buffers, start, a->data + (start - a->start), b->data + (start - b->start), end - start, NULL, into);
    if (a_end <= b_end) i++;
    if (b_end <= a_end) j++;
  }
}

sk_status sk__image_compare_now(sk__machine *machine, const sk__buffers *buffers, const sk__image *reference,
                                sk__order_sums *sums, sk__mode_result *into) {
  excuses by = {sk__machine_checker(machine), sums};
  enum { BLOCK_BYTES = 256 << 10 };
  uint8_t *block = malloc(BLOCK_BYTES);
  sk_status status = block != NULL ? SK_OK : SK_OUT_OF_MEMORY;
  for (size_t i = 0; i < reference->count; i++) {
    const sk__piece *piece = &reference->pieces[i];
    for (uint64_t at = 0; at < piece->bytes && status == SK_OK; at += BLOCK_BYTES) {
      uint64_t bytes = piece->bytes - at < BLOCK_BYTES ? piece->bytes - at : BLOCK_BYTES;
      status = sk__gm_host_read(machine, block, piece->start + at, bytes);
      if (status == SK_OK) compare_bytes(buffers, piece->start + at, piece->data + at, block, bytes, sums != NULL ? &by : NULL, into);
    }
  }
  free(block);
  return status;
}

sk_status sk__image_judge(sk__machine *machine, const sk__buffers *buffers, sk__image *reference, bool comparable,
                          sk__order_sums *sums, sk__mode_result *into) {
  sk__image other = {NULL, 0, SK_OK};
  sk_status status = comparable ? sk__image_compare_now(machine, buffers, reference, sums, into) : SK_OK;
  if (comparable && sums != NULL) sk__order_sums_look(sums);
  if (comparable && status == SK_OK) status = sk__image_take(machine, reference, &other);
  sk__gm_roll_back(machine);
  if (comparable && status == SK_OK) status = sk__image_cover(machine, reference, &other);
  if (comparable && status == SK_OK) sk__image_compare(buffers, reference, &other, into);
  sk__image_free(&other);
  return status;
}
