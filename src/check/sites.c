/* sites.c - from a return address to the user's line, by the debug information of its object.
 *
 * Where an API header only forwards inline, the line inside the header says nothing: the chain of
 * inlined calls is climbed until it leaves the headers. One reader of debug information per process,
 * opened at the first question, brought up to date when objects came or went. Cold. */
#include <dwarf.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "check/check.h"
#include "check/debug_info.h"

static pthread_mutex_t sites_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the three below */
static Dwfl *sites_dwfl;
static unsigned long long objects_seen; /* objects loaded and unloaded when it was last brought up to date */
static char *debuginfo_path;

typedef struct position {
  const char *file;   /* as the debug information has it */
  const char *folder; /* of the compilation, NULL unknown */
  const char *function;
  int line;
} position;

/* ---- objects --------------------------------------------------------------------------------- */

static int count_objects(struct dl_phdr_info *info, size_t size, void *count) {
  (void)size;
  *(unsigned long long *)count = info->dlpi_adds + info->dlpi_subs;
  return 1;
}

unsigned long long sk__debug_info_objects(void) {
  unsigned long long objects = 0;
  dl_iterate_phdr(count_objects, &objects);
  return objects;
}

static Dwfl *current_dwfl(void) {
  static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_linux_proc_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .debuginfo_path = &debuginfo_path,
  };
  unsigned long long objects = sk__debug_info_objects();
  if (sites_dwfl != NULL && objects == objects_seen) return sites_dwfl;
  /* From scratch: another object may have come to the same place, even under the same name. */
  if (sites_dwfl != NULL) dwfl_end(sites_dwfl);
  sites_dwfl = dwfl_begin(&callbacks);
  if (sites_dwfl == NULL) return NULL;
  int failed = dwfl_linux_proc_report(sites_dwfl, getpid());
  if (dwfl_report_end(sites_dwfl, NULL, NULL) != 0 || failed != 0) {
    dwfl_end(sites_dwfl);
    sites_dwfl = NULL;
    return NULL;
  }
  objects_seen = objects;
  return sites_dwfl;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Headers that kernels include and that only forward: .../include/ascendc/..., .../include/superkernel/... */
static bool is_api_header(const char *file) {
  return file != NULL && (strstr(file, "include/ascendc/") != NULL || strstr(file, "include/superkernel/") != NULL);
}

static const char *compile_folder(Dwarf_Die *unit) {
  Dwarf_Attribute attribute;
  return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

static const char *file_by_index(Dwarf_Die *unit, Dwarf_Word index) {
  Dwarf_Files *files;
  size_t count;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || index >= count) return NULL;
  return dwarf_filesrc(files, index, NULL, NULL);
}

static bool number_of(Dwarf_Die *die, unsigned name, Dwarf_Word *value) {
  Dwarf_Attribute attribute;
  return dwarf_formudata(dwarf_attr(die, name, &attribute), value) == 0;
}

/* The innermost function around scope `from`: its index, or count. */
static int function_around(Dwarf_Die *scopes, int from, int count) {
  for (; from < count; from++) {
    int tag = dwarf_tag(&scopes[from]);
    if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) break;
  }
  return from;
}

/* The scopes around an address, outwards through callers, not through where an inlined function was defined. How many;
 * the caller frees them. */
static int scopes_around(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes) {
  *scopes = NULL;
  int count = dwarf_getscopes(unit, address, scopes);
  if (count <= 0) return 0;
  Dwarf_Die innermost = (*scopes)[0];
  free(*scopes);
  *scopes = NULL;
  count = dwarf_getscopes_die(&innermost, scopes);
  return count > 0 ? count : 0;
}

/* Names the function, and climbs out of inlined API functions to the line that called them. */
static void climb(Dwarf_Die *unit, Dwarf_Addr address, position *at) {
  Dwarf_Die *scopes;
  int count = scopes_around(unit, address, &scopes);
  int i = function_around(scopes, 0, count);
  while (i < count && dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine && is_api_header(at->file)) {
    Dwarf_Word file, line;
    if (!number_of(&scopes[i], DW_AT_call_file, &file) || !number_of(&scopes[i], DW_AT_call_line, &line)) break;
    const char *name = file_by_index(unit, file);
    if (name == NULL) break;
    at->file = name;
    at->line = (int)line;
    i = function_around(scopes, i + 1, count);
  }
  if (i < count) at->function = dwarf_diename(&scopes[i]);
  free(scopes);
}

/* The compile unit that holds the address. clang writes no table of address ranges: then all are asked. */
static Dwarf_Die *unit_of(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias) {
  Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
  if (unit != NULL) return unit;
  while ((unit = dwfl_module_nextcu(module, unit, bias)) != NULL)
    if (dwarf_haspc(unit, address - *bias) == 1) return unit;
  return NULL;
}

void sk__debug_info_lock(void) { pthread_mutex_lock(&sites_lock); }
void sk__debug_info_unlock(void) { pthread_mutex_unlock(&sites_lock); }
Dwarf_Die *sk__debug_info_unit(Dwarf_Addr address, Dwarf_Addr *bias) {
  Dwfl *dwfl = current_dwfl();
  Dwfl_Module *module = dwfl != NULL ? dwfl_addrmodule(dwfl, address) : NULL;
  return module != NULL ? unit_of(module, address, bias) : NULL;
}

/* The function the compiler made a body of, with all that was inlined into it. */
static bool body_around(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die *out) {
  Dwarf_Die *scopes;
  int count = scopes_around(unit, address, &scopes), i = 0;
  while (i < count && dwarf_tag(&scopes[i]) != DW_TAG_subprogram) i++;
  bool found = i < count;
  if (found) *out = scopes[i];
  free(scopes);
  return found;
}

