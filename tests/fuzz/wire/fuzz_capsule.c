/* SPDX-License-Identifier: Apache-2.0
 * fuzz_capsule - any bytes as command capsules.
 * The first byte says how far the connection has come (private data, admin queue, I/O queue);
 * two of its bits choose a namespace that keeps bytes and the discovery subsystem.  Then records
 * of one length byte pair and that many bytes are sent as capsules.  Two bits of the length
 * choose whether the descriptor's address and key are made good, so that data really moves.
 * Reads: model/nvme/wire/capsule.c model/nvme/wire/fabrics.c model/nvme/target/target_*.c */
#include "bridge/bytes/bytes.h"
#include "tests/unit/nvme/raw_host.h"

#include "nvme/wire/wire.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct raw_host raw;

enum { BYTES = 0x10, DISCOVERY = 0x20, NAMESPACE_BYTES = 1 << 20 };
enum { LENGTH_MASK = 0x3FFF, GOOD_BUFFER = 0x4000, CAPSULES_MAX = 64 };

static void send_record(const uint8_t *bytes, size_t length, unsigned index, bool good_buffer)
{
    struct raw_queue *queue = &raw.queues[index];
    if (queue->down || !queue->up)
        return;
    memset(queue->capsule->bytes, 0, RAW_BUFFER_BYTES);
    memcpy(queue->capsule->bytes, bytes, length);
    if (good_buffer && length >= NVME_SQE_BYTES) {
        wire_put64(queue->capsule->bytes + 24, raw.buffer->addr);
        wire_put32(queue->capsule->bytes + 35, raw.buffer->rkey);
    }
    raw_send_bytes(&raw, index, (uint32_t)length);
}

static void send_all(const uint8_t *data, size_t size, unsigned index)
{
    for (unsigned i = 0; i < CAPSULES_MAX && size >= 2; i++) {
        const unsigned head = wire_get16(data);
        size_t length = head & LENGTH_MASK;
        data += 2;
        size -= 2;
        if (length > size)
            length = size;
        send_record(data, length, index, (head & GOOD_BUFFER) != 0);
        data += length;
        size -= length;
    }
}

static void begin(bool bytes)
{
    char why[BYTES_WHY_MAX];
    int64_t size = NAMESPACE_BYTES;
    if (bytes)
        raw_init_with(&raw, bytes_memory.open(NULL, 512, &size, why), size);
    else
        raw_init(&raw);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    begin((data[0] & BYTES) != 0);
    switch (data[0] % 4) {
    case 0:
        raw_connect(&raw, 0, data + 1, (uint8_t)(size - 1 < 56 ? size - 1 : 56));
        break;
    case 1:
        raw_connect_as(&raw, 0, data[0] / 4 % 2, 32);
        send_all(data + 1, size - 1, 0);
        break;
    case 2:
        (data[0] & DISCOVERY ? raw_bring_up_discovery : raw_bring_up)(&raw);
        send_all(data + 1, size - 1, 0);
        break;
    default:
        raw_bring_up(&raw);
        send_all(data + 1, size - 1, 1);
    }
    fake_run(&raw.world, raw.world.now + PS_PER_S);
    nvme_target_audit(raw.target);
    raw_fini(&raw);
    return 0;
}
