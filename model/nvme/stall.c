/* SPDX-License-Identifier: Apache-2.0
 * stall - a growing list of calls. */
#include "nvme/stall.h"

#include "base/check.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct nvme_stalled {
    nvme_stalled_call *call;
    void *self;
    _Alignas(max_align_t) unsigned char what[NVME_STALL_BYTES];
};

bool nvme_stall_holds(struct nvme_stall *stall, nvme_stalled_call *call, void *self,
                      const void *what, size_t bytes)
{
    if (!stall->on)
        return false;
    CHECK(bytes <= NVME_STALL_BYTES);
    stall->calls = memory_grown(stall->calls, stall->count, &stall->room, sizeof *stall->calls);
    struct nvme_stalled *kept = &stall->calls[stall->count++];
    kept->call = call;
    kept->self = self;
    if (bytes > 0)
        memcpy(kept->what, what, bytes);
    return true;
}

void nvme_stall_end(struct nvme_stall *stall)
{
    struct nvme_stalled *calls = stall->calls;
    const uint32_t count = stall->count;
    *stall = (struct nvme_stall){0};
    for (uint32_t i = 0; i < count; i++)
        calls[i].call(calls[i].self, calls[i].what);
    free(calls);
}

void nvme_stall_fini(struct nvme_stall *stall)
{
    free(stall->calls);
    *stall = (struct nvme_stall){0};
}
