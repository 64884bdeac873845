/* SPDX-License-Identifier: Apache-2.0
 * repair - a scenario with one thing repaired, or several.
 * What is not repaired stays as it was, to the last random draw: streams belong to their owners, so
 * that nobody else's load moves when one leaves. */
#ifndef STORMGLASS_REPLAY_PROVE_REPAIR_H
#define STORMGLASS_REPLAY_PROVE_REPAIR_H

#include "rnic/host/rnic.h"
#include "scenarios/load/deviation.h"

enum repair_kind {
    REPAIR_FAULT,   /* a fault of the scenario is taken away */
    REPAIR_DRAIN,   /* a host's receive buffer drains without limit */
    REPAIR_SETTING, /* settings of one entry get the values that their like have, or one of them */
    REPAIR_TRAFFIC  /* a workload is left out, or only what it has with one host */
};

#define REPAIR_ANY_HOST UINT32_MAX

struct repair {
    enum repair_kind kind;
    uint32_t fault, workload; /* indices of the scenario */
    uint32_t setting;         /* the first of its deviations in that entry */
    bool single;              /* that one alone */
    bool written;             /* of deviations_find_written */
    bool family;              /* and all that begin with its first word: ecn-kmin, ecn-kmax */
    uint32_t host;            /* node; of traffic also REPAIR_ANY_HOST */
};

bool repair_equal(const struct repair *a, const struct repair *b);

/* A setting for all has a family: one value alone may contradict the others. */
bool repair_has_family(const struct repair *repair, const struct scenario *scenario);

enum { REPAIR_NAME_BYTES = 200 };

/* "fault", "host", "setting"; "load": leaving some out repairs nothing */
const char *repair_suspect(enum repair_kind kind);

/* What it is called: "faults.0", a host's or a workload's name, the path that --set takes, or that
 * of the entry where several of its values differ. */
void repair_name(const struct repair *repair, const struct scenario *scenario, char *text,
                 size_t size);

/* "fault 0, slow-receiver at host0, removed"; "fabric.overrides[0].mtu 1500B -> 4200B at leaf1:p0
 * and 3 more" */
void repair_words(const struct repair *repair, const struct scenario *scenario, char *text,
                  size_t size);

/* A scenario that shares all but what is repaired with the other, which outlives it. */
struct repaired {
    struct scenario scenario;
    struct arena arena; /* of what is repaired */
    struct deviations deviations, written;
};

/* No two of them repair the same. */
void repair_apply(struct repaired *repaired, const struct repair *repairs, uint32_t count,
                  const struct scenario *scenario);
void repair_free(struct repaired *repaired);

#endif
