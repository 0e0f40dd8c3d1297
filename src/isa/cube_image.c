/* cube_image.c - loads that turn an image in L1 into a matrix (img2col), and their registers.
 *
 * The image is NC1HWC0. Row m of the virtual matrix is an output position, column k runs over (c1, kh, kw,
 * c0). Into L0A the part wanted is laid out as Zz; into L0B as Zn, where row m becomes the k of the product. */
#include <string.h>

#include "isa/cube_unwritten.h"

typedef struct image {
  uint32_t bits, c0;
  uint32_t height, width, channels1;
  uint32_t left, right, top, bottom;
  uint32_t stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h;
  uint32_t out_w, out_h;
} image;

static bool in_range(sk__core *core, const char *name, uint32_t value, uint32_t least, uint32_t most) {
  if (value >= least && value <= most) return true;
  sk__bad_argument(core, name, value, "%u..%u", least, most);
  return false;
}

/* Size, padding and output size, from the register and the arguments. */
static bool image_legal(sk__core *core, image *im, uint64_t matrix) {
  asc_l13d_fmatrix_config f = {.config = matrix};
  im->height = (uint32_t)f.l1_h_size;
  im->width = (uint32_t)f.l1_w_size;
  im->left = (uint32_t)f.padding_left_size;
  im->right = (uint32_t)f.padding_right_size;
  im->top = (uint32_t)f.padding_top_size;
  im->bottom = (uint32_t)f.padding_bottom_size;
  if (!in_range(core, "l1_h_size", im->height, 1, 32767) || !in_range(core, "l1_w_size", im->width, 1, 32767) ||
      !in_range(core, "stride_w", im->stride_w, 1, 63) || !in_range(core, "stride_h", im->stride_h, 1, 63) ||
      !in_range(core, "filter_w", im->filter_w, 1, 511) || !in_range(core, "filter_h", im->filter_h, 1, 511) ||
      !in_range(core, "dilation_filter_w", im->dilation_w, 1, 255) ||
      !in_range(core, "dilation_filter_h", im->dilation_h, 1, 255))
    return false;
  uint32_t reach_w = (im->filter_w - 1) * im->dilation_w + 1, reach_h = (im->filter_h - 1) * im->dilation_h + 1;
  uint32_t full_w = im->width + im->left + im->right, full_h = im->height + im->top + im->bottom;
  if (reach_w > full_w || reach_h > full_h) {
    sk__bad_argument(core, "the dilated filter", reach_w > full_w ? reach_w : reach_h, "at most the padded image, %u",
                     reach_w > full_w ? full_w : full_h);
    return false;
  }
  im->out_w = (full_w - reach_w) / im->stride_w + 1;
  im->out_h = (full_h - reach_h) / im->stride_h + 1;
  return true;
}

/* Where the C0 elements of row m, column group g (= k / C0) start in the image; false: padding. */
static bool group_offset(const image *im, uint32_t m, uint32_t g, size_t *offset) {
  uint32_t kw = g % im->filter_w, kh = g / im->filter_w % im->filter_h, c1 = g / im->filter_w / im->filter_h;
  int64_t y = (int64_t)(m / im->out_w) * im->stride_h - im->top + (int64_t)kh * im->dilation_h;
  int64_t x = (int64_t)(m % im->out_w) * im->stride_w - im->left + (int64_t)kw * im->dilation_w;
  if (y < 0 || x < 0 || y >= im->height || x >= im->width || c1 >= im->channels1 || m >= im->out_w * im->out_h)
    return false;
  *offset = (((size_t)c1 * im->height + (size_t)y) * im->width + (size_t)x) * SK__BLOCK_BYTES;
  return true;
}

static void put(uint8_t *to, uint32_t bits, size_t index, const uint8_t *row, uint32_t c) {
  if (bits >= 8) {
    memcpy(to + index * (bits / 8), row + c * (size_t)(bits / 8), bits / 8);
    return;
  }
  uint32_t value = (uint32_t)(row[c / 2] >> (c % 2 * 4)) & 15u, shift = index % 2 * 4;
  to[index / 2] = (uint8_t)((to[index / 2] & ~(15u << shift)) | value << shift);
}

typedef enum image_target { IMAGE_ZZ, IMAGE_ZZ_TRANSPOSED, IMAGE_ZN } image_target;

/* The part of the virtual matrix that one load takes, and its place in fractals. */
typedef struct window {
  image_target target;
  uint32_t m_start, m, group_start, k; /* k columns from the group on */
  uint32_t row_fractals, column_fractals;
} window;

static bool window_offset(const image *im, const window *w, uint32_t m, uint32_t g, size_t *offset) {
  return group_offset(im, w->m_start + m, w->group_start + g, offset);
}

