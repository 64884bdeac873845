/* SPDX-License-Identifier: Apache-2.0
 * plain - memory without keys, connections without numbers. */
#include "nvme/transport/plain.h"

#include "base/memory.h"

#include <stdlib.h>

enum { MAP_UNIT = 64 }; /* aligned_alloc needs a multiple of its alignment */

bool nvme_plain_map(struct nvme_buffer *buffer, uint32_t length, enum nvme_memory memory,
                    uint32_t *mapped)
{
    const uint32_t room = (length + MAP_UNIT - 1) / MAP_UNIT * MAP_UNIT;
    unsigned char *bytes = NULL;
    if (memory == NVME_MEMORY_BYTES) {
        bytes = memory_aligned_or_null(1, room, MAP_UNIT);
        if (bytes == NULL)
            return false;
    }
    *buffer = (struct nvme_buffer){.length = length, .memory = memory, .bytes = bytes};
    ++*mapped;
    return true;
}

void nvme_plain_unmap(struct nvme_buffer *buffer, uint32_t *mapped)
{
    CHECK(*mapped > 0);
    --*mapped;
    free(buffer->bytes);
    *buffer = (struct nvme_buffer){0};
}

void nvme_plain_keep(struct nvme_transport *transport, struct nvme_buffer *buffer, uint32_t length)
{
    (void)transport, (void)buffer, (void)length;
}

uint16_t nvme_plain_judge_sgl(const struct nvme_sgl *sgl)
{
    return sgl->type == NVME_SGL_TRANSPORT ? NVME_STATUS_OK
                                           : NVME_STATUS_SGL_TYPE | NVME_STATUS_DNR;
}

uint32_t nvme_plain_number(const struct nvme_transport_conn *conn)
{
    (void)conn;
    return 0;
}
