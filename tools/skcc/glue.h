/* glue.h - the binary interface of kernel.h as rewritten text declares it.
 *
 * kernel.h itself cannot be used there: the text is already preprocessed, and including it first of all
 * would fix the C library's feature macros before the user's own lines. Written once: compiled here as
 * C and checked against kernel.h (glue.c), and put in front of rewritten text as a string. */
#ifndef SKCC_GLUE_H
#define SKCC_GLUE_H

#define SKCC_GLUE                                                                                     \
  struct sk__slot { unsigned id; };                                                                   \
  struct sk__param { const char *name; unsigned offset_bytes, size_bytes, is_pointer; const char *type; }; \
  struct sk__record {                                                                                 \
    unsigned abi, type;                                                                               \
    const char *name, *file;                                                                          \
    unsigned line, schedmode, flags, args_bytes, param_count;                                         \
    const struct sk__param *params;                                                                   \
    void (*aic)(const void *), (*aiv)(const void *);                                                  \
  };                                                                                                  \
  struct sk__bound { const char *name; unsigned type; void (*aic)(const void *, void *), (*aiv)(const void *, void *); }; \
  struct sk__binding {                                                                                \
    unsigned abi, count;                                                                              \
    unsigned long capabilities;                                                                       \
    const struct sk__record *kernel;                                                                  \
    const char *file;                                                                                 \
    unsigned line;                                                                                    \
    struct sk__bound functions[4];                                                                    \
  };                                                                                                  \
  extern void sk__bind_kernel(const struct sk__binding *) __asm__("sk_kernel_bind");                  \
  extern void sk__register_kernel(const struct sk__record *) __asm__("sk_kernel_register");           \
  extern int sk__launch_kernel(const struct sk__record *, unsigned blocks, unsigned long ub, void *stream, \
                               const void *args, const char *file, unsigned line) __asm__("sk_kernel_launch"); \
  struct sk__told { const char *file; const void *site; void *stream; unsigned long ub; unsigned line, blocks; int code; }; \
  extern int sk__tell_launch(const char *file, unsigned line, unsigned blocks, unsigned long ub, void *stream, int there, \
                             const void *site) __asm__("sk_launch_tell");                             \
  extern struct sk__told *sk__take_launch(const struct sk__record *, const void *site) __asm__("sk_launch_take"); \
  extern int sk__end_launch(void) __asm__("sk_launch_end");                                           \
  extern void *sk__local_array(struct sk__slot *, unsigned memory, unsigned long bytes,               \
                               const char *name) __asm__("sk_local_array");                           \
  extern void sk__system_workspace(unsigned long) __asm__("sk_set_system_workspace");                 \
  extern void *sk__local_dynamic(void) __asm__("sk_local_dynamic");                                   \
  __attribute__((visibility("hidden"))) void sk__template_name(char *name, unsigned long capacity,    \
                                                               const char *base, const char *pretty) __asm__("sk__template_name");

/* Calls a bound function with the pointer types it declares. A launch through an expression: the arguments come before what
 * the kernel's function is told, so that launches among them are done with. */
#define SKCC_GLUE_CPP                                                                                 \
  template <typename A> inline void sk__call_bound(void (*f)(const A *), const void *a, void *) {     \
    f(static_cast<const A *>(a));                                                                     \
  }                                                                                                   \
  template <typename A, typename S> inline void sk__call_bound(void (*f)(const A *, S *), const void *a, void *s) { \
    f(static_cast<const A *>(a), static_cast<S *>(s));                                                \
  }                                                                                                   \
  template <typename... P> struct sk__through {                                                       \
    void (*kernel)(P...);                                                                             \
    const char *file;                                                                                 \
    unsigned line, blocks;                                                                            \
    unsigned long ub;                                                                                 \
    void *stream;                                                                                     \
    __attribute__((noinline)) int operator()(P... p) const {                                          \
      const void *site = __builtin_return_address(0);                                                 \
      int refused = ::sk__tell_launch(file, line, blocks, ub, stream, kernel != nullptr, site);       \
      if (refused == 0) kernel(static_cast<P &&>(p)...);                                              \
      return ::sk__end_launch();                                                                      \
    }                                                                                                 \
  };                                                                                                  \
  template <typename... P>                                                                            \
  inline sk__through<P...> sk__launch_through(void (*kernel)(P...), const char *file, unsigned line, unsigned blocks, \
                                              unsigned long ub, void *stream) {                       \
    return {kernel, file, line, blocks, ub, stream};                                                  \
  }

#endif
