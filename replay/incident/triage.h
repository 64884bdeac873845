/* SPDX-License-Identifier: Apache-2.0
 * triage - suspects of an incident from its counters, cables and logs alone, without a run.
 * The balance of pauses, frames and errors along each cable gives signs, each with the line of the
 * file that shows it; signs of one device or link make a suspect.  Suspects are ranked by weight of
 * their best sign (suspect.def), by how much of the pauses, drops or losses it explains, and by the
 * number of further signs.  The rank is an order, no probability: nothing here is confirmed.
 * Missing counters are unknown: the other end of the cable stands for them where it is there.
 * Owner: triage_free.  The incident has to live as long. */
#ifndef STORMGLASS_REPLAY_INCIDENT_TRIAGE_H
#define STORMGLASS_REPLAY_INCIDENT_TRIAGE_H

#include "scenarios/incident/incident.h"

enum suspect_kind {
#define SUSPECT(id, name, is_fault, weight, about) SUSPECT_##id,
#include "replay/incident/suspect.def"
#undef SUSPECT
    SUSPECT_KINDS
};

struct suspect_about {
    const char *name, *about;
    bool is_fault;
    double weight;
};
extern const struct suspect_about suspects_about[SUSPECT_KINDS];

struct triage_sign {
    struct diag_place place; /* file NULL: it is what several lines say together */
    const char *text;
};

struct triage_suspect {
    enum suspect_kind kind;
    const char *device;
    const char *port;      /* as its equipment calls it, or NULL: the device as a whole */
    const char *peer;      /* at the other end of its cable, or NULL */
    const char *peer_port; /* or NULL */
    double score;
    double more;               /* of its signs' counts, the highest part that is new; 0: unknown */
    struct triage_sign *signs; /* that point to it */
    size_t sign_count;
    struct triage_sign *against;
    size_t against_count;
    const char *since; /* the last sample before its first sign, as a date, or NULL: not known */
};

/* Pauses along one cable in one direction. */
struct triage_pause {
    const char *from, *to; /* devices: who sends them, who is paused; NULL: not known */
    const char *from_port, *to_port;
    int64_t frames;
    bool is_sent_known, is_received_known;
};

/* UNCLEAR: the strongest sign is weak; or a rival has as strong a sign; or there is harm and no
 * suspect. */
enum triage_verdict { TRIAGE_NONE, TRIAGE_OVERLOAD, TRIAGE_UNCLEAR, TRIAGE_FAULT };

struct triage {
    struct arena arena;
    enum triage_verdict verdict;
    struct triage_suspect *suspects; /* first the strongest */
    size_t suspect_count;
    const struct triage_suspect
        *rival;                  /* that explains the counters as well as the first, or NULL */
    struct triage_pause *pauses; /* most frames first */
    size_t pause_count;
    struct triage_sign *contradictions;
    size_t contradiction_count;
    const char **unknown; /* devices of the fabric without counters */
    size_t unknown_count;
    size_t cables, cables_known; /* of the fabric; with counters of both ends */
    const char *from, *to;       /* dates of the first and last sample, or NULL */
    int64_t seconds;             /* between them, or 0 */
    size_t unpaired;             /* counters with one sample where others have several: not used */
    bool single; /* no counter has two samples, and there was no earlier look: counts since the last
                  * reset */
};

/* Whether the counts of its signs rose as fast before the incident. */
bool triage_is_steady(const struct triage_suspect *suspect);

/* Whether the signs are strong enough to call the suspect a fault. */
bool triage_is_fault(const struct triage_suspect *suspect);

void triage_make(struct triage *triage, const struct incident *incident);
void triage_free(struct triage *triage);

#endif
