/* SPDX-License-Identifier: Apache-2.0
 * reading - one figure or setting that a tool printed of a host, and where it stands.
 * A number keeps how exactly it was printed: "2.63" is 2.63 give or take half of 0.01.
 * Units: messages a second, bits a second, picoseconds, bytes.
 * Owner: the list's arena.  Errors: located messages in diag. */
#ifndef STORMGLASS_REPLAY_READINGS_READING_H
#define STORMGLASS_REPLAY_READINGS_READING_H

#include "scenarios/format/tree.h"

#include <stdint.h>

enum { READINGS_MAX = 4096, READINGS_BYTES_MAX = 16 * 1024 * 1024 };

struct reading_number {
    double value, step; /* step: one of its last digit; both 0: not said */
};

enum reading_kind {
    READING_RATE,    /* messages a second, as many under way as fit */
    READING_LATENCY, /* one message at a time */
    READING_IO,      /* NVMe commands, as fio counts them */
    READING_SETTING, /* how a card or its link is set */
    READING_NOTE     /* what no parameter takes, as a sentence */
};

/* X(MEMBER, "what one of them is called") */
#define READING_VERBS(X)                                                                           \
    X(WRITE, "WRITE")                                                                              \
    X(READ, "READ")                                                                                \
    X(SEND, "SEND")

enum reading_verb {
#define X(member, word) READING_##member,
    READING_VERBS(X)
#undef X
};

/* The work that was measured.  What the tool does not say is 0, inline_bytes -1. */
struct reading_work {
    int64_t verb; /* enum reading_verb; of an I/O whether it is a READ or a WRITE */
    int64_t bytes, qps, depth, post_list, mtu, inline_bytes, reads;
    int64_t cores; /* that posted; a reading of its own has one */
    bool both_ways, infiniband;
    bool mixed; /* other work went on at the same time */
};

struct reading {
    enum reading_kind kind;
    const char *tool; /* its word */
    struct diag_place where;
    struct reading_work work;
    struct reading_number rate, latency; /* of an I/O both */
    struct reading_number cpu;           /* of an I/O: processor time of the host for one */
    const char *path;                    /* SETTING: below hosts.defaults */
    const char *value;                   /* SETTING: as a scenario writes it; NOTE: the sentence */
};

struct readings {
    struct arena arena;
    struct reading *list;
    size_t count;
    size_t files;
};

const char *reading_verb_word(int64_t verb);

/* A number such as 12 or 0.99 that is all of the text; false: it is none. */
bool reading_number_parse(const char *text, size_t length, struct reading_number *number);
struct reading_number reading_number_times(struct reading_number number, double factor);

/* Adds one; an error where there are READINGS_MAX. */
void readings_add(struct readings *readings, struct reading reading, struct diag *diag);

/* Reads a file of any tool of tool.def, and adds what it says.  `text` NULL: the file of that name
 * is read.  False and messages when it is of none, or is wrong. */
bool readings_read(struct readings *readings, const char *name, const char *text, size_t length,
                   struct diag *diag);
void readings_free(struct readings *readings);

#endif
