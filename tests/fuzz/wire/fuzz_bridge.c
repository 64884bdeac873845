/* SPDX-License-Identifier: Apache-2.0
 * fuzz_bridge - any bytes as what an intruder does to a listening bridge.
 * Afterwards a well-behaved host is served, and nothing is left behind.
 * Reads: bridge/agree/agree_target.c bridge/verbs/verbs_real_*.c
 * Reads: model/nvme/target/target_accept.c scenarios/workload/wl_rdma_wire.c */
#include "tests/unit/bridge/bridge_intruder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bridge_intruder intruder;
    bridge_intruder_open(&intruder);
    bridge_intruder_play(&intruder, data, size);
    bridge_intruder_close(&intruder);
    return 0;
}
