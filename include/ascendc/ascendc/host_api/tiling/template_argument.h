/* template_argument.h - lists of the template arguments that an operator's kernel is made for. The framework makes one binary for
 * each; here a launch or an instantiation names the arguments, so the lists have no effect. */
#ifndef SK_HOST_API_TILING_TEMPLATE_ARGUMENT_H
#define SK_HOST_API_TILING_TEMPLATE_ARGUMENT_H

#define ASCENDC_TPL_ARGS_DECL(...)
#define ASCENDC_TPL_SEL(...)

/* What a kernel reads of the lists: numbers of its inputs and outputs as types, numbers of core types. */
#define ASCENDC_TPL_INPUT(x) (100000000 + (x))
#define ASCENDC_TPL_OUTPUT(x) (900000000 + (x))
#define ASCENDC_TPL_AIV_ONLY 0
#define ASCENDC_TPL_AIC_ONLY 1
#define ASCENDC_TPL_MIX_AIV_1_0 4
#define ASCENDC_TPL_MIX_AIC_1_0 5
#define ASCENDC_TPL_MIX_AIC_1_1 6
#define ASCENDC_TPL_MIX_AIC_1_2 7
#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_8_BW 8
#define ASCENDC_TPL_UI_RANGE 0
#define ASCENDC_TPL_UI_LIST 1
#define ASCENDC_TPL_UI_MIX 2

/* The framework's host side chooses a binary by the arguments' number. */
#define GET_TPL_TILING_KEY(...) sk_tiling_keys_of_template_arguments_are_not_modelled(__VA_ARGS__)
#define ASCENDC_TPL_SEL_PARAM(context, ...) sk_tiling_keys_of_template_arguments_are_not_modelled(__VA_ARGS__)

#endif
