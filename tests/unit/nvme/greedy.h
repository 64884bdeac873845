/* SPDX-License-Identifier: Apache-2.0
 * greedy - the write amplification of greedy collection, with one open block and uniformly random
 * writes, in closed form. */
#ifndef STORMGLASS_TESTS_UNIT_NVME_GREEDY_H
#define STORMGLASS_TESTS_UNIT_NVME_GREEDY_H

#include <math.h>

/* W(x) for -1/e < x < 0, the branch above -1, by Newton's method. */
static inline double lambert_w(double x)
{
    double w = -0.3;
    for (int i = 0; i < 100; i++)
        w -= (w * exp(w) - x) / (exp(w) * (w + 1));
    return w;
}

/* Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012: `units` in a block. */
static inline double desnoyers(double over_provisioning, double units)
{
    const double a = 1 + over_provisioning, b = (1 + 1 / (2 * units)) * a;
    const double valid = 0.5 - units / a * lambert_w(-b * exp(-b));
    return units / (units - (valid - 1));
}

/* Xiang and Kurkoski, "An improved analytic expression for write amplification in NAND flash",
 * arXiv 1110.4245: with ever more in a block. */
static inline double xiang_kurkoski(double over_provisioning)
{
    const double a = 1 + over_provisioning;
    return a / (a + lambert_w(-a * exp(-a)));
}

#endif
