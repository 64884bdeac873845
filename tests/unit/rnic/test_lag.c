/* SPDX-License-Identifier: Apache-2.0
 * By which member of a link aggregate a flow leaves: hashes of bonding, worked by hand. */
#include "rnic/host/lag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define IP(d) (UINT32_C(0x0A000000) + (d)) /* 10.0.0.d */

static void hashes_of_bonding(void **state)
{
    static const struct {
        enum rnic_lag policy;
        struct lag_flow flow;
        uint32_t hash;
    } rows[] = {
        /* The last bytes of both MACs and the EtherType: 01 ^ 01 ^ 0800, 02 ^ 01 ^ 0800. */
        {RNIC_LAG_LAYER2, {IP(1), IP(2), 0xC000}, 0x0800},
        {RNIC_LAG_LAYER2, {IP(1), IP(9), 0xFFFF}, 0x0800},
        {RNIC_LAG_LAYER2, {IP(2), IP(1), 0xC000}, 0x0803},
        /* 0800 ^ 0100000A ^ 0200000A = 03000800, ^ >>16 03000B00, ^ >>8 03030B0B */
        {RNIC_LAG_LAYER2_3, {IP(1), IP(2), 0xC000}, 0x03030B0B},
        {RNIC_LAG_LAYER2_3, {IP(1), IP(2), 0xC001}, 0x03030B0B},
        /* Ports C000 and 12B7 as they lie in memory: B71200C0 ^ 03000000 = B41200C0,
         * ^ >>16 B412B4D2, ^ >>8 B4A6A666, of which the lowest bit goes. */
        {RNIC_LAG_LAYER3_4, {IP(1), IP(2), 0xC000}, 0x5A535333},
        /* The other direction has the same. */
        {RNIC_LAG_LAYER3_4, {IP(2), IP(1), 0xC000}, 0x5A535333},
        /* So of two members the port C001 has the same as C000, and C002 the other. */
        {RNIC_LAG_LAYER3_4, {IP(1), IP(2), 0xC001}, 0x5A5353B3},
        {RNIC_LAG_LAYER3_4, {IP(1), IP(2), 0xC002}, 0x5A535232},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (lag_hash(rows[i].policy, &rows[i].flow) != rows[i].hash)
            fail_msg("row %zu: 0x%08x", i, lag_hash(rows[i].policy, &rows[i].flow));
}

/* Of many ports each member of three has a third. */
static void ports_are_spread(void **state)
{
    uint32_t count[3] = {0};
    (void)state;
    for (uint32_t port = 0xC000; port < 0xC000 + 3000; port++) {
        const struct lag_flow flow = {IP(1), IP(2), (uint16_t)port};
        count[lag_hash(RNIC_LAG_LAYER3_4, &flow) % 3]++;
    }
    for (int i = 0; i < 3; i++)
        assert_in_range(count[i], 900, 1100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_of_bonding),
        cmocka_unit_test(ports_are_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
