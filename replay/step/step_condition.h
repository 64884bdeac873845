/* SPDX-License-Identifier: Apache-2.0
 * step_condition - a condition to wait for in a run, as text and as data.
 *    [NODE | NODE:pN | WORKLOAD] [prio N] [qp N] [from HOST] [to HOST] WORD [> VALUE]
 * in any order: `leaf1:p3 prio 3 paused > 50us`, `drop at leaf0`, `completed of victims > 1ms`. The
 * words `at`, `of` and `by` are ignored. A condition is plain data; its names are indices in a
 * scenario, so it can be passed to another process with the same scenario. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_CONDITION_H
#define STORMGLASS_REPLAY_STEP_STEP_CONDITION_H

#include "replay/step/step_words.h"
#include "scenarios/data/scenario.h"

#define STEP_ANY          UINT32_MAX
#define STEP_ANY_PRIORITY UINT8_MAX

/* The subject of a condition, `show` or `why`; unspecified parts are ANY. */
struct step_subject {
    uint32_t node, workload, qp;
    uint32_t from, to; /* hosts */
    uint16_t port;     /* SCENARIO_ALL_PORTS: not specified */
    uint8_t priority;
};

/* What a word applies to, as a bit set. */
enum {
    STEP_OF_NODE = 1,
    STEP_OF_PORT = 2,
    STEP_OF_WORKLOAD = 4,
    STEP_OF_FRAME = 8,    /* a node, a port, or source and destination */
    STEP_OF_COMMAND = 16, /* a workload, a host, or source and destination */
};

enum step_value { STEP_NO_VALUE, STEP_MAY_TIME, STEP_NEEDS_SIZE, STEP_NEEDS_SHARE };

/* name, word, of, value, sentence */
#define STEP_EVENTS(X)                                                                             \
    X(EVENT, "event", STEP_OF_PORT, STEP_NO_VALUE, "any event")                                    \
    X(PACKET, "packet", STEP_OF_FRAME, STEP_NO_VALUE,                                              \
      "a frame arrives; with a host: a frame that this host sent or receives")                     \
    X(CNP, "cnp", STEP_OF_FRAME, STEP_NO_VALUE, "a congestion notification arrives")               \
    X(NAK, "nak", STEP_OF_FRAME, STEP_NO_VALUE, "a NAK arrives")                                   \
    X(RESENT, "resent", STEP_OF_FRAME, STEP_NO_VALUE, "a retransmitted frame arrives")             \
    X(DROP, "drop", STEP_OF_PORT, STEP_NO_VALUE, "a frame is dropped")                             \
    X(PAUSE, "pause", STEP_OF_PORT, STEP_NO_VALUE, "a port sends XOFF")                            \
    X(RESUME, "resume", STEP_OF_PORT, STEP_NO_VALUE, "a port sends XON")                           \
    X(PAUSED, "paused", STEP_OF_PORT, STEP_MAY_TIME,                                               \
      "a port is paused; with > VALUE: for longer than this time")                                 \
    X(QUEUE, "queue", STEP_OF_PORT, STEP_NEEDS_SIZE, "a queue of a switch is longer than VALUE")   \
    X(INGRESS, "ingress", STEP_OF_PORT, STEP_NEEDS_SIZE,                                           \
      "a switch buffers more than VALUE from an ingress port")                                     \
    X(BUFFER, "buffer", STEP_OF_NODE, STEP_NEEDS_SHARE,                                            \
      "a switch's buffer or a host's receive buffer holds more than VALUE")                        \
    X(IO, "io", STEP_OF_WORKLOAD, STEP_NO_VALUE, "a command is issued or completed")               \
    X(ISSUED, "issued", STEP_OF_WORKLOAD, STEP_NO_VALUE, "a command is issued")                    \
    X(COMPLETED, "completed", STEP_OF_COMMAND, STEP_MAY_TIME,                                      \
      "a command or message completes; with > VALUE: with a higher latency")                       \
    X(FAILED, "failed", STEP_OF_COMMAND, STEP_NO_VALUE, "a command ends with an error")            \
    X(STATE, "state", STEP_OF_NODE, STEP_NO_VALUE, "an NVMe controller or queue changes state")    \
    X(NOTE, "note", STEP_OF_NODE, STEP_NO_VALUE, "the model reports a loss or an error")           \
    X(DEADLOCK, "deadlock", 0, STEP_NO_VALUE, "a deadlock is found")

enum step_quantity {
#define X(name, word, of, value, about) STEP_##name,
    STEP_EVENTS(X)
#undef X
        STEP_QUANTITY_COUNT
};

struct step_condition {
    struct step_subject subject;
    enum step_quantity quantity;
    int64_t above; /* ps or bytes; -1: no value */
    bool share;    /* BUFFER: `above` is in ppm of the whole */
};

struct step_condition_row {
    const char *word, *about;
    unsigned of; /* bit set */
    enum step_value value;
};

extern const struct step_condition_row step_conditions[STEP_QUANTITY_COUNT];

/* Parses the rest of the line as a condition. Returns false with the error in words->wrong. */
bool step_condition_parse(struct step_words *words, const struct scenario *scenario,
                          struct step_condition *condition);

/* A condition without a value. */
struct step_condition step_condition_of(enum step_quantity quantity);

/* Parses the rest of the line as a subject, which may be empty. */
bool step_subject_parse(struct step_words *words, const struct scenario *scenario,
                        struct step_subject *subject);

extern const struct step_subject step_subject_any;

/* Whether the place is the subject, or part of it. */
static inline bool step_subject_has(const struct step_subject *subject, uint32_t node,
                                    uint16_t port, uint8_t priority)
{
    return (subject->node == STEP_ANY || subject->node == node) &&
           (subject->port == SCENARIO_ALL_PORTS || subject->port == port) &&
           (subject->priority == STEP_ANY_PRIORITY || subject->priority == priority);
}

#endif
