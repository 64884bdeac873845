/* SPDX-License-Identifier: Apache-2.0
 * switch_qos - converts the QoS classes of a switch from the vendor's terms to a scenario's
 * fabric.switch.
 * Vendors configure queues, the DSCPs of each queue, the queues with PFC, and their PFC priorities.
 * In a scenario, a priority is all of these at once: a lossless queue gets the number of its PFC
 * priority, and the queue that had this number gets the other's. A switch has one set of
 * thresholds: those of the first lossless queue that has any; others are reported.
 * Units: bytes, percent, milliseconds; a kilobyte in a configuration is 1000 B. */
#ifndef STORMGLASS_SCENARIOS_DEVICE_SWITCH_QOS_H
#define STORMGLASS_SCENARIOS_DEVICE_SWITCH_QOS_H

#include "scenarios/device/device.h"

enum { QOS_QUEUES = 8, QOS_DSCPS = 64, QOS_UNSET = -1, QOS_WORDS_MAX = 64 };

/* ---- a line, or a statement of several lines, as words ---- */

struct command {
    const char *words[QOS_WORDS_MAX + 1]; /* terminated by NULL */
    int count;
    struct diag_place place; /* of the first word */
};

/* Reads the words of the current line, without a prompt before them or a comment ("! ..", "# ..")
 * after them. Words that do not fit are dropped. */
void command_read(struct device *device, struct command *command);

/* True if the words from `from` on begin with `words`, which are separated by blanks; "*" matches
 * any word. */
bool command_is(const struct command *command, int from, const char *words);

bool command_has(const struct command *command, const char *word);

/* The word after this one, or NULL. */
const char *command_after(const struct command *command, const char *word);

/* True for interface lines unrelated to QoS: description, mtu, ip .. */
bool command_is_plain(const struct command *command);

/* True if a word is about queues, PFC, ECN or buffers. */
bool command_is_of_qos(const struct command *command);

/* Add a note that the command is unknown. Interface lines are mostly unrelated, so command_strange
 * reports only the first of those that begin with the same word. */
void command_unknown(struct device *device, const struct command *command);
void command_strange(struct device *device, const struct command *command);
void command_note(struct device *device, const struct command *command, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- values ---- */

/* Converts a whole number; QOS_UNSET: not a number, or above `most`. */
int64_t qos_number(const char *word, int64_t most);

/* Converts "3", "24,26", "0-7" and "[1,2]" to a mask; false: another form. */
bool qos_mask(const char *word, int most, uint64_t *mask);

/* A DSCP by number or name (af31, cs3, ef, default); QOS_UNSET: neither. */
int qos_dscp(const char *word);

/* "150 kbytes", "150KB", "150000"; QOS_UNSET if the unit is not one of bytes. */
int64_t qos_bytes(const char *number, const char *unit);

/* ---- the switch ---- */

struct qos_queue {
    bool lossless;
    int pfc_priority; /* QOS_UNSET: same as the queue number */
    int weight;       /* 0: strict; QOS_UNSET: not configured */
    bool ecn;
    int64_t kmin, kmax; /* QOS_UNSET: unknown */
    int pmax;           /* QOS_UNSET: unknown */
    int64_t xoff, xon, xon_offset, headroom;
    struct diag_place place; /* place of the thresholds */
};

struct switch_qos {
    const char *vendor;
    struct qos_queue queues[QOS_QUEUES];
    int queue_of_dscp[QOS_DSCPS]; /* QOS_UNSET: not configured */
    bool has_dscps;               /* some DSCPs are configured */
    bool rest_is_strict;          /* queues without a weight are strict if others have one */
    int alpha_shift;              /* alpha of lossless priority groups is 2^alpha_shift */
    bool has_alpha;
    int lossy_percent; /* share of the memory reserved for lossy priority groups, or QOS_UNSET */
    const char *watchdog;
    int64_t detection, restoration, poll; /* ms, or QOS_UNSET */
};

/* Reads "minimum-threshold 150 kbytes maximum-threshold 1500 kbytes" and the percentage after the
 * word `probability`; both thresholds are unset if a unit is not one of bytes. False: no
 * thresholds. */
bool command_marks(const struct command *command, const char *probability, struct qos_queue *queue);

void qos_begin(struct switch_qos *qos, const char *vendor);

/* Maps these DSCPs to the queue. */
void qos_map(struct switch_qos *qos, uint64_t dscps, int queue);

void qos_write(struct device *device, struct switch_qos *qos, FILE *out);

#endif
