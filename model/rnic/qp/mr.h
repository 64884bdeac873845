/* SPDX-License-Identifier: Apache-2.0
 * mr - memory regions: keys, ranges, rights.
 * Addresses are made up: a region gets the next free pages of an address space that starts at
 * MR_FIRST_ADDRESS, so a run prints the same addresses everywhere.  Key = index << 8 | key byte;
 * the lkey keeps byte 0, the rkey's moves on with every renewal, as fast registration does.
 * Source: IBTA Vol 1 10.6; the key split as in Linux rxe. */
#ifndef STORMGLASS_RNIC_QP_MR_H
#define STORMGLASS_RNIC_QP_MR_H

#include "base/slab.h"
#include "rnic/verbs.h"

#include <stdbool.h>

struct mr {
    struct verbs_mr verbs; /* first: what the protocol holds */
    int access;            /* enum ibv_access_flags */
    uint8_t serial;        /* of its rkey's life: another one once that is no longer valid */
    bool taken;
    bool valid; /* the rkey is: false after an invalidation until it is renewed */
    /* of a software RNIC's: bulk that the process has made, and of what tag */
    uint32_t filled, filled_with;
};

struct mr_table {
    struct slab regions;
    uint64_t next_address;
    uint32_t freed; /* regions given back so far */
};

/* A piece of a region that a work request names. */
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

/* The region that holds the range, or NULL. */
struct mr *mr_local(const struct mr_table *table, uint32_t lkey, uint64_t address, uint32_t length);
struct mr *mr_remote(const struct mr_table *table, uint32_t rkey, uint64_t address, uint32_t length,
                     int access);

/* One of the pieces is of a region that was given back since the request was posted. */
static inline bool mr_gone(const struct mr_table *table, const struct mr_sge *sges, uint32_t count)
{
    for (uint32_t i = 0; table->freed > 0 && i < count; i++)
        if (!sges[i].mr->taken)
            return true;
    return false;
}

/* False when the key names no valid region. */
bool mr_invalidate(const struct mr_table *table, uint32_t rkey);

/* Real bytes among the first `length` bytes of the pieces: byte regions come first. */
uint32_t mr_real_bytes(const struct mr_sge *sges, unsigned count);

/* Bulk among the first `length` bytes that the pieces hold. */
static inline uint32_t mr_bulk_bytes(const struct mr_sge *sges, unsigned count, uint32_t length)
{
    const uint32_t real = mr_real_bytes(sges, count);
    return length > real ? length - real : 0;
}

/* Of bulk: a message has put so many bytes there, which are what the tag says.  Returns how many
 * were bulk. */
static inline uint32_t mr_put(struct mr *mr, uint32_t content, uint32_t bytes)
{
    if (mr->verbs.memory != VERBS_BULK)
        return 0;
    mr->verbs.content = content;
    return bytes;
}

/* Copy real bytes out of, or into, the pieces from `offset` on; bulk pieces have none. */
void mr_gather(const struct mr_sge *sges, unsigned count, uint32_t offset, unsigned char *to,
               uint32_t length);
void mr_scatter(const struct mr_sge *sges, unsigned count, uint32_t offset,
                const unsigned char *from, uint32_t length);

/* What the pieces held is not what the process made any more. */
void mr_forget(const struct mr_sge *sges, unsigned count);

/* The bulk pieces now hold what the tag says. */
void mr_set_content(const struct mr_sge *sges, unsigned count, uint32_t content);

#endif
