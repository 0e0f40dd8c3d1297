/* mutant.c - which places are mutated (MUTANT_SITES, numbers with commas), and which were reached (a line for each in the file
 * that MUTANT_REACHED names, at the end of the process). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "mutant.h"

enum { MOST_SITES = 1 << 16 };

static unsigned char mutated[MOST_SITES], reached[MOST_SITES];

int sk_mutant_at(unsigned site) {
  reached[site] = 1;
  return mutated[site];
}

__attribute__((constructor)) static void read_sites(void) {
  const char *list = getenv("MUTANT_SITES");
  for (char *end = (char *)(uintptr_t)list; end != NULL && *end != '\0'; end += *end == ',') {
    unsigned long site = strtoul(end, &end, 10);
    if (site < MOST_SITES) mutated[site] = 1;
  }
}

__attribute__((destructor)) static void write_reached(void) {
  const char *path = getenv("MUTANT_REACHED");
  FILE *to = path != NULL ? fopen(path, "w") : NULL;
  if (to == NULL) return;
  for (unsigned i = 0; i < MOST_SITES; i++)
    if (reached[i]) fprintf(to, "%u\n", i);
  fclose(to);
}
