/* SPDX-License-Identifier: Apache-2.0
 * stall - calls into a software that stands still are kept, and made when it goes on.
 * As a loop of events that did not turn: everything that would have called into the software waits,
 * in order, and what it uses (an RNIC, a medium, a kernel's sockets) goes on alone.
 * Owner: whoever embeds it; zeroed, nothing stands still.  Errors: none. */
#ifndef STORMGLASS_NVME_STALL_H
#define STORMGLASS_NVME_STALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NVME_STALL_BYTES = 64 }; /* that a call may carry */

/* what: a copy of what was handed in, for the length of the call. */
typedef void nvme_stalled_call(void *self, const void *what);

struct nvme_stalled;

struct nvme_stall {
    bool on;
    struct nvme_stalled *calls;
    uint32_t count, room;
};

/* False: nothing stands still, and the caller goes on.  True: call(self, what) is made later. */
bool nvme_stall_holds(struct nvme_stall *stall, nvme_stalled_call *call, void *self,
                      const void *what, size_t bytes);

/* Makes the calls, in the order in which they came. */
void nvme_stall_end(struct nvme_stall *stall);

/* Forgets them. */
void nvme_stall_fini(struct nvme_stall *stall);

#endif
