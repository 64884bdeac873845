/* SPDX-License-Identifier: Apache-2.0
 * power - logarithms and powers of two in fixed point. */
#include "base/power.h"

#include "base/check.h"

/* log2(x) in 2^-32 steps for x > 0: the whole part is the top bit; each squaring of the remainder
 * in [1, 2) gives one more binary digit. */
uint64_t log2_q32(uint64_t x)
{
    const unsigned top = 63u - (unsigned)__builtin_clzll(x);
    uint64_t mantissa = x << (63 - top); /* 1.63 fixed point */
    uint64_t result = (uint64_t)top << 32;
    for (int bit = 31; bit >= 0; bit--) {
        const unsigned __int128 square = (unsigned __int128)mantissa * mantissa;
        const int carry = (int)(square >> 127);
        mantissa = (uint64_t)(square >> (63 + carry));
        result |= (uint64_t)carry << bit;
    }
    return result;
}

/* 2^(1/2), 2^(1/4), ... in 2^-62 steps: each is the square root of the previous one. */
static const uint64_t roots_q62[32] = {
    UINT64_C(0x5A827999FCEF3242), UINT64_C(0x4C1BF828C6DC54B8), UINT64_C(0x45CAE0F1F545EB73),
    UINT64_C(0x42D561B3E6243D8A), UINT64_C(0x4166C34C5615D0EC), UINT64_C(0x40B268F9DE0183BA),
    UINT64_C(0x4058F6A7ECCCD5B6), UINT64_C(0x402C6BE96AF2FB58), UINT64_C(0x4016321B687027A8),
    UINT64_C(0x400B18178BA33B14), UINT64_C(0x40058BCE410147E8), UINT64_C(0x4002C5D7BFF71DAF),
    UINT64_C(0x400162E807EE7E5B), UINT64_C(0x4000B1730DF6A524), UINT64_C(0x400058B9497B8152),
    UINT64_C(0x40002C5C955DD701), UINT64_C(0x4000162E46D6F26C), UINT64_C(0x40000B1722757B1B),
    UINT64_C(0x4000058B90FD3E0C), UINT64_C(0x400002C5C86F3F26), UINT64_C(0x40000162E433C79B),
    UINT64_C(0x400000B17218EDD0), UINT64_C(0x40000058B90C3968), UINT64_C(0x4000002C5C860D54),
    UINT64_C(0x400000162E4302D2), UINT64_C(0x4000000B17218073), UINT64_C(0x400000058B90BFFC),
    UINT64_C(0x40000002C5C85FEF), UINT64_C(0x4000000162E42FF3), UINT64_C(0x40000000B17217F9),
    UINT64_C(0x4000000058B90BFC), UINT64_C(0x400000002C5C85FE),
};

uint64_t exp2_fraction(uint32_t x)
{
    uint64_t mantissa = UINT64_C(1) << 62;
    for (unsigned bit = 0; bit < 32; bit++)
        if ((x >> (31 - bit) & 1) != 0)
            mantissa = (uint64_t)(((unsigned __int128)mantissa * roots_q62[bit]) >> 62);
    return mantissa;
}

uint64_t exp2_whole(int64_t x)
{
    if (x < 0)
        return 0;
    const int64_t whole = x >> 32;
    return whole >= 62 ? UINT64_C(1) << 62 : exp2_fraction((uint32_t)x) >> (62 - whole);
}

uint64_t exp2_negative_q60(int64_t x)
{
    CHECK(x >= 0);
    const int64_t up = (x + INT64_C(0xffffffff)) >> 32; /* 2^-x = 2^(up - x) / 2^up */
    return up > 60 ? 0 : exp2_fraction((uint32_t)((up << 32) - x)) >> (2 + up);
}
