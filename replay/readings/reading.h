/* SPDX-License-Identifier: Apache-2.0
 * reading - a figure or setting that a tool printed about a host, with its location.
 * A number keeps its printed precision: "2.63" is 2.63 +- 0.005.
 * Units: messages/s, bit/s, picoseconds, bytes.
 * Owner: the list's arena. Errors: messages with locations in diag. */
#ifndef STORMGLASS_REPLAY_READINGS_READING_H
#define STORMGLASS_REPLAY_READINGS_READING_H

#include "scenarios/format/tree.h"

#include <stdint.h>

enum { READINGS_MAX = 4096, READINGS_BYTES_MAX = 16 * 1024 * 1024 };

struct reading_number {
    double value, step; /* step: one unit of the last digit; both 0: not reported */
};

enum reading_kind {
    READING_RATE,    /* messages/s with a full queue */
    READING_LATENCY, /* one message at a time */
    READING_IO,      /* NVMe commands, as counted by fio */
    READING_SETTING, /* a setting of a card or its link */
    READING_NOTE     /* text that belongs to no parameter */
};

/* X(MEMBER, "name of one such operation") */
#define READING_VERBS(X)                                                                           \
    X(WRITE, "WRITE")                                                                              \
    X(READ, "READ")                                                                                \
    X(SEND, "SEND")

enum reading_verb {
#define X(member, word) READING_##member,
    READING_VERBS(X)
#undef X
};

/* The measured work. Values that the tool does not report are 0, inline_bytes -1. */
struct reading_work {
    int64_t verb; /* enum reading_verb; for an I/O only READ or WRITE */
    int64_t bytes, qps, depth, post_list, mtu, inline_bytes, reads;
    int64_t cores; /* number of posting cores; 1 for a single reading */
    bool both_ways, infiniband;
    bool mixed; /* other work ran at the same time */
};

struct reading {
    enum reading_kind kind;
    const char *tool; /* name in tool.def */
    struct diag_place where;
    struct reading_work work;
    struct reading_number rate, latency; /* an I/O has both */
    struct reading_number cpu;           /* for an I/O: the host's CPU time */
    const char *path;                    /* SETTING: below hosts.defaults */
    const char *value;                   /* SETTING: as in a scenario; NOTE: the text */
};

struct readings {
    struct arena arena;
    struct reading *list;
    size_t count;
    size_t files;
};

const char *reading_verb_word(int64_t verb);

/* Parses a number such as 12 or 0.99 that spans the whole text; false if it is not one. */
bool reading_number_parse(const char *text, size_t length, struct reading_number *number);
struct reading_number reading_number_times(struct reading_number number, double factor);

/* Adds a reading; reports an error at READINGS_MAX. */
void readings_add(struct readings *readings, struct reading reading, struct diag *diag);

/* Reads a file of any tool in tool.def and adds its readings. `text` NULL: read the named file.
 * Returns false and adds messages if no tool recognizes it or it is invalid. */
bool readings_read(struct readings *readings, const char *name, const char *text, size_t length,
                   struct diag *diag);
void readings_free(struct readings *readings);

#endif
