/* vector_math.h - exp, log, rsqrt and the ordering rules of max, min, relu, for one float vector.
 *
 * Polynomials are minimax fits of the reduced function; errors in ULP are measured over all floats in
 * the tests. Every step is one IEEE operation, so all levels give the same bits. */
#ifndef SK_ISA_SIMD_VECTOR_MATH_H
#define SK_ISA_SIMD_VECTOR_MATH_H

#include "isa/simd/vec.h"

/* NaN if either is NaN; -0 is below +0. */
V_INLINE vf v_max(vf a, vf b) {
  vf r = v_if(a > b, a, b);
  r = v_if(a == b, (vf)((vi)a & (vi)b), r);
  return v_if((a == a) & (b == b), r, (vf)v_seti(0x7fc00000));
}
V_INLINE vf v_min(vf a, vf b) {
  vf r = v_if(a < b, a, b);
  r = v_if(a == b, (vf)((vi)a | (vi)b), r);
  return v_if((a == a) & (b == b), r, (vf)v_seti(0x7fc00000));
}
/* NaN stays NaN, -0 becomes +0. */
V_INLINE vf v_relu(vf x) { return v_if(x > 0.0f, x, v_if(x == x, v_set(0), (vf)v_seti(0x7fc00000))); }
V_INLINE vf v_leakyrelu(vf x, vf k) { return v_canon(v_if(x > 0.0f, x, k * x)); }

/* e^x = 2^n e^r, |r| <= ln2/2; r is kept as r + c, c what the second reduction step rounds away. */
V_INLINE vf v_exp(vf x) {
  vf safe = v_clamp(x, -105.0f, 90.0f); /* past these the scaling below underflows or overflows by itself */
  vf n = v_rint(safe * 0x1.715476p+0f);
  vf r0 = v_fma(n, v_set(-0x1.62e4p-1f), safe);       /* exact */
  vf r = v_fma(n, v_set(-0x1.7f7d1cp-20f), r0);
  vf c = v_fma(n, v_set(-0x1.7f7d1cp-20f), r0 - r);
  vf q = v_fma(r, v_set(1.99198948452e-4f), v_set(1.39472117918e-3f));
  q = v_fma(q, r, v_set(8.3332616297e-3f));
  q = v_fma(q, r, v_set(4.1666254006e-2f));
  q = v_fma(q, r, v_set(0.166666668723f));
  q = v_fma(q, r, v_set(0.500000008264f));
  vf p = r + v_fma(q, r * r, c);
  return v_canon(v_scale(1.0f + p, n));
}

/* ln x = e ln2 + ln m, m in [2/3, 4/3). */
V_INLINE vf v_log(vf x) {
  vi tiny = x < 0x1p-126f;
  vf scaled = v_if(tiny, x * 0x1p23f, x);
  vi bits = (vi)((vu)scaled - 0x3f2aaaabu);
  vi e = (bits >> 23) - (tiny & 23);
  vf f = (vf)((bits & 0x7fffff) + 0x3f2aaaab) - 1.0f, s = f * f, k = __builtin_convertvector(e, vf);
  vf q = v_fma(f, v_set(-0.116879201265f), v_set(0.121170952318f));
  q = v_fma(q, f, v_set(-0.094822369309f));
  q = v_fma(q, f, v_set(0.107237386966f));
  q = v_fma(q, f, v_set(-0.125363902504f));
  q = v_fma(q, f, v_set(0.143074070532f));
  q = v_fma(q, f, v_set(-0.166655000786f));
  q = v_fma(q, f, v_set(0.199994830316f));
  q = v_fma(q, f, v_set(-0.250000133226f));
  q = v_fma(q, f, v_set(0.333333371841f));
  vf t = v_fma(q, s * f, v_fma(s, v_set(-0.5f), k * 0x1.7f7d1cp-20f));
  /* k * 0x1.62e4p-1 is exact. Sum of it and f with its error, so that only the last addition rounds. */
  vf big = k * 0x1.62e4p-1f, sum = big + f;
  vf lost = f - (sum - big);
  vf y = sum + (t + lost);
  y = v_if(x == (vf)v_seti(0x7f800000), x, y);
  y = v_if(x == 0.0f, (vf)v_seti((int32_t)0xff800000), y);
  return v_if(x >= 0.0f, y, (vf)v_seti(0x7fc00000));
}

/* Half arguments whose float result, though within an ULP, lies on the wrong side of a half's rounding
 * boundary. With these, half results are correctly rounded for all arguments. */
V_INLINE vf v_exp_half(vf x) {
  vf y = v_exp(x);
  y = v_if(x == 0x1.de4p-8f, v_set(0x1.01cp+0f), y);
  return v_if(x == 0x1.73cp-6f, v_set(0x1.05cp+0f), y);
}
V_INLINE vf v_log_half(vf x) { return v_if(x == 0x1.5ep-8f, v_set(-0x1.4ecp+2f), v_log(x)); }

/* 1/sqrt(x), one correction step: p + e is y*y exactly. The argument is brought near 1 first, so that
 * y*y neither overflows nor loses bits. */
V_INLINE vf v_rsqrt(vf x) {
  vi tiny = x < 0x1p-60f, huge = x > 0x1p60f;
  vf scaled = v_if(tiny, x * 0x1p80f, v_if(huge, x * 0x1p-80f, x));
  vf y = 1.0f / v_sqrt(scaled);
  vf p = y * y, e = v_fma(y, y, -p);
  vf rest = v_fma(-scaled, e, v_fma(-scaled, p, v_set(1.0f)));
  vf better = v_fma(y * 0.5f, rest, y);
  vi plain = (scaled > 0.0f) & (scaled < (vf)v_seti(0x7f800000));
  y = v_if(plain, better, y);
  y = v_if(tiny, y * 0x1p40f, v_if(huge, y * 0x1p-40f, y));
  return v_canon(y);
}

#endif
