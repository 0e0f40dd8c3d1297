/* acl_rt.h - the run time is part of acl.h. */
#ifndef SK_ACL_ACL_RT_H
#define SK_ACL_ACL_RT_H

#include "acl/acl.h"

#endif
