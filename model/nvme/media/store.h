/* SPDX-License-Identifier: Apache-2.0
 * store - what the blocks of a namespace hold.
 * One table of operations, several kinds: tags of content (tag_store.h), which is all that the
 * simulator has, and real bytes on the bridge (bridge/bytes/bytes.h).  A medium (media.h) says
 * when a request is done; the store is asked at that moment, and at once.
 * Data come in a buffer of the kind of memory that the store names: BULK carries its tag, BYTES
 * the bytes themselves.
 * Owner: the target that it is handed to.  Errors: NVMe statuses, with DNR where a retry would
 * meet the same.  Ranges have been checked against the capacity by the caller. */
#ifndef STORMGLASS_NVME_MEDIA_STORE_H
#define STORMGLASS_NVME_MEDIA_STORE_H

#include "nvme/transport/transport.h"

struct nvme_store;

/* Blocks of a namespace. */
struct nvme_range {
    uint64_t lba, blocks;
};

struct nvme_store_ops {
    enum nvme_memory memory;
    uint16_t (*read)(struct nvme_store *store, struct nvme_range range, struct nvme_buffer *to);
    /* The data begin `at` bytes into the buffer; NULL: a capsule that brought none. */
    uint16_t (*write)(struct nvme_store *store, struct nvme_range range,
                      const struct nvme_buffer *from, uint64_t at);
    /* NVME_STATUS_COMPARE_FAILED when the blocks hold other data than are there.  NULL: the kind
     * cannot, and Compare is not offered. */
    uint16_t (*compare)(struct nvme_store *store, struct nvme_range range,
                        const struct nvme_buffer *with, uint64_t at);
    /* From now on the range reads as if it had never been written.  NULL: the kind cannot, and
     * neither Write Zeroes nor Dataset Management is offered. */
    uint16_t (*zero)(struct nvme_store *store, struct nvme_range range);
    /* What was written before survives the end of the program, if the kind can. */
    uint16_t (*flush)(struct nvme_store *store);
    void (*destroy)(struct nvme_store *store);
};

/* First in every kind. */
struct nvme_store {
    const struct nvme_store_ops *ops;
    uint32_t block_bytes;
};

#endif
