/* places.c - which sites stand for one place of the source.
 *
 * A compiler makes several call sites of one line (unrolled loops, inlined functions), another one of several: what is
 * told must not depend on it. So causes are compared by file and line. A place is interned for the life of the process;
 * what is remembered of sites holds until objects come or go. Cold. */
#include <pthread.h>
#include <string.h>

#include <xxhash.h>

#include "base/memory.h"
#include "check/check.h"
#include "check/debug_info.h"

typedef struct place {
  uint32_t line;
  char file[];
} place;

typedef struct known_site { const void *site, *place; } known_site;

/* Open addressing over pointers; NULL is an empty slot. */
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static known_site *sites;
static place **places;
static size_t site_slots, site_count, place_slots, place_count;
static unsigned long long objects_seen;

static size_t slot_of_site(const known_site *table, size_t slots, const void *site) {
  size_t i = XXH3_64bits(&site, sizeof site) & (slots - 1);
  while (table[i].site != NULL && table[i].site != site) i = (i + 1) & (slots - 1);
  return i;
}

static size_t slot_of_place(place *const *table, size_t slots, const char *file, uint32_t line) {
  size_t i = XXH3_64bits_withSeed(file, strlen(file), line) & (slots - 1);
  while (table[i] != NULL && (table[i]->line != line || strcmp(table[i]->file, file) != 0)) i = (i + 1) & (slots - 1);
  return i;
}

static bool room_for_site(void) {
  if (site_count * 2 < site_slots) return true;
  size_t slots = site_slots == 0 ? 64 : site_slots * 2;
  known_site *table = sk__calloc(slots, sizeof *table);
  if (table == NULL) return false;
  for (size_t i = 0; i < site_slots; i++)
    if (sites[i].site != NULL) table[slot_of_site(table, slots, sites[i].site)] = sites[i];
  sk__free(sites);
  sites = table;
  site_slots = slots;
  return true;
}

static bool room_for_place(void) {
  if (place_count * 2 < place_slots) return true;
  size_t slots = place_slots == 0 ? 64 : place_slots * 2;
  place **table = sk__calloc(slots, sizeof *table);
  if (table == NULL) return false;
  for (size_t i = 0; i < place_slots; i++)
    if (places[i] != NULL) table[slot_of_place(table, slots, places[i]->file, places[i]->line)] = places[i];
  sk__free(places);
  places = table;
  place_slots = slots;
  return true;
}

/* NULL on no memory. */
static const place *intern(const char *file, uint32_t line) {
  if (!room_for_place()) return NULL;
  size_t i = slot_of_place(places, place_slots, file, line), bytes = strlen(file) + 1;
  if (places[i] != NULL) return places[i];
  place *fresh = sk__malloc(sizeof *fresh + bytes);
  if (fresh == NULL) return NULL;
  fresh->line = line;
  memcpy(fresh->file, file, bytes);
  place_count++;
  return places[i] = fresh;
}

static const void *look_up(const void *site) {
  unsigned long long objects = sk__debug_info_objects();
  if (objects != objects_seen) {
    if (site_slots != 0) memset(sites, 0, site_slots * sizeof *sites);
    site_count = 0;
    objects_seen = objects;
  }
  if (!room_for_site()) return site;
  known_site *known = &sites[slot_of_site(sites, site_slots, site)];
  if (known->site != NULL) return known->place;
  sk__source source;
  const void *found = sk__site_source(site, &source) ? intern(source.file, source.line) : NULL;
  *known = (known_site){site, found != NULL ? found : site};
  site_count++;
  return known->place;
}

const void *sk__site_place(const void *site) {
  if (site == NULL) return NULL;
  pthread_mutex_lock(&places_lock);
  const void *found = look_up(site);
  pthread_mutex_unlock(&places_lock);
  return found;
}
