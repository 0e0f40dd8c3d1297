/* layout.c - where the fields of the structure lie that a function's first parameter points to, by the debug
 * information of its object. Cold. */
#include <dwarf.h>
#include <string.h>

#include "base/text.h"
#include "check/check.h"
#include "check/debug_info.h"

enum { MOST_DEPTH = 8, MOST_TYPEDEFS = 32 };

typedef struct search {
  const char *name;            /* of the function, without namespaces */
  sk__layout *out;
  bool found, unsure;          /* unsure: something that has no plain offset, or several functions that differ */
} search;

/* The type behind typedefs and qualifiers. */
static bool plain_type(Dwarf_Die *from, Dwarf_Die *type) {
  Dwarf_Attribute attribute;
  if (dwarf_formref_die(dwarf_attr_integrate(from, DW_AT_type, &attribute), type) == NULL) return false;
  for (int i = 0; i < MOST_TYPEDEFS; i++) {
    int tag = dwarf_tag(type);
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_restrict_type) return true;
    Dwarf_Die next;
    if (dwarf_formref_die(dwarf_attr(type, DW_AT_type, &attribute), &next) == NULL) return false;
    *type = next;
  }
  return false;
}

static bool number_of(Dwarf_Die *die, unsigned name, Dwarf_Word *value) {
  Dwarf_Attribute attribute;
  return dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), value) == 0;
}

static void add_struct(search *s, Dwarf_Die *type, uint64_t offset, const char *name, int depth);

static sk__layout_field *add_field(search *s, const char *name, uint64_t offset, uint64_t bytes, bool part) {
  if (s->out->count == SK__LAYOUT_FIELDS) {
    s->unsure = true;
    return NULL;
  }
  sk__layout_field *field = &s->out->fields[s->out->count++];
  memset(field, 0, sizeof *field); /* layouts are compared as memory */
  field->offset_bytes = (uint32_t)offset;
  field->bytes = (uint32_t)bytes;
  field->part = part;
  sk__text_copy(field->name, sizeof field->name, name);
  return field;
}

/* A field and, behind it, what it is made of. */
static void add_type(search *s, Dwarf_Die *type, uint64_t offset, const char *name, int depth) {
  Dwarf_Word bytes = 0;
  if (depth > MOST_DEPTH || dwarf_aggregate_size(type, &bytes) != 0) {
    s->unsure = true;
    return;
  }
  sk__layout_field *field = add_field(s, name, offset, bytes, depth > 0);
  if (field == NULL) return;
  Dwarf_Die element;
  Dwarf_Word element_bytes = 0;
  switch (dwarf_tag(type)) {
    case DW_TAG_array_type:
      field->composite = true;
      if (!plain_type(type, &element) || dwarf_aggregate_size(&element, &element_bytes) != 0 || element_bytes == 0) s->unsure = true;
      else if (element_bytes == 1) field->bytes_only = true;
      else
        for (Dwarf_Word at = 0; at < bytes && !s->unsure; at += element_bytes) add_type(s, &element, offset + at, name, depth + 1);
      return;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
      field->composite = true;
      add_struct(s, type, offset, name, depth + 1);
      return;
    case DW_TAG_union_type: s->unsure = true; return;
    default: return;
  }
}

static void add_member(search *s, Dwarf_Die *member, uint64_t offset, const char *name, int depth) {
  Dwarf_Word at = 0;
  Dwarf_Die type;
  Dwarf_Attribute attribute;
  bool bit_field = dwarf_hasattr(member, DW_AT_bit_size) || dwarf_hasattr(member, DW_AT_data_bit_offset);
  if (dwarf_attr(member, DW_AT_external, &attribute) != NULL) return; /* static: not in the object */
  if (bit_field || !number_of(member, DW_AT_data_member_location, &at) || !plain_type(member, &type)) {
    s->unsure = true;
    return;
  }
  const char *own = dwarf_diename(member);
  add_type(s, &type, offset + at, own != NULL ? own : name, depth);
}

static void add_struct(search *s, Dwarf_Die *type, uint64_t offset, const char *name, int depth) {
  Dwarf_Die child;
  if (dwarf_child(type, &child) != 0) return;
  do {
    int tag = dwarf_tag(&child);
    if (tag == DW_TAG_inheritance) s->unsure = true;
    if (tag == DW_TAG_member) add_member(s, &child, offset, name, depth);
  } while (dwarf_siblingof(&child, &child) == 0);
}

static bool first_parameter(Dwarf_Die *function, Dwarf_Die *out) {
  if (dwarf_child(function, out) != 0) return false;
  do {
    if (dwarf_tag(out) == DW_TAG_formal_parameter) return true;
  } while (dwarf_siblingof(out, out) == 0);
  return false;
}

static int visit(Dwarf_Die *function, void *context) {
  search *s = context;
  const char *name = dwarf_diename(function);
  Dwarf_Die parameter, pointer, type;
  if (name == NULL || strcmp(name, s->name) != 0 || !first_parameter(function, &parameter)) return DWARF_CB_OK;
  if (!plain_type(&parameter, &pointer) || dwarf_tag(&pointer) != DW_TAG_pointer_type || !plain_type(&pointer, &type)) return DWARF_CB_OK;
  int tag = dwarf_tag(&type);
  Dwarf_Word bytes = 0;
  if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type) || dwarf_aggregate_size(&type, &bytes) != 0) return DWARF_CB_OK;
  sk__layout earlier = *s->out;
  memset(s->out, 0, sizeof *s->out);
  s->out->bytes = (uint32_t)bytes;
  add_struct(s, &type, 0, "", 0);
  if (s->found && memcmp(&earlier, s->out, sizeof earlier) != 0) s->unsure = true;
  s->found = true;
  return DWARF_CB_OK;
}

static const char *without_namespaces(const char *name) {
  const char *end = strchr(name, '<'), *last = name;
  for (const char *at = name; (at = strstr(at, "::")) != NULL && (end == NULL || at < end); at += 2) last = at + 2;
  return last;
}

bool sk__parameter_layout(const void *near, const char *function, sk__layout *out) {
  search s = {.name = without_namespaces(function), .out = out};
  memset(out, 0, sizeof *out);
  Dwarf_Addr bias = 0;
  sk__debug_info_lock();
  Dwarf_Die *unit = sk__debug_info_unit((Dwarf_Addr)(uintptr_t)near, &bias);
  if (unit != NULL) (void)dwarf_getfuncs(unit, visit, &s, 0);
  sk__debug_info_unlock();
  return s.found && !s.unsure;
}
