/* SPDX-License-Identifier: Apache-2.0
 * store - the contents of a namespace.
 * One table of operations with two implementations: content tags (tag_store.h) in the simulator,
 * and real bytes on the bridge (bridge/bytes/bytes.h). A medium (media.h) determines when a request
 * completes; the store is accessed at that moment and takes no time. Data is in a buffer of the
 * kind that the store requires: BULK has a tag, BYTES has the bytes.
 * Owner: the target to which it is passed. Errors: NVMe statuses, with DNR where a retry would fail
 * too. The caller has checked ranges against the capacity. */
#ifndef STORMGLASS_NVME_MEDIA_STORE_H
#define STORMGLASS_NVME_MEDIA_STORE_H

#include "nvme/transport/transport.h"

struct nvme_store;

/* A range of blocks of a namespace. */
struct nvme_range {
    uint64_t lba, blocks;
};

struct nvme_store_ops {
    enum nvme_memory memory;
    uint16_t (*read)(struct nvme_store *store, struct nvme_range range, struct nvme_buffer *to);
    /* The data begins at offset `at` of the buffer; NULL: a capsule without data. */
    uint16_t (*write)(struct nvme_store *store, struct nvme_range range,
                      const struct nvme_buffer *from, uint64_t at);
    /* Returns NVME_STATUS_COMPARE_FAILED when the blocks differ from the data. NULL: not supported,
     * and the target does not offer Compare. */
    uint16_t (*compare)(struct nvme_store *store, struct nvme_range range,
                        const struct nvme_buffer *with, uint64_t at);
    /* Makes the range read as never written. NULL: not supported, and the target offers neither
     * Write Zeroes nor Dataset Management. */
    uint16_t (*zero)(struct nvme_store *store, struct nvme_range range);
    /* Makes earlier writes survive the end of the program, if the implementation can. */
    uint16_t (*flush)(struct nvme_store *store);
    void (*destroy)(struct nvme_store *store);
};

/* First member of every implementation. */
struct nvme_store {
    const struct nvme_store_ops *ops;
    uint32_t block_bytes;
};

#endif
