/* debug_info.h - private to floor 1: the one reader of debug information, shared by sites.c and layout.c. */
#ifndef SK_CHECK_DEBUG_INFO_H
#define SK_CHECK_DEBUG_INFO_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

void sk__debug_info_lock(void);
void sk__debug_info_unlock(void);
/* Under the lock. The compile unit that holds an address of this process, NULL without debug information;
 * addresses in it count from *bias. */
Dwarf_Die *sk__debug_info_unit(Dwarf_Addr address, Dwarf_Addr *bias);
/* Counts objects that were loaded and unloaded; needs no lock. */
unsigned long long sk__debug_info_objects(void);

#endif
