/* skcc.h - what the parts of the kernel compiler driver share.
 *
 * A source with kernels is compiled up to three times, from the same file:
 *   host part     the host's functions, launchers and kernel records, no memory hooks
 *   vector half   with hooks; gives the program its kernels' AIV entries and no other name
 *   cube half     the same for AIC entries, if there are kernels with a cube half
 * So host code runs at its own speed, and the halves may differ (#if, templates, inline functions) without
 * clashing. Device code has its own copy of variables, as on the chip. A source without device code has
 * the host part only.
 *
 * Way of each: preprocessor of the host compiler -> tokens (lex.c) -> declarations (scan.c)
 *   -> edits (kernels.c, stubs.c, launches.c, arrays.c) -> text with line markers (edit.c) -> host compiler
 * The dialect is rewritten after preprocessing, so macros, conditionals and included files need no
 * treatment of their own; __SKCC__ tells the headers to leave the dialect's words alone. */
#ifndef SKCC_SKCC_H
#define SKCC_SKCC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes. */
enum { EXIT_COMPILE = 1, EXIT_USAGE = 2, EXIT_INTERNAL = 4 };

/* ---- small helpers (util.c); out of memory ends the process with EXIT_INTERNAL ---------------- */

typedef struct text {
  char *bytes; /* always ends with a NUL beyond length */
  size_t length, capacity;
} text;
void text_add(text *to, const char *bytes, size_t length);
void text_puts(text *to, const char *string);
void text_printf(text *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_quoted(text *to, const char *string); /* as a C string literal */

typedef struct list { /* of strings */
  char **items;
  size_t count, capacity;
} list;
void list_add(list *to, const char *item);
void list_addf(list *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void list_add_words(list *to, const char *words); /* split at blanks */
void list_join(list *to, const list *more);

void *grow(void *items, size_t count, size_t *capacity, size_t item_bytes);
char *copy_string(const char *string, size_t length);
char *format_string(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* False with errno set if the file cannot be read. */
bool read_file(const char *path, text *into);

/* ---- tokens ----------------------------------------------------------------------------------- */

/* Words that mean something to the rewriter: name, spelling, class. */
#define WORD_LIST(X)                                                                                 \
  X(GLOBAL, "__global__", QUALIFIER) X(VECTOR, "__vector__", QUALIFIER) X(CUBE, "__cube__", QUALIFIER) \
  X(MIX, "__mix__", CALL_QUALIFIER) X(SCHEDMODE, "__schedmode__", CALL_QUALIFIER)                    \
  X(AICORE, "__aicore__", QUALIFIER) X(SK, "__sk__", QUALIFIER) X(HOST, "__host__", QUALIFIER)       \
  X(GM, "__gm__", QUALIFIER) X(KFC, "__kfc_workspace__", QUALIFIER)                                                                         \
  X(UBUF, "__ubuf__", MEMORY) X(CBUF, "__cbuf__", MEMORY) X(CA, "__ca__", MEMORY)                    \
  X(CB, "__cb__", MEMORY) X(CC, "__cc__", MEMORY) X(BIASBUF, "__biasbuf__", MEMORY)                  \
  X(FBUF, "__fbuf__", MEMORY)                                                                        \
  X(TASK_TYPE, "KERNEL_TASK_TYPE", CALL) X(TASK_TYPE_DEFAULT, "KERNEL_TASK_TYPE_DEFAULT", CALL)      \
  X(BIND, "SK_BIND", CALL)                                                                           \
  X(NAMESPACE, "namespace", KEYWORD) X(EXTERN, "extern", KEYWORD) X(TEMPLATE, "template", KEYWORD)   \
  X(TYPENAME, "typename", KEYWORD) X(TYPEDEF, "typedef", KEYWORD) X(USING, "using", KEYWORD)         \
  X(STRUCT, "struct", KEYWORD) X(UNION, "union", KEYWORD) X(CLASS, "class", KEYWORD)                 \
  X(ENUM, "enum", KEYWORD) X(STATIC, "static", KEYWORD) X(INLINE, "inline", KEYWORD)                 \
  X(INLINE_, "__inline", KEYWORD) X(INLINE__, "__inline__", KEYWORD)                                 \
  X(THREAD_LOCAL, "thread_local", KEYWORD) X(THREAD, "__thread", KEYWORD)                            \
  X(THREAD_LOCAL_, "_Thread_local", KEYWORD) X(CONSTEXPR, "constexpr", KEYWORD)                      \
  X(REGISTER, "register", KEYWORD) X(AUTO, "auto", KEYWORD)                                          \
  X(OPERATOR, "operator", KEYWORD) X(PUBLIC, "public", KEYWORD) X(PRIVATE, "private", KEYWORD)       \
  X(PROTECTED, "protected", KEYWORD) X(EXTENSION, "__extension__", KEYWORD)                          \
  X(CONST, "const", TYPE_QUALIFIER) X(VOLATILE, "volatile", TYPE_QUALIFIER)                          \
  X(RESTRICT, "restrict", TYPE_QUALIFIER) X(RESTRICT_, "__restrict", TYPE_QUALIFIER)                 \
  X(RESTRICT__, "__restrict__", TYPE_QUALIFIER)                                                      \
  X(VOID, "void", TYPE) X(CHAR, "char", TYPE) X(SHORT, "short", TYPE) X(INT, "int", TYPE)            \
  X(LONG, "long", TYPE) X(FLOAT, "float", TYPE) X(DOUBLE, "double", TYPE)                            \
  X(SIGNED, "signed", TYPE) X(UNSIGNED, "unsigned", TYPE) X(BOOL, "bool", TYPE)                      \
  X(BOOL_, "_Bool", TYPE) X(INT128, "__int128", TYPE) X(FLOAT16, "_Float16", TYPE)                   \
  X(RETURN, "return", STATEMENT) X(GOTO, "goto", STATEMENT) X(CASE, "case", STATEMENT)               \
  X(DEFAULT, "default", STATEMENT) X(ELSE, "else", STATEMENT) X(DO, "do", STATEMENT)                 \
  X(IF, "if", STATEMENT) X(FOR, "for", STATEMENT) X(WHILE, "while", STATEMENT)                       \
  X(SWITCH, "switch", STATEMENT) X(SIZEOF, "sizeof", STATEMENT) X(CATCH, "catch", STATEMENT)         \
  X(THROW, "throw", STATEMENT) X(NEW, "new", STATEMENT) X(DELETE, "delete", STATEMENT)               \
  X(ATTRIBUTE, "__attribute__", ATTRIBUTE) X(ATTRIBUTE_, "__attribute", ATTRIBUTE)                   \
  X(ALIGNAS, "alignas", ATTRIBUTE) X(ALIGNAS_, "_Alignas", ATTRIBUTE)                                \
  X(DECLTYPE, "decltype", ATTRIBUTE) X(TYPEOF, "typeof", ATTRIBUTE)                                  \
  X(TYPEOF_, "__typeof", ATTRIBUTE) X(TYPEOF__, "__typeof__", ATTRIBUTE)                             \
  X(ASM, "asm", ATTRIBUTE) X(ASM__, "__asm__", ATTRIBUTE) X(ASM_, "__asm", ATTRIBUTE)                \
  X(NOEXCEPT, "noexcept", ATTRIBUTE) X(REQUIRES, "requires", ATTRIBUTE)                              \
  X(EXPLICIT, "explicit", ATTRIBUTE) X(STATIC_ASSERT, "static_assert", ATTRIBUTE)                    \
  X(STATIC_ASSERT_, "_Static_assert", ATTRIBUTE) X(ALIGNOF, "alignof", ATTRIBUTE)                    \
  X(ALIGNOF_, "_Alignof", ATTRIBUTE) X(ALIGNOF__, "__alignof__", ATTRIBUTE)

typedef enum word {
  WORD_NONE,
#define X(name, spelling, class) WORD_##name,
  WORD_LIST(X)
#undef X
  WORD_COUNT
} word;

typedef enum word_class {
  CLASS_NONE,
  CLASS_QUALIFIER,      /* the dialect's, erased */
  CLASS_CALL_QUALIFIER, /* the dialect's with an argument list, erased with it */
  CLASS_MEMORY,         /* local address spaces, erased; may make a local array */
  CLASS_CALL,           /* macro-like words of the dialect */
  CLASS_KEYWORD,
  CLASS_TYPE_QUALIFIER,
  CLASS_TYPE,
  CLASS_STATEMENT, /* keywords that stand before an expression, not before a declared name */
  CLASS_ATTRIBUTE, /* keywords whose parentheses are no parameter list */
} word_class;

typedef enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_CHARACTER, TOKEN_MARK } token_kind;

/* Marks are their character, except the two that must not be read as two. */
enum { MARK_SCOPE = 1, MARK_ARROW = 2 };

typedef struct token {
  uint32_t at, length; /* bytes in unit.source */
  uint32_t line;       /* of the user's file */
  uint32_t partner;    /* of a bracket: the token index of its other end, 0 if it has none */
  uint16_t file;       /* index in unit.files */
  uint8_t kind;        /* token_kind */
  uint8_t word;        /* word, of a name */
  uint8_t mark;        /* of a mark */
  bool system;         /* stands in a system header or in a macro of one */
} token;

/* ---- one translation unit --------------------------------------------------------------------- */

typedef struct parameter {
  uint32_t first, last; /* tokens [first, last), without a default argument */
  uint32_t default_first, default_last; /* tokens after '=', empty if none */
  uint32_t name;        /* token, 0 if unnamed */
  bool workspace;       /* the system workspace, which the kernel's entry makes known */
} parameter;

/* A function found at namespace or class scope. All but the flags are token indices. */
typedef struct function {
  uint32_t start;       /* of the declaration, template head and linkage with it */
  uint32_t first;       /* after template head and linkage */
  uint32_t name, open, close;
  uint32_t body;        /* the '{', 0 of a declaration */
  uint32_t end;         /* the last token: ';' or '}' */
  uint32_t template_first, template_last; /* of the '<...>' of a template head, empty if none */
  bool member, kernel, device, bound; /* bound: __sk__ */
  bool instance;        /* names an instantiation, k<float>(...): the arguments lie between name and open */
  uint32_t path;        /* index in unit.paths: the namespaces around it */
} function;

typedef enum kernel_type { KERNEL_UNSET = -1, KERNEL_AIV, KERNEL_AIC, KERNEL_MIX_0_1, KERNEL_MIX_1_0, KERNEL_MIX_1_1, KERNEL_MIX_1_2 } kernel_type;

typedef struct kernel {
  const char *name;
  const char *symbol;   /* what its struct, record and entries are named after: of a template with the number of parameters */
  uint32_t path;
  int type;             /* kernel_type */
  uint32_t schedmode;
  bool announced;       /* argument struct and launcher have been written */
  bool is_template;
  uint32_t definition;  /* index of its function + 1 */
  parameter *params;
  size_t param_count, param_capacity;
} kernel;

typedef struct edit {
  uint32_t at, remove;  /* bytes of the source */
  uint32_t anchor;      /* token whose file and line follow the edit */
  uint32_t order;
  char *insert;
  bool resync;          /* follow with a line marker and padding, so that lines and columns go on as before */
} edit;

typedef enum part { PART_HOST, PART_VECTOR, PART_CUBE } part;

typedef struct unit {
  const char *name;     /* the user's file as given */
  bool cplusplus, quiet; /* quiet: -w */
  int kernel_type;       /* of kernels whose source does not say */
  const char *launch_headers; /* --launch-headers, NULL without */
  unsigned workspace;    /* which parameter from the end is the workspace of launched kernels, 0 none */
  part part;
  text source;          /* preprocessed */
  token *tokens;        /* [0] is a sentinel; the last is TOKEN_END */
  size_t token_count, token_capacity;
  list files, paths;
  function *functions;
  size_t function_count, function_capacity;
  uint32_t *variables;  /* name tokens of the host's variables */
  size_t variable_count, variable_capacity;
  uint32_t *no_kernels; /* name tokens of the user's functions that are no kernels */
  size_t no_kernel_count, no_kernel_capacity;
  kernel *kernels;
  size_t kernel_count, kernel_capacity;
  edit *edits;
  size_t edit_count, edit_capacity;
  uint32_t flags;       /* SK_KERNEL_* seen in the user's files */
  bool has_device_code, needs_vector_half, needs_cube_half, needs_glue;
  unsigned slot_count, error_count;
  text messages;
} unit;

/* Reports "file:line:column: error: ..." at a token. */
void unit_error(unit *u, uint32_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void unit_warning(unit *u, uint32_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));

static inline const token *token_at(const unit *u, uint32_t index) { return &u->tokens[index]; }
static inline bool is_mark(const unit *u, uint32_t index, uint8_t mark) {
  return u->tokens[index].kind == TOKEN_MARK && u->tokens[index].mark == mark;
}
static inline bool is_word(const unit *u, uint32_t index, word which) { return u->tokens[index].word == which; }
static inline bool is_plain_name(const unit *u, uint32_t index) {
  return u->tokens[index].kind == TOKEN_NAME && u->tokens[index].word == WORD_NONE;
}
static inline bool touches_next(const unit *u, uint32_t index) {
  return u->tokens[index].at + u->tokens[index].length == u->tokens[index + 1].at;
}
bool is_spelled(const unit *u, uint32_t index, const char *name);
bool same_name(const unit *u, uint32_t a, uint32_t b);
char *token_text(const unit *u, uint32_t index);
/* Text from the first token to the end of the one before last, with the dialect's words blanked. */
char *tokens_text(const unit *u, uint32_t first, uint32_t last);
word_class class_of(word which);
/* After the '>' that closes the '<' at index; 0 if there is none before a ';' or a closing bracket. */
uint32_t after_angle(const unit *u, uint32_t index, uint32_t end);

/* lex.c: fills tokens and files from source. */
void lex(unit *u);
/* lex.c: which SK_KERNEL_* facts and cube words an unpreprocessed file shows; false if unreadable. */
bool lex_raw_facts(const char *path, uint32_t *flags, bool *cube);

/* scan.c: functions and kernels. */
void scan(unit *u);
kernel *find_kernel(unit *u, uint32_t name);
kernel *find_template(unit *u, uint32_t name, unsigned parameters);

/* The rewriting steps; each adds edits or errors. */
void rewrite_qualifiers(unit *u);
void rewrite_kernels(unit *u);
void rewrite_launches(unit *u);
void rewrite_arrays(unit *u);
void rewrite_bindings(unit *u);

/* launch_headers.c: functions for hosts of another compiler; their headers, false after a message. */
void rewrite_launch_headers(unit *u);
bool write_launch_headers(const unit *u);
/* stubs.c: a kernel's name in host code; the template arguments of an instance or of the template itself. */
void rewrite_stub(unit *u, const kernel *k, const function *f, const char *arguments);
/* kernels.c: parameters and what they are called, named by the user or not. */
void read_parameters(unit *u, kernel *k, const function *f);
char *param_name(const unit *u, const kernel *k, size_t i);
/* kernels.c: what a kernel type has, and the type that an __sk__ function's head names (KERNEL_UNSET: none). */
bool has_cube_half(int type);
bool has_vector_half(int type);
int kernel_function_type(unit *u, const function *f);
/* bindings.c: makes a template kernel's instantiation known. */
void write_instance(unit *u, const kernel *k, const char *path, const char *arguments, uint32_t at, text *out);

/* edit.c */
void edit_replace(unit *u, uint32_t first, uint32_t last, char *insert); /* tokens [first, last] */
void edit_blank(unit *u, uint32_t first, uint32_t last);                 /* keeps columns and lines */
void edit_before(unit *u, uint32_t at, char *insert);
void edit_after(unit *u, uint32_t at, char *insert);
void edit_write(unit *u, text *out);
/* Starts inserted text that the user's warning flags shall not judge. */
void begin_system_text(const unit *u, uint32_t at, text *out);

/* glue.c: declarations that rewritten text needs. */
const char *glue_text(bool cplusplus);

/* rewrite.c: the source to tokens and functions; then, for each part, its text. rewrite_part is false if
 * there are errors (then in messages). */
void rewrite_read(unit *u);
bool rewrite_part(const unit *read, part which, unit *u, text *out);

/* ---- driver ----------------------------------------------------------------------------------- */

typedef enum output_kind { OUTPUT_PROGRAM, OUTPUT_SHARED, OUTPUT_OBJECT, OUTPUT_TEXT, OUTPUT_LINK_OPTIONS } output_kind;

typedef struct input {
  const char *path;
  bool source;          /* else an object or archive for the linker */
  bool cplusplus;
} input;

typedef struct options {
  output_kind kind;
  const char *output;
  input *inputs;
  size_t input_count, input_capacity;
  list preprocess, compile, link; /* the user's flags by where they matter */
  list c_only, cpp_only;          /* -std= by language */
  list depend;                    /* -MD and friends: for the vector half's preprocessor */
  const char *cc, *cxx;
  const char *commands;           /* -MJ: where entries of compile_commands.json go */
  int kernel_type;                /* kernel_type of kernels whose source does not say */
  const char *launch_headers;     /* directory */
  bool verbose, save_temps, depends_named, depends_target;
} options;

/* Fills options, or prints and returns an exit code >= 0 (help, version, usage error); -1 = go on. */
int options_parse(options *o, int argc, char **argv);
int usage_error(const char *format, const char *what); /* "skcc: ..." and EXIT_USAGE */

/* What looking at an argument gave: an exit code, or how many more arguments belong to it. */
enum { GO_ON = -1, NOT_MINE = -2, USED_ONE = -3, USED_TWO = -4 };
/* npu_options.c */
int parse_npu(options *o, int left, char **argv);
bool npu_library(const char *name);
void add_half_macros(list *argv, bool cube);

/* Where the product's own files are. */
typedef struct places {
  char *include, *include_ascendc, *hooks, *library_dir;
} places;
void options_finish(options *o);
/* commands.c: writes the entries if they are asked for; 0 or an exit code after a message. */
int commands_write(const options *o, const places *p);


/* run.c: processes and the temporary directory. */
typedef struct process {
  int pid; /* 0: could not be started */
} process;
void run_setup(bool verbose, bool keep_temps);
const char *run_temp_dir(void);
char *run_temp_file(const char *name);
void run_unfinished(char *path); /* a file to remove if we end early; NULL when it is done */
/* Starts a program with its messages appended to a file (NULL = inherited). */
process run_start(const list *argv, const char *messages);
/* Its exit code, 128+n if killed, 127 if it could not be started. */
int run_wait(process p);
int run_command(const list *argv, const char *messages);
/* A forked copy of the driver that does one job, in a process group of its own. */
process run_job(int (*job)(void *), void *context);
int run_job_result(process p);
bool run_interrupted(void);
void run_cleanup(void);

/* refusals.c: lines for the user, of what the compiler's messages say inside API headers. */
void text_of_refusals(const text *messages, text *said);

/* pipeline.c: sources to object files (one path per input, for the linker); link.c: those to the output. */
int compile_sources(const options *o, const places *p, char **objects);
int link_output(const options *o, const places *p, char *const *objects);
int link_print(const places *p); /* the options themselves, for another linker */
char *object_name(const char *source); /* dir/x.asc -> x.o */
bool is_clang(const char *compiler);
const char *compiler_of(const options *o, bool cplusplus);

#endif
