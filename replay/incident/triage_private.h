/* SPDX-License-Identifier: Apache-2.0
 * triage_private - what the rules share.
 * triage_map.c maps counts to the ports of the fabric, triage_*.c have one group of signs each,
 * triage.c ranks. */
#ifndef STORMGLASS_REPLAY_INCIDENT_TRIAGE_PRIVATE_H
#define STORMGLASS_REPLAY_INCIDENT_TRIAGE_PRIVATE_H

#include "replay/incident/triage.h"

enum {
    TRIAGE_NAMES_MAX = 4, /* of one port: its network device, its RDMA device */
    TRIAGE_PRIORITIES = 8,
    TRIAGE_ALL = -1,   /* priorities, and pauses of the whole port */
    TRIAGE_NOISE = 10, /* fewer frames are no sign */
    TRIAGE_NO_PORT = -1,
    TRIAGE_CLOCK_SECONDS = 2, /* by which clocks of devices differ */
    CHANGE_BINS_MAX = 24
};

/* When the incident was: a window of bins of equal length. */
struct triage_change {
    bool found, dated; /* dated: times are seconds since 1970, else numbers of samples */
    uint32_t bins, from, to;
    double start, step;
};

struct triage_port {
    int node;
    const char *name;                    /* as its equipment calls it */
    const char *names[TRIAGE_NAMES_MAX]; /* of ports of the counts */
    int name_count;
    int peer;     /* port at the other end, or TRIAGE_NO_PORT */
    int64_t rate; /* bits per second, 0: not known */
};

struct triage_node {
    const char *name;
    bool is_switch, has_counts;
    int *ports;
    size_t port_count;
};

struct triage_value {
    bool known;
    int64_t value;
    int64_t more;                       /* than at the rate before the incident */
    const struct incident_count *count; /* the largest of them, for its place */
};

enum { TRIAGE_SENT, TRIAGE_RECEIVED, TRIAGE_DIRECTIONS };

/* Bytes of a host in the incident: those that this rate before gives, those that it moved less, and
 * these if they are more than chance. */
struct triage_fall {
    double expected[TRIAGE_DIRECTIONS], less[TRIAGE_DIRECTIONS], lost[TRIAGE_DIRECTIONS];
    bool known[TRIAGE_DIRECTIONS];
    const struct incident_count *bytes; /* of the direction that lost most */
};

struct triage_work {
    struct triage *triage;
    const struct incident *incident;
    struct arena *arena;
    struct triage_node *nodes;
    size_t node_count;
    struct triage_port *ports;
    size_t port_count;
    struct triage_change change;
    int64_t lost_frames;       /* that receivers missed */
    struct triage_fall *falls; /* by node */
    double lost_bytes;         /* of all hosts */
    double most_fallen;        /* the largest part of its rate that a host lost */
    int *partners;             /* the hosts that lost most, most first */
    int partner_count;
};

void triage_map(struct triage_work *work);
void triage_find_change(struct triage_work *work); /* triage_change.c */
/* What a counter counted more than at its rate before the incident; without a known beginning, all
 * of it. */
int64_t triage_more(const struct triage_work *work, const struct incident_count *count);
/* Logarithm of the likelihood that a change of the counter's rate in the incident gains; 0 or less:
 * none. */
double triage_gain(const struct triage_change *change, const struct incident_count *count);
/* When a sample was taken, what was counted between two bins, when a bin begins. */
double triage_time(const struct triage_change *change, const struct incident_count *count,
                   uint32_t sample);
double triage_moved(const struct triage_change *change, const struct incident_count *count,
                    uint32_t from, uint32_t to);
double triage_edge(const struct triage_change *change, uint32_t bin);
/* What was counted from the first sample to a time. */
double triage_counted_until(const struct triage_change *change, const struct incident_count *count,
                            double time);
/* Whether all samples have dates, none before the last one's. */
bool triage_is_dated(const struct incident_count *count);
/* The bins of the incident without those in which clocks that differ shift its beginning and end;
 * without a known beginning, all bins. */
