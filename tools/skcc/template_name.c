/* template_name.c - the name of an instantiated kernel template, from what the compiler calls it.
 *
 * gcc: "... [with T = float; int N = 4]", clang: "... [T = float, N = 4]"  ->  "k<float, 4>". Linked into
 * every product; runs once per instantiation. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

__attribute__((visibility("hidden"))) void sk__template_name(char *name, unsigned long capacity, const char *base,
                                                             const char *pretty);

void sk__template_name(char *name, unsigned long capacity, const char *base, const char *pretty) {
  size_t used = (size_t)snprintf(name, capacity, "%s<", base);
  const char *c = strrchr(pretty, '[');
  for (unsigned count = 0; c != NULL && (c = strstr(c, " = ")) != NULL && used + 4 < capacity; count++) {
    c += 3;
    if (count > 0) used += (size_t)snprintf(name + used, capacity - used, ", ");
    for (int depth = 0; *c != '\0' && used + 3 < capacity; c++) {
      if (*c == '<' || *c == '(' || *c == '{') depth++;
      if (*c == '>' || *c == ')' || *c == '}') depth--;
      if (depth == 0 && (*c == ';' || *c == ',' || *c == ']')) break;
      name[used++] = *c;
    }
  }
  if (used + 2 > capacity) used = capacity - 2;
  name[used] = '>';
  name[used + 1] = '\0';
}