/* True: bytes of the image were never written. */
static bool read_image(sk__core *core, const image *im, const window *w, const uint8_t *from) {
  bool unwritten = false;
  size_t offset;
  for (uint32_t m = 0; core->checks && m < w->m; m++)
    for (uint32_t g = 0; g < sk__ceil_div(w->k, im->c0); g++)
      if (window_offset(im, w, m, g, &offset) && sk__l1_read(core, SK__PIPE_MTE1, from + offset, 1, SK__BLOCK_BYTES, SK__BLOCK_BYTES))
        unwritten = true;
  return unwritten;
}

static void fill_matrix(const image *im, const window *w, uint8_t *to, const uint8_t *from, const uint8_t *padding) {
  bool exchanged = w->target != IMAGE_ZZ;
  memset(to, 0, (size_t)w->row_fractals * w->column_fractals * SK__FRACTAL_BYTES);
  for (uint32_t m = 0; m < w->m; m++)
    for (uint32_t g = 0; g < sk__ceil_div(w->k, im->c0); g++) {
      size_t offset;
      const uint8_t *row = window_offset(im, w, m, g, &offset) ? from + offset : padding;
      for (uint32_t c = 0; c < im->c0 && g * im->c0 + c < w->k; c++) {
        uint32_t r = exchanged ? g * im->c0 + c : m, col = exchanged ? m : g * im->c0 + c;
        size_t fractal = w->target == IMAGE_ZN ? (size_t)(col / im->c0) * w->row_fractals + r / 16
                                               : (size_t)(r / 16) * w->column_fractals + col / im->c0;
        put(to, im->bits, (fractal * 16 + r % 16) * im->c0 + col % im->c0, row, c);
      }
    }
}

static void follow_image(sk__core *core, sk__mem mem, const image *im, const window *w, uint8_t *to, uint64_t bytes, const uint8_t *from,
                         uint64_t image_bytes) {
  static const uint8_t padding[SK__BLOCK_BYTES] = {0};
  sk__unwritten_load load;
  if (!sk__unwritten_begin(&load, core, SK__PIPE_MTE1, mem, to, from, image_bytes)) return;
  fill_matrix(im, w, load.to, load.from, padding);
  for (uint64_t at = 0; at < bytes; at += SK__FRACTAL_BYTES) sk__unwritten_unit(&load, to + at, from, image_bytes);
}

static void image_run(sk__core *core, sk__mem mem, image_target target, uint32_t bits, void *dst, const void *src,
                      SK_ARGS_IMAGE) {
  if (core == NULL || k_extension == 0 || m_extension == 0) return;
  (void)transpose;
  uint32_t c0 = sk__c0(bits);
  image im = {.bits = bits, .c0 = c0, .channels1 = sk__ceil_div(channel_size, c0),
              .stride_w = stride_w, .stride_h = stride_h,
              .filter_w = filter_w + (filter_size_w ? 256u : 0), .filter_h = filter_h + (filter_size_h ? 256u : 0),
              .dilation_w = dilation_filter_w, .dilation_h = dilation_filter_h};
  if (!image_legal(core, &im, f_matrix_ctrl ? core->fmatrix_b : core->fmatrix_a)) return;
  asc_load3d_v2_config rpt = {.config = core->load3d_repeat};
  if (rpt.rpt_time > 1) {
    sk__not_modelled_instr(core, "repeats of an image load (asc_set_l13d_rpt)");
    return;
  }
  if (k_start_pt % c0 != 0) {
    sk__bad_argument(core, "k_start_pt", k_start_pt, "a multiple of %u", c0);
    return;
  }
  /* The part in fractals: rows of Zz, or the two directions exchanged. */
  bool exchanged = target != IMAGE_ZZ;
  uint32_t rows = target == IMAGE_ZZ ? m_extension : k_extension, columns = exchanged ? m_extension : k_extension;
  uint32_t row_fractals = sk__ceil_div(rows, 16), column_fractals = sk__ceil_div(columns, c0);
  uint64_t bytes = (uint64_t)row_fractals * column_fractals * SK__FRACTAL_BYTES;
  uint64_t image_bytes = (uint64_t)im.channels1 * im.height * im.width * SK__BLOCK_BYTES;
  uint8_t *to = sk__local_operand(core, mem, dst, bytes, SK__FRACTAL_BYTES, "dst");
  const uint8_t *from = sk__local_operand(core, SK__MEM_L1, src, image_bytes, SK__BLOCK_BYTES, "src");
  if (to == NULL || from == NULL) return;
  uint8_t padding[SK__BLOCK_BYTES];
  for (uint32_t i = 0; i < SK__BLOCK_BYTES; i++)
    padding[i] = (uint8_t)(core->load3d_padding >> (i % (bits < 16 ? 1u : 2u) * 8));
  if (bits == 32)
    for (uint32_t i = 0; i < SK__BLOCK_BYTES; i++) padding[i] = (uint8_t)(core->load3d_padding >> (i % 4 * 8));
  window w = {target, m_start_pt, m_extension, k_start_pt / c0, k_extension, row_fractals, column_fractals};
  bool unwritten = read_image(core, &im, &w, from);
  fill_matrix(&im, &w, to, from, padding);
  if (unwritten) follow_image(core, mem, &im, &w, to, bytes, from, image_bytes);
  else sk__unwritten_clear(core, mem, to, 1, bytes, bytes);
  sk__local_access(core, SK__PIPE_MTE1, SK__WRITE, to, bytes);
  const sk__costs *costs = &sk__machine_soc(core->machine)->costs;
  sk__advance_bytes(core, SK__PIPE_MTE1, bytes,
                    mem == SK__MEM_L0A ? costs->l1_l0a_bytes_per_cycle : costs->l1_l0b_bytes_per_cycle);
}

