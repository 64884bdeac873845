/* SPDX-License-Identifier: Apache-2.0
 * conduct - see conduct.h. */
#include "tests/unit/conduct/conduct.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct raw_host raw;

void conduct_start(int identity)
{
    raw_init_as(&raw, NULL, 0, identity, 0);
}

uint16_t conduct_property(unsigned queue, enum nvme_fctype type, uint32_t offset, bool wide,
                          uint32_t value)
{
    const struct nvme_command command = {
        .opcode = NVME_FABRICS,
        .flags = NVME_FLAGS_SGL,
        .nsid = type,
        .sgl.type = NVME_SGL_KEYED,
        .cdw10 = wide,
        .cdw11 = offset,
        .cdw12 = value,
    };
    return raw_send(&raw, queue, &command, 0);
}

uint64_t conduct_property_value(uint32_t offset, bool wide)
{
    assert_int_equal(conduct_property(0, NVME_FCTYPE_GET, offset, wide, 0), NVME_STATUS_OK);
    return raw.queues[0].last.result;
}

/* Each with a CID of its own; the buffer holds ones before. */
void conduct_check(unsigned queue, const struct row *row, int identity)
{
    static uint16_t cid = 0x100;
    const struct nvme_command command = {
        .opcode = row->opcode,
        .flags = NVME_FLAGS_SGL,
        .cid = cid++,
        .nsid = row->nsid,
        .sgl = {raw.buffer->addr, row->length, raw.buffer->rkey, NVME_SGL_KEYED},
        .cdw10 = row->cdw10,
        .cdw11 = row->cdw11,
        .cdw12 = row->cdw12,
    };
    memset(raw.buffer->bytes, 0xFF, 4096);
    const uint16_t status = raw_send(&raw, queue, &command, 0);
    if (status != row->status[identity])
        fail_msg("%s, identity %d: status %x, expected %x", row->what, identity, status,
                 row->status[identity]);
    if (status != HELD && raw.queues[queue].last.result != row->result[identity])
        fail_msg("%s, identity %d: result %llx", row->what, identity,
                 (unsigned long long)raw.queues[queue].last.result);
}

void conduct_check_all(unsigned queue, const struct row *rows, unsigned count)
{
    for (int identity = 0; identity < IDENTITIES; identity++) {
        conduct_start(identity);
        raw_bring_up(&raw);
        for (unsigned i = 0; i < count; i++)
            conduct_check(queue, &rows[i], identity);
        raw_fini(&raw);
    }
}
