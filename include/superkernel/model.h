/* model.h - captured models (aclmdlRI) whose launches change after the capture. */
#ifndef SUPERKERNEL_MODEL_H
#define SUPERKERNEL_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "superkernel/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The arguments of a launch in a model whose capture has ended, from its next replay on: the launch with this number, from 0
 * in order of issue, of the kernel with this name. args: laid out as the launch has them, args_bytes as many. What is pending
 * runs first. A launch that went into a SuperKernel keeps in there what it was fused with (H42). Returns an aclError. */
SK_EXPORT int sk_model_update(void *model, const char *kernel, uint32_t number, const void *args, size_t args_bytes);

#ifdef __cplusplus
}
#endif
#endif