#define IMAGE_ARGS                                                                                              \
  k_extension, m_extension, k_start_pt, m_start_pt, stride_w, stride_h, filter_w, filter_h, dilation_filter_w,  \
      dilation_filter_h, filter_size_w, filter_size_h, transpose, f_matrix_ctrl, channel_size

/* The whole target matrix may be transposed on the way to L0A, for elements of 16 and 32 bits. */
static void image_to_l0a(sk__core *core, uint32_t bits, void *dst, const void *src, SK_ARGS_IMAGE) {
  if (core == NULL) return;
  if (transpose && bits < 16) {
    sk__bad_argument(core, "transpose", 1, "0 unless elements have 16 or 32 bits");
    return;
  }
  image_run(core, SK__MEM_L0A, transpose ? IMAGE_ZZ_TRANSPOSED : IMAGE_ZZ, bits, dst, src, IMAGE_ARGS);
}
#define IMAGE_L0A(tag, bits)                                                                                       \
  void sk_copy_l12l0a_3d_##tag(void *dst, const void *src, SK_ARGS_IMAGE) {                                        \
    image_to_l0a(sk__begin(SK__AIC, SK__PIPE_MTE1, "asc_copy_l12l0a", SK__SITE()), bits, dst, src, IMAGE_ARGS);    \
  }
IMAGE_L0A(b4, 4)
SK_CUBE_SIZES(IMAGE_L0A)
#define IMAGE_L0B(tag, bits)                                                                                  \
  void sk_copy_l12l0b_3d_##tag(void *dst, const void *src, SK_ARGS_IMAGE) {                                   \
    image_run(sk__begin(SK__AIC, SK__PIPE_MTE1, "asc_copy_l12l0b", SK__SITE()), SK__MEM_L0B, IMAGE_ZN, bits,  \
              dst, src, IMAGE_ARGS);                                                                          \
  }
SK_CUBE_SIZES(IMAGE_L0B)

/* ---- registers ------------------------------------------------------------------------------- */

static sk__core *setter(const char *instr, const void *site) {
  sk__core *core = sk__begin(SK__AIC, SK__PIPE_S, instr, site);
  if (core != NULL) sk__advance(core, SK__PIPE_S, 1);
  return core;
}
void sk_set_l13d_fmatrix(const asc_l13d_fmatrix_config *config) {
  sk__core *core = setter("asc_set_l13d_fmatrix", SK__SITE());
  if (core != NULL) core->fmatrix_a = config->config;
}
void sk_set_l13d_fmatrix_b(const asc_l13d_fmatrix_config *config) {
  sk__core *core = setter("asc_set_l13d_fmatrix_b", SK__SITE());
  if (core != NULL) core->fmatrix_b = config->config;
}
void sk_set_l13d_rpt(const asc_load3d_v2_config *config) {
  sk__core *core = setter("asc_set_l13d_rpt", SK__SITE());
  if (core != NULL) core->load3d_repeat = config->config;
}
void sk_set_l13d_padding_b64(uint64_t value) {
  sk__core *core = setter("asc_set_l13d_padding", SK__SITE());
  if (core != NULL) core->load3d_padding = value;
}
void sk_set_l13d_padding_b16(uint16_t value) {
  sk__core *core = setter("asc_set_l13d_padding", SK__SITE());
  if (core != NULL) core->load3d_padding = value;
}
void asc_set_l13d_size(uint64_t bytes) {
  sk__core *core = setter("asc_set_l13d_size", SK__SITE());
  if (core == NULL) return;
  if (bytes != 0) {
    sk__not_modelled_instr(core, "the boundary of image loads");
    return;
  }
  core->load3d_size = bytes;
}
