/* SPDX-License-Identifier: Apache-2.0
 * switch_qos - the classes of a switch as its vendor configures them, and as a scenario's
 * fabric.switch.
 * A vendor has queues, which DSCPs they get, which of them pause, and with which PFC priority.
 * Here a priority is all of these at once: a queue that pauses has the number of its PFC priority,
 * and the queue that has this number gets the other's.  A switch has one set of thresholds: that of
 * the first lossless queue that has some; others are reported.
 * Units: bytes, percent, milliseconds; a kilobyte of a configuration is 1000 B. */
#ifndef STORMGLASS_SCENARIOS_DEVICE_SWITCH_QOS_H
#define STORMGLASS_SCENARIOS_DEVICE_SWITCH_QOS_H

#include "scenarios/device/device.h"

enum { QOS_QUEUES = 8, QOS_DSCPS = 64, QOS_UNSET = -1, QOS_WORDS_MAX = 64 };

/* ---- a line, or a statement of several, as words ---- */

struct command {
    const char *words[QOS_WORDS_MAX + 1]; /* NULL behind the last */
    int count;
    struct diag_place place; /* of the first */
};

/* Words of the present line, without a prompt before them and a comment ("! ..", "# ..") behind;
 * words beyond the last that fits are lost. */
void command_read(struct device *device, struct command *command);

/* Whether the words from `from` on begin with these, separated by blanks; "*" is any word. */
bool command_is(const struct command *command, int from, const char *words);

bool command_has(const struct command *command, const char *word);

/* The word behind this one, or NULL. */
const char *command_after(const struct command *command, const char *word);

/* Lines of an interface that do not touch QoS: description, mtu, ip .. */
bool command_is_plain(const struct command *command);

/* Whether a word is about queues, PFC, ECN or buffers. */
bool command_is_of_qos(const struct command *command);

/* A note that the words are not understood; of an interface's lines, which are mostly about other
 * things, the first of those that begin with the same word. */
void command_unknown(struct device *device, const struct command *command);
void command_strange(struct device *device, const struct command *command);
void command_note(struct device *device, const struct command *command, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- values ---- */

/* A whole number, or QOS_UNSET where the word is none or more than `most`. */
int64_t qos_number(const char *word, int64_t most);

/* "3", "24,26", "0-7" and "[1,2]" as a mask; false where it is something else. */
bool qos_mask(const char *word, int most, uint64_t *mask);

/* A DSCP by number or name (af31, cs3, ef, default); QOS_UNSET: none. */
int qos_dscp(const char *word);

/* "150 kbytes", "150KB", "150000"; QOS_UNSET where the unit is none of bytes. */
int64_t qos_bytes(const char *number, const char *unit);

/* ---- the switch ---- */

struct qos_queue {
    bool lossless;
    int pfc_priority; /* QOS_UNSET: the queue's number */
    int weight;       /* 0: strict; QOS_UNSET: not written */
    bool ecn;
    int64_t kmin, kmax; /* QOS_UNSET: not known */
    int pmax;           /* likewise */
    int64_t xoff, xon, xon_offset, headroom;
    struct diag_place place; /* where thresholds are written */
};

struct switch_qos {
    const char *vendor;
    struct qos_queue queues[QOS_QUEUES];
    int queue_of_dscp[QOS_DSCPS]; /* QOS_UNSET: not written */
    bool has_dscps;               /* some are */
    bool rest_is_strict;          /* queues without a weight, next to others with one */
    int alpha_shift;              /* of lossless groups: alpha is 2 to its power */
    bool has_alpha;
    int lossy_percent; /* share of the memory that lossy groups have alone, or QOS_UNSET */
    const char *watchdog;
    int64_t detection, restoration, poll; /* ms, or QOS_UNSET */
};

/* "minimum-threshold 150 kbytes maximum-threshold 1500 kbytes" and the percent behind the word
 * `probability`; both thresholds unset where their unit is none of bytes.  False: they are not
 * there. */
bool command_marks(const struct command *command, const char *probability, struct qos_queue *queue);

void qos_begin(struct switch_qos *qos, const char *vendor);

/* Those DSCPs get this queue. */
void qos_map(struct switch_qos *qos, uint64_t dscps, int queue);

void qos_write(struct device *device, struct switch_qos *qos, FILE *out);

#endif
