/* SPDX-License-Identifier: Apache-2.0
 * wl_check - do reads return what was written?
 * Remembers the content tags of this instance's last writes, block by block, and judges a read only
 * when the answer is certain: the block was written whole by this instance, nothing of its own was
 * under way to it from the read's start to its end, and the content is not another instance's.
 * A tag carries its writer in the upper 20 bits.  Memory is bounded: a block that another one
 * displaces is forgotten, never misjudged.
 * Owner: the instance.  Errors: none. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_CHECK_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* The last owner is left out: a tag of all ones says that a target does not know
 * (nvme/media/tag_store.h). */
enum { WL_CHECK_ENTRIES_MAX = 1024, WL_CHECK_OWNERS = (1 << 20) - 1 };

struct wl_check {
    struct wl_check_entry *entries; /* NULL: nothing is compared */
    uint32_t entry_count;
    int64_t block_bytes;
    uint32_t owner, sequence;
    bool emptied; /* others may leave a block without content, which is then no mistake */
};

/* What a read expects; take it before the read is sent. */
struct wl_expectation {
    uint32_t content; /* 0: not certain */
    uint32_t version;
};

/* block_bytes: every I/O covers exactly one block of this size; 0, or an owner outside 1 .. OWNERS
 * - 1: nothing is compared.  blocks: how many there are. */
void wl_check_init(struct wl_check *check, uint32_t owner, int64_t block_bytes, int64_t blocks);
void wl_check_fini(struct wl_check *check);

/* The tag for the next write, never 0. */
uint32_t wl_check_tag(struct wl_check *check);

void wl_check_write(struct wl_check *check, int64_t offset, uint32_t content);
void wl_check_written(struct wl_check *check, int64_t offset, bool good);
struct wl_expectation wl_check_read(const struct wl_check *check, int64_t offset);

/* False when the read certainly returned the wrong content. */
bool wl_check_good(const struct wl_check *check, int64_t offset, struct wl_expectation expected,
                   uint32_t content);

#endif
