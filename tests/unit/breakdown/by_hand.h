/* SPDX-License-Identifier: Apache-2.0
 * by_hand - commands and messages worked by hand, for the tests of the account of time: what each
 * waited for, to the picosecond, from the rule in docs/model.md and sizes and times alone.
 *
 *   host0 --- 3 m of fiber, 100 Gb/s --- switch0 --- the same --- host1 (target), host2 */
#ifndef STORMGLASS_TESTS_UNIT_WAITS_BY_HAND_H
#define STORMGLASS_TESTS_UNIT_WAITS_BY_HAND_H

#include "replay/breakdown/breakdown.h"

#include <stddef.h>

/* Times of the fabric above, in ps. */
enum {
    BYTE = 80,           /* 8 bits at 100 Gb/s */
    CABLE = 15150,       /* 3 m of 5.05 ns */
    PIPELINE = 300000,   /* of the switch: shared-buffer-32mb */
    DOORBELL = 300000,   /* tx-delay of rnic-100g */
    COMPLETION = 300000, /* rx-delay */
    FETCH = 350000,      /* read-delay */
    OBEYS = 500000       /* pfc-response: from a PFC frame's last bit on */
};

#define US PS_PER_US

/* A frame's bits with its preamble, and with the gap after it. */
#define BITS(bytes) ((time_ps)((bytes) + 8) * BYTE)
#define SLOT(bytes) ((time_ps)((bytes) + 20) * BYTE)

/* RoCEv2 over IPv4 takes 62 bytes; RETH 16, AETH 4, IETH 4. */
enum {
    COMMAND = 62 + 64,          /* a command capsule */
    RESPONSE = 62 + 16,         /* a response capsule */
    DATA_4K = 62 + 4 + 4096,    /* READ RESPONSE FIRST or LAST, a whole MTU */
    RESPONSE_INV = 62 + 16 + 4, /* that invalidates */
    WRITE_1K = 62 + 16 + 1024,  /* WRITE ONLY */
    SEND_1K = 62 + 1024,        /* SEND ONLY */
    WRITE_4K = 62 + 16 + 4096,  /* WRITE FIRST or ONLY, a whole MTU */
    MIDDLE = 62 + 4096,         /* WRITE MIDDLE or LAST, a whole MTU */
    READ_REQUEST = 62 + 16,
    RESPONSE_1K = 62 + 4 + 1024, /* READ RESPONSE ONLY */
    ACK = 62 + 4
};

/* Plays the fabric above with `rest`, the end of a scenario, and keeps every life. */
void by_hand_play(const char *rest);

/* Plays a fabric that differs by what --set would be given; NULL ends them. */
void by_hand_play_set(const char *rest, const char *const *sets);
uint32_t by_hand_count(void);
const struct breakdown_life *by_hand_life(uint32_t index);

/* What a packet of so many bytes takes through the switch when nobody is in its way. */
time_ps by_hand_across(unsigned bytes);

struct by_hand_part {
    enum breakdown_phase phase;
    enum breakdown_part part;
    time_ps ps;
};

#define PART_IN(phase, part, ps)                                                                   \
    {                                                                                              \
        BREAKDOWN_IN_##phase, BREAKDOWN_##part, ps                                                 \
    }

/* What the parts do not name is to be nothing. */
void by_hand_check(const struct breakdown_life *life, const struct by_hand_part *parts,
                   size_t count);

#define CHECK_LIFE(life, ...)                                                                      \
    do {                                                                                           \
        const struct by_hand_part by_hand[] = {__VA_ARGS__};                                       \
        by_hand_check(life, by_hand, sizeof by_hand / sizeof by_hand[0]);                          \
    } while (0)

/* What a single packet takes through the switch when nobody is in its way. */
#define ACROSS(phase, bytes)                                                                       \
    PART_IN(phase, SERIALISATION, 2 * BITS(bytes)), PART_IN(phase, PROPAGATION, 2 * CABLE),        \
        PART_IN(phase, SWITCHING, PIPELINE)

#define CAPSULE(bytes) PART_IN(COMMAND, RNIC, DOORBELL + COMPLETION), ACROSS(COMMAND, bytes)

#endif
