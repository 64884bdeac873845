/* SPDX-License-Identifier: Apache-2.0
 * fuzz_bridge_tcp - any bytes as what an intruder does to a bridge that listens for TCP.
 * Connections to the ports of NVMe and of agreements, PDUs and frames with any fields, garbage, and
 * their ends, on sockets of the loopback interface. Afterwards a well-behaved host is served, and
 * nothing is left behind.
 * Reads: bridge/streams/verbs_tcp.c bridge/streams/stream_real_data.c
 * Reads: model/nvme/tcp/tcp_stream.c model/nvme/tcp/tcp_target.c model/nvme/tcp/pdu.c */
#include "tests/unit/bridge/tcp_intruder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tcp_intruder intruder;
    tcp_intruder_open(&intruder);
    tcp_intruder_play(&intruder, data, size);
    tcp_intruder_close(&intruder);
    return 0;
}
