/* SPDX-License-Identifier: Apache-2.0
 * wl_check - verifies that reads return the data that were written.
 * Stores the content tags of this instance's last writes, block by block. A read is judged only if
 * the expected content is certain: this instance wrote the whole block, none of its writes to the
 * block was in flight during the read, and the content was not written by another instance.
 * The upper 20 bits of a tag identify the writer. Memory is bounded: if another block takes the
 * entry, the block is forgotten but never misjudged.
 * Owner: the instance. Errors: none. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_CHECK_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* The last owner number is not used, because a tag of all ones means unknown content at a target
 * (nvme/media/tag_store.h). */
enum { WL_CHECK_ENTRIES_MAX = 1024, WL_CHECK_OWNERS = (1 << 20) - 1 };

struct wl_check {
    struct wl_check_entry *entries; /* NULL: nothing is compared */
    uint32_t entry_count;
    int64_t block_bytes;
    uint32_t owner, sequence;
    bool emptied; /* other instances may zero or deallocate blocks, so missing content is not an
                   * error */
};

/* Expected result of a read; must be taken before the read is sent. */
struct wl_expectation {
    uint32_t content; /* 0: not certain */
    uint32_t version;
};

/* block_bytes: every I/O covers exactly one block of this size. Nothing is compared if it is 0, or
 * if the owner is not in 1 .. WL_CHECK_OWNERS - 1. blocks: number of blocks. */
void wl_check_init(struct wl_check *check, uint32_t owner, int64_t block_bytes, int64_t blocks);
void wl_check_fini(struct wl_check *check);

/* Tag of the next write, never 0. */
uint32_t wl_check_tag(struct wl_check *check);

void wl_check_write(struct wl_check *check, int64_t offset, uint32_t content);
void wl_check_written(struct wl_check *check, int64_t offset, bool good);
struct wl_expectation wl_check_read(const struct wl_check *check, int64_t offset);

/* False if the read certainly returned wrong content. */
bool wl_check_good(const struct wl_check *check, int64_t offset, struct wl_expectation expected,
                   uint32_t content);

#endif
