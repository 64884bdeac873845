/* SPDX-License-Identifier: Apache-2.0
 * compare_states - compares the state changes of NVMe hosts, their queues and the targets' queues.
 * The same code runs in the model and in the bridge, so each state machine makes the same
 * transitions. Machines of the same kind, owner and queue are paired by their sequence of states,
 * then by age, because the order in which several connect is timing. A bridge in one role has only
 * the machines of that role; kinds that only one side has are skipped. So is the teardown of a
 * target's queue: a measurement ends with it, a model run does not. */
#include "replay/compare/compare_private.h"

#include "replay/record/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 256 };

static const struct {
    const char *machine, *word;
} machines[] = {
    {"host", "NVMe hosts: states"},
    {"host_queue", "queues of NVMe hosts: states"},
    {"target_queue", "queues of NVMe targets: states"},
};

#define OF_MACHINE "machine=?1 AND NOT(machine='target_queue' AND to_state='CLOSING')"

static const char states_sql[] =
    "WITH change_of AS (SELECT * FROM state_change WHERE " OF_MACHINE " ORDER BY change),"
    " path_of AS (SELECT number, owner, ifnull(qid, -1) AS queue, group_concat(to_state) AS path"
    "  FROM change_of GROUP BY number),"
    " place_of AS (SELECT number, owner, queue, row_number() OVER"
    "  (PARTITION BY owner, queue ORDER BY path, number) AS place FROM path_of)"
    " SELECT p.owner, p.queue, p.place, c.from_state||' -> '||c.to_state||' ('||c.event||')'"
    " AS step"
    " FROM place_of p JOIN state_change c USING(number) WHERE " OF_MACHINE
    " ORDER BY 1, 2, 3, c.change";

/* One side, at the current state change. */
struct walk {
    struct store_statement *rows;
    bool more;
    uint64_t changes;
};

static void walk_on(struct walk *walk)
{
    walk->more = store_step(walk->rows);
    walk->changes += walk->more;
}

/* Below 0: the first side's machine comes first or has more changes; 0: same machine. */
static int order(const struct walk walks[2])
{
    static const char *const numbers[] = {"queue", "place"};
    if (!walks[0].more || !walks[1].more)
        return walks[0].more ? -1 : 1;
    const int owners =
        strcmp(store_text(walks[0].rows, "owner"), store_text(walks[1].rows, "owner"));
    if (owners != 0)
        return owners;
    for (size_t i = 0; i < 2; i++) {
        const int64_t one = store_int(walks[0].rows, numbers[i]);
        const int64_t other = store_int(walks[1].rows, numbers[i]);
        if (one != other)
            return one < other ? -1 : 1;
    }
    return 0;
}

/* The first difference between the two sides. */
struct parting {
    bool there;
    char at[TEXT_BYTES], texts[2][TEXT_BYTES];
};

static void part(struct parting *parting, const char *word, const struct walk walks[2], int side)
{
    if (parting->there)
        return;
    parting->there = true;
    const struct store_statement *rows = walks[side <= 0 ? 0 : 1].rows;
    const int64_t queue = store_int(rows, "queue");
    char name[32] = "";
    if (queue >= 0)
        snprintf(name, sizeof name, " queue %" PRId64, queue);
    snprintf(parting->at, TEXT_BYTES, "%s, %.100s%s, number %" PRId64, word,
             store_text(rows, "owner"), name, store_int(rows, "place"));
    for (int i = 0; i < 2; i++) {
        const bool has = i == 0 ? side <= 0 : side >= 0;
        snprintf(parting->texts[i], TEXT_BYTES, "%.200s",
                 has ? store_text(walks[i].rows, "step") : "(none)");
    }
}

/* Steps through both sides up to the first difference. With `whole`, a longer sequence is a
 * difference. */
static void compare_machine(const struct compare_input *input, size_t index, bool whole)
{
    const char *word = machines[index].word;
    struct walk walks[2] = {0};
    struct parting apart = {0}, further = {0};
    for (int i = 0; i < 2; i++) {
        walks[i].rows = store_prepare(input->stores[i], states_sql);
        store_bind(walks[i].rows, 1, STORE_T(machines[index].machine));
        walk_on(&walks[i]);
    }
    const bool both = walks[0].more && walks[1].more;
    while (!apart.there && (walks[0].more || walks[1].more)) {
        const int side = order(walks);
        if (side != 0)
            part(whole ? &apart : &further, word, walks, side);
        else if (strcmp(store_text(walks[0].rows, "step"), store_text(walks[1].rows, "step")) != 0)
            part(&apart, word, walks, side);
        if (side <= 0)
            walk_on(&walks[0]);
        if (side >= 0)
            walk_on(&walks[1]);
    }
    const struct parting *parting = apart.there ? &apart : &further;
    char same[TEXT_BYTES];
    snprintf(same, sizeof same, "%" PRIu64 " equal", walks[0].changes);
    if (both && parting->there)
        compare_add(input->compare, parting->at, parting->texts[0], parting->texts[1], apart.there);
    else if (both)
        compare_add(input->compare, word, same, same, true);
    store_finish(walks[0].rows);
    store_finish(walks[1].rows);
}

/* All state changes were recorded: the level includes them, the table exists, and it did not reach
 * its limit. */
static bool has_states(const struct compare_input *input, int side)
{
    struct store *store = input->stores[side];
    if (strcmp(input->compare->sides[side].record, "summary") == 0 ||
        store_ask_int(store, "SELECT count(*) FROM sqlite_schema WHERE name='state_change'", 0) ==
            0)
        return false;
    return store_ask_int(store, "SELECT count(*) FROM state_change", 0) < RECORD_STATES_MAX;
}

void compare_states(const struct compare_input *input)
{
    const struct figures *figures = &input->compare->figures[0];
    bool whole = true;
    for (size_t i = 0; i < figures->count; i++)
        whole = whole && figures->workloads[i].bounded;
    if (!has_states(input, 0) || !has_states(input, 1))
        return;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        compare_machine(input, i, whole);
}