/* At the first byte of a function, where no call returns to: the position is that of its declaration. */
static void declared(Dwarf_Die *unit, Dwarf_Addr address, position *at) {
  Dwarf_Die body;
  Dwarf_Addr entry;
  int line;
  if (!body_around(unit, address, &body) || dwarf_entrypc(&body, &entry) != 0 || entry != address) return;
  if (dwarf_decl_line(&body, &line) != 0) return;
  const char *file = dwarf_decl_file(&body); /* NULL for file 0, which is what DWARF 5 may call the unit's own */
  if (file != NULL) at->file = file;
  at->line = line;
  at->function = dwarf_diename(&body);
}

static bool find_position(Dwfl_Module *module, Dwarf_Addr address, position *at) {
  *at = (position){0};
  Dwarf_Addr bias = 0;
  Dwarf_Die *unit = unit_of(module, address, &bias);
  Dwarf_Line *line = unit != NULL ? dwarf_getsrc_die(unit, address - bias) : NULL;
  if (line == NULL || dwarf_lineno(line, &at->line) != 0) return false;
  at->file = dwarf_linesrc(line, NULL, NULL);
  if (at->file == NULL) return false;
  at->folder = compile_folder(unit);
  climb(unit, address - bias, at);
  declared(unit, address - bias, at);
  if (at->function == NULL) at->function = dwfl_module_addrname(module, address);
  return true;
}

/* Absolute and free of "..", then relative to the current directory where it lies below it. */
static void tidy_path(const position *at, char *out, size_t out_bytes) {
  char joined[PATH_MAX], real[PATH_MAX], here[PATH_MAX];
  if (at->file[0] != '/' && at->folder != NULL) snprintf(joined, sizeof joined, "%s/%s", at->folder, at->file);
  else snprintf(joined, sizeof joined, "%s", at->file);
  const char *path = realpath(joined, real) != NULL ? real : joined;
  size_t length = getcwd(here, sizeof here) != NULL ? strlen(here) : 0;
  if (length > 1 && strncmp(path, here, length) == 0 && path[length] == '/') path += length + 1;
  sk__text_copy(out, out_bytes, path);
}

/* ---- questions ------------------------------------------------------------------------------- */

/* The call lies before its return address. */
static Dwarf_Addr call_of(const void *site) { return (Dwarf_Addr)(uintptr_t)site - 1; }

const void *sk__site_function(const void *site) {
  if (site == NULL) return NULL;
  Dwarf_Addr bias = 0, entry;
  Dwarf_Die body;
  pthread_mutex_lock(&sites_lock);
  Dwarf_Die *unit = sk__debug_info_unit(call_of(site), &bias);
  bool found = unit != NULL && body_around(unit, call_of(site) - bias, &body) && dwarf_entrypc(&body, &entry) == 0;
  pthread_mutex_unlock(&sites_lock);
  return found ? (const void *)(uintptr_t)(entry + bias + 1) : site;
}

/* Compilers write template arguments differently: without them, but for the signs of an operator. */
static void copy_function(const char *name, char *out, size_t out_bytes) {
  sk__text_copy(out, out_bytes, name);
  if (strncmp(name, "operator", strlen("operator")) != 0) out[strcspn(out, "<")] = '\0';
}

static bool source_locked(const void *site, sk__source *out) {
  Dwfl *dwfl = current_dwfl();
  Dwfl_Module *module = dwfl != NULL ? dwfl_addrmodule(dwfl, call_of(site)) : NULL;
  position at;
  if (module == NULL || !find_position(module, call_of(site), &at)) return false;
  tidy_path(&at, out->file, sizeof out->file);
  copy_function(at.function != NULL ? at.function : "", out->function, sizeof out->function);
  out->line = at.line > 0 ? (uint32_t)at.line : 0;
  return true;
}

bool sk__site_source(const void *site, sk__source *out) {
  *out = (sk__source){0};
  if (site == NULL) return false;
  pthread_mutex_lock(&sites_lock);
  bool found = source_locked(site, out);
  pthread_mutex_unlock(&sites_lock);
  return found;
}

/* "libops.so+0x12ab", counted from where the object was loaded. */
static void object_text(const void *site, char *text, size_t text_bytes) {
  pthread_mutex_lock(&sites_lock);
  Dwfl *dwfl = current_dwfl();
  Dwfl_Module *module = dwfl != NULL ? dwfl_addrmodule(dwfl, call_of(site)) : NULL;
  Dwarf_Addr start = 0;
  const char *name = module != NULL ? dwfl_module_info(module, NULL, &start, NULL, NULL, NULL, NULL, NULL) : NULL;
  const char *slash = name != NULL ? strrchr(name, '/') : NULL;
  if (slash != NULL) name = slash + 1;
  sk__text t = sk__text_on(text, text_bytes);
  if (name != NULL) sk__text_add(&t, "%s+0x%" PRIx64, name, (uint64_t)(call_of(site) + 1 - start));
  else sk__text_add(&t, "0x%" PRIxPTR, (uintptr_t)site);
  pthread_mutex_unlock(&sites_lock);
}

bool sk__site_text(const void *site, char *text, size_t text_bytes) {
  sk__source source;
  if (site == NULL) {
    sk__text_copy(text, text_bytes, "unknown place");
    return false;
  }
  if (!sk__site_source(site, &source)) {
    object_text(site, text, text_bytes);
    return false;
  }
  sk__text t = sk__text_on(text, text_bytes);
  sk__text_add(&t, "%s:%" PRIu32, source.file, source.line);
  if (source.function[0] != '\0') sk__text_add(&t, ":%s", source.function);
  return true;
}
