/* SPDX-License-Identifier: Apache-2.0
 * trial - a scenario with one thing changed, or several.
 *   remove   a fault; a workload, or its traffic with one host
 *   restore  settings get the values that similar things have; a receive buffer drains at line rate
 *   relax    more of one resource, or less of a cost (`scales` of base/opt_effect.h)
 *   scale    a setting has another value
 *   remedy   settings have the values that a finding of check proposes
 * What is not changed stays as it was, to the last random draw: streams belong to their owners, so
 * that no other load moves when one workload leaves. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_TRIAL_H
#define STORMGLASS_REPLAY_EXPERIMENT_TRIAL_H

#include "replay/explain/bottleneck.h"
#include "rnic/host/rnic.h"
#include "scenarios/check/check.h"
#include "scenarios/deviation/deviation.h"

enum trial_kind {
    TRIAL_REMOVE_FAULT,
    TRIAL_RESTORE_DRAIN,
    TRIAL_RESTORE_SETTING, /* all deviating settings of one entry of the file, or one of them */
    TRIAL_REMOVE_TRAFFIC,
    TRIAL_RELAX,
    TRIAL_SCALE,
    TRIAL_REMEDY
};

#define TRIAL_ANY_HOST UINT32_MAX

struct trial_change {
    enum trial_kind kind;
    uint32_t fault, workload;          /* indices in the scenario */
    uint32_t setting;                  /* first deviation of the entry */
    bool single;                       /* only that one */
    bool written;                      /* index is in deviations_find_written */
    bool family;                       /* with all of the same first word: ecn-kmin, ecn-kmax */
    bool even;                         /* shares of one resource become equal, not common */
    uint32_t host;                     /* node; of traffic also TRIAL_ANY_HOST */
    enum bottleneck_resource resource; /* of relax: more of it, by `permille` of what is there */
    int64_t permille;                  /* 1100 is a tenth more; numbers grow by one at least */
    const char *set;                   /* of scale: "path=value" */
    uint32_t remedy;                   /* of the base */
};

enum { TRIAL_TENTH = 1100, TRIAL_LIMITLESS = 1000 * 1000, TRIAL_UNCHANGED = 1000 };
enum { TRIAL_CHANGES_MAX = 48, TRIAL_NAME_BYTES = 200 };

struct trial {
    struct trial_change changes[TRIAL_CHANGES_MAX]; /* no two of them change the same */
    uint32_t count;
    uint64_t seed;  /* 0: the scenario's */
    uint32_t later; /* each member begins later, by up to so many times 300 ns */
};

/* The settings that the warnings and errors of one rule of check propose together, and the text of
 * the first. Remedies that change the load or the topology are left out, and so are those that ask
 * for a larger device. */
struct trial_remedy {
    const char *const *sets; /* "path=value" */
    uint32_t set_count;
    const char *finding;
};

struct trial_remedies {
    struct check_report report; /* owns the texts */
    struct trial_remedy *list;
    uint32_t count;
};

void trial_remedies_find(struct trial_remedies *remedies, const struct scenario *scenario);
void trial_remedies_free(struct trial_remedies *remedies);

/* A remedy sets the parameter of the setting, perhaps elsewhere. */
bool trial_is_warned_of(const struct trial_remedies *remedies, const struct deviation *setting);

/* A scenario, which outlives this, and what its settings can be restored to. */
struct trial_base {
    const struct scenario *scenario;
    struct deviations deviations, written;
    struct trial_remedies remedies;
};

void trial_base_find(struct trial_base *base, const struct scenario *scenario);
void trial_base_free(struct trial_base *base);

bool trial_change_equal(const struct trial_change *a, const struct trial_change *b);

/* Whether a setting for all has related settings, which a single changed value may contradict. */
bool trial_has_family(const struct trial_change *change, const struct trial_base *base);

/* Whether the setting has several shares of a resource, which can be made equal. */
bool trial_has_shares(const struct trial_change *change, const struct trial_base *base);

/* "fault", "host", "setting"; "load": removing traffic restores nothing */
const char *trial_suspect(enum trial_kind kind);

/* The name: "faults.0", a host's or a workload's name, the path for --set, or the path of the entry
 * if several of its values differ. */
void trial_name(const struct trial_change *change, const struct trial_base *base, char *text,
                size_t size);

/* "fault 0, slow-receiver at host0, removed"; "fabric.overrides[0].mtu 1500B -> 4200B at leaf1:p0
 * and 3 more"; "workloads.oltp.queue-depth 32 -> 36, ..."; "" where nothing changes. */
void trial_words(const struct trial_change *change, const struct trial_base *base, char *text,
                 size_t size);

/* What the change removes, as a cause: "link-down at leaf1"; "host4 drains more slowly than its
 * link delivers"; "fabric.overrides[0].mtu is 1500B at leaf1:p0 instead of 4200B". */
void trial_cause_words(const struct trial_change *change, const struct trial_base *base, char *text,
                       size_t size);

/* The changed scenario shares all but the changes with that of the base, or with `loaded`. */
struct tried {
    struct scenario scenario;
    struct scenario *loaded; /* its own, where the seed or values are not those of the base */
    struct arena arena;      /* of what is changed */
};

/* Values that a remedy sets are replaced by those that the trial restores.
 * False: it cannot be loaded with the new values (see the diag), or has other nodes or workloads
 * with them, or has nothing of a resource to relax.  Then only tried_free follows. */
bool trial_apply(struct tried *tried, const struct trial *trial, const struct trial_base *base,
                 struct diag *diag);
void tried_free(struct tried *tried);

#endif
