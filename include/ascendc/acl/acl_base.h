/* acl_base.h - types and errors are part of acl.h. */
#ifndef SK_ACL_ACL_BASE_H
#define SK_ACL_ACL_BASE_H

#include "acl/acl.h"

#endif
