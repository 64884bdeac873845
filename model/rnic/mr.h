/* SPDX-License-Identifier: Apache-2.0
 * mr - memory regions: keys, ranges, access rights.
 * Addresses are artificial: a region gets the next free pages of an address space that starts at
 * MR_FIRST_ADDRESS, so a run has the same addresses on every machine. Key = index << 8 | key byte;
 * the lkey keeps byte 0, the rkey's changes with every renewal, as in fast registration.
 * Source: IBTA Vol 1 10.6; the key split as in Linux rxe. */
#ifndef STORMGLASS_RNIC_MR_H
#define STORMGLASS_RNIC_MR_H

#include "base/slab.h"
#include "rnic/verbs.h"

#include <stdbool.h>

struct mr {
    struct verbs_mr verbs; /* first member: what the protocol refers to */
    int access;            /* enum ibv_access_flags */
    uint8_t serial;        /* changes whenever an rkey becomes invalid */
    bool taken;
    bool valid; /* the rkey is valid; false from an invalidation to the renewal */
    /* Software RNIC: bytes of bulk filled by the process, and their tag. */
    uint32_t filled, filled_with;
};

struct mr_table {
    struct slab regions;
    uint64_t next_address;
    uint32_t freed; /* number of deregistered regions */
};

/* A part of a region in a work request. */
struct mr_sge {
    struct mr *mr;
    uint32_t offset, length;
};

enum { MR_SGES = 2 };

void mr_table_init(struct mr_table *table);
void mr_table_fini(struct mr_table *table);

struct mr *mr_create(struct mr_table *table, uint32_t length, int access, enum verbs_memory memory);
void mr_free(struct mr_table *table, struct mr *mr);
void mr_renew(struct mr *mr);

/* The region with that key that contains the range, or NULL. */
struct mr *mr_local(const struct mr_table *table, uint32_t lkey, uint64_t address, uint32_t length);
struct mr *mr_remote(const struct mr_table *table, uint32_t rkey, uint64_t address, uint32_t length,
                     int access);

/* An SGE refers to a region that was deregistered after the request was posted. */
static inline bool mr_gone(const struct mr_table *table, const struct mr_sge *sges, uint32_t count)
{
    for (uint32_t i = 0; table->freed > 0 && i < count; i++)
        if (!sges[i].mr->taken)
            return true;
    return false;
}

/* False: the key belongs to no valid region. */
bool mr_invalidate(const struct mr_table *table, uint32_t rkey);

/* Number of real bytes among the first `length` bytes of the SGEs: byte regions come first. */
uint32_t mr_real_bytes(const struct mr_sge *sges, unsigned count);

/* Number of bulk bytes among the first `length` bytes of the SGEs. */
static inline uint32_t mr_bulk_bytes(const struct mr_sge *sges, unsigned count, uint32_t length)
{
    const uint32_t real = mr_real_bytes(sges, count);
    return length > real ? length - real : 0;
}

/* Records that a message wrote `bytes` with this tag into a region; returns how many of them were
 * bulk. */
static inline uint32_t mr_put(struct mr *mr, uint32_t content, uint32_t bytes)
{
    if (mr->verbs.memory != VERBS_BULK)
        return 0;
    mr->verbs.content = content;
    return bytes;
}

/* Copy real bytes out of, or into, the SGEs from `offset` on; bulk SGEs have none. */
void mr_gather(const struct mr_sge *sges, unsigned count, uint32_t offset, unsigned char *to,
               uint32_t length);
void mr_scatter(const struct mr_sge *sges, unsigned count, uint32_t offset,
                const unsigned char *from, uint32_t length);

/* The process's data in the SGEs is no longer valid. */
void mr_forget(const struct mr_sge *sges, unsigned count);

/* Sets the content tag of the bulk SGEs. */
void mr_set_content(const struct mr_sge *sges, unsigned count, uint32_t content);

#endif