void triage_inner(const struct triage_change *change, uint32_t *from, uint32_t *to);
/* Counts per second before the incident and in it.  False: not known. */
struct triage_rates {
    double before, during;
};
bool triage_rates(const struct triage_change *change, const struct incident_count *count,
                  struct triage_rates *rates);
int triage_find_node(const struct triage_work *work, const char *name); /* or -1 */

/* A counter of a port; `priority` TRIAGE_ALL: of none. */
struct triage_value triage_get(const struct triage_work *work, int port, const char *name,
                               int priority);
/* The sum over all priorities of a name with %d. */
struct triage_value triage_sum(const struct triage_work *work, int port, const char *pattern);
/* Pauses that a port sent (or received), by its own counters alone. */
struct triage_value triage_own_pauses(const struct triage_work *work, int port, bool sent,
                                      int priority);
/* The same, where its own are missing by those of the other end. */
struct triage_value triage_pauses(const struct triage_work *work, int port, bool sent,
                                  int priority);

/* The part of what was expected that is missing; 0 if nothing was expected. */
static inline double triage_part(double lost, double expected)
{
    return expected > 0 ? lost / expected : 0;
}

void triage_find_falls(struct triage_work *work); /* triage_falls.c */
/* The likelihood, relative to the best, that the host is the reason for the falls of all others,
 * alone or with a second one; that a place is which `lost` of `expected` bytes do not pass. */
double triage_host_likelihood(const struct triage_work *work, int host);
double triage_place_likelihood(const struct triage_work *work, double lost, double expected);
/* What hosts receive less than before, in bytes per second (triage_effect.c). */
double triage_lost_by_hosts(const struct triage_work *work);
/* Bytes that a port sent, by its own counters or those of the other end. */
struct triage_value triage_sent_bytes(const struct triage_work *work, int port);
/* The highest rate of other ports of the same kind, hosts' or between switches; 0: not known. */
int64_t triage_peer_rate(const struct triage_work *work, int port);
/* Whether the port sends clearly less in the incident than before. */
bool triage_sends_less(const struct triage_work *work, int port);
/* The part of its rate at which a port sent; 0: not known. */
double triage_load(const struct triage_work *work, int port);
/* Whether more traffic than the port can send explains what it does. */
bool triage_is_full(const struct triage_work *work, int port);
/* A full port: a link that is slower than its peers, or overload. */
void triage_suspect_full(struct triage_work *work, int node, int port, double share);

/* "leaf0 Ethernet4". */
const char *triage_port_words(const struct triage_work *work, int port);
const char *triage_frames(struct arena *arena, int64_t count); /* "184,213" */

/* The suspect of that kind and place, which is made when it is new.  `share`: how much of what it
 * would explain it does, 0 to 1.  Pointers live until the next call. */
struct triage_suspect *triage_suspect(struct triage_work *work, enum suspect_kind kind, int node,
                                      int port, double share);
/* The place of the line, without a change that would speak for the sign. */
struct triage_value triage_place(struct triage_value value);
/* False: the suspect has it already. */
bool triage_sign(struct triage_work *work, struct triage_suspect *suspect,
                 struct triage_value value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void triage_against(struct triage_work *work, struct triage_suspect *suspect,
                    struct triage_value value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void triage_contradiction(struct triage_work *work, struct diag_place place, const char *format,
                          ...) __attribute__((format(printf, 3, 4)));

void triage_pause_signs(struct triage_work *work);  /* triage_pauses.c */
void triage_link_signs(struct triage_work *work);   /* triage_links.c */
void triage_drop_signs(struct triage_work *work);   /* triage_drops.c */
void triage_count_losses(struct triage_work *work); /* triage_loss.c */
void triage_loss_signs(struct triage_work *work);   /* triage_loss.c */
void triage_load_signs(struct triage_work *work);   /* triage_load.c */
void triage_config_signs(struct triage_work *work); /* triage_config.c */
void triage_target_signs(struct triage_work *work); /* triage_targets.c */
/* `share`: less than 1 where pauses, drops or losses may be the reason. */
void triage_path_signs(struct triage_work *work, double share); /* triage_paths.c */

#endif
