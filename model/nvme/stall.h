/* SPDX-License-Identifier: Apache-2.0
 * stall - defers calls into stalled software until it continues.
 * Like an event loop that does not run: everything that would call into the software waits, in
 * order, while the devices it uses (an RNIC, a medium, a kernel's sockets) continue.
 * Owner: the struct that embeds it; zeroed: not stalled. Errors: none. */
#ifndef STORMGLASS_NVME_STALL_H
#define STORMGLASS_NVME_STALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NVME_STALL_BYTES = 64 }; /* maximum size of an argument */

/* what: a copy of the argument, valid during the call. */
typedef void nvme_stalled_call(void *self, const void *what);

struct nvme_stalled;

struct nvme_stall {
    bool on;
    struct nvme_stalled *calls;
    uint32_t count, room;
};

/* Returns false when not stalled: the caller continues. True: call(self, what) will be made
 * later. */
bool nvme_stall_holds(struct nvme_stall *stall, nvme_stalled_call *call, void *self,
                      const void *what, size_t bytes);

/* Makes the deferred calls in their order. */
void nvme_stall_end(struct nvme_stall *stall);

/* Discards the deferred calls. */
void nvme_stall_fini(struct nvme_stall *stall);

#endif
