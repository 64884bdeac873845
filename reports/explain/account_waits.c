/* SPDX-License-Identifier: Apache-2.0
 * account_waits - the time breakdown in explain --json, from the run's rows. */
#include "replay/breakdown/breakdown.h"
#include "reports/explain/account.h"
#include "reports/text/json_members.h"

#include <stdio.h>

enum { PLACES_SHOWN = 32 };

/* The workload, and the position of its member in the object. */
struct place_of {
    struct store *store;
    struct json *json;
    const char *workload;
    char at[64];
};

static const char *path(char to[JSON_PATH_BYTES], const struct place_of *of, const char *member)
{
    snprintf(to, JSON_PATH_BYTES, "%s.%s", of->at, member);
    return to;
}

/* ?1 is the workload, ?2 is `second` unless that is STORE_N. */
static struct store_statement *prepare_query(const struct place_of *of, const char *sql,
                                             struct store_value second)
{
    struct store_statement *rows = store_prepare(of->store, sql);
    store_bind(rows, 1, STORE_T(of->workload));
    if (second.type != STORE_NULL)
        store_bind(rows, 2, second);
    return rows;
}

/* Writes rows of (part, ps) as an object. */
static void write_parts(const struct place_of *of, const char *member, struct store_statement *rows)
{
    int64_t ps[BREAKDOWN_PARTS + 1] = {0};
    char at[JSON_PATH_BYTES], key[64];
    while (store_step(rows))
        ps[breakdown_part_find(store_text(rows, "part"))] += store_int(rows, "sum_ps");
    store_finish(rows);
    for (int i = 0; i < BREAKDOWN_PARTS; i++) {
        snprintf(key, sizeof key, "%s.%s", member, breakdown_part_key((enum breakdown_part)i));
        json_integer(of->json, path(at, of, key), ps[i]);
    }
}

/* A port and priority, or a host. */
static void write_root(const struct place_of *of, const struct store_statement *row)
{
    char at[JSON_PATH_BYTES];
    if (store_text(row, "because_of")[0] == '\0')
        return;
    json_text(of->json, path(at, of, "because_of"), store_text(row, "because_of"));
    json_integer(of->json, path(at, of, "because_of_priority"),
                 store_int(row, "because_of_priority"));
}

/* The places where it was paused or queued longest. */
static void write_places(const struct place_of *operation, const char *name)
{
    struct store_statement *rows =
        prepare_query(operation,
                      "SELECT port, priority, CAST(round(paused_us*1e6) AS INTEGER) AS paused_ps,"
                      " CAST(round(queued_us*1e6) AS INTEGER) AS queued_ps, paused_by, because_of, "
                      "because_of_priority"
                      " FROM v_wait_place WHERE workload=?1 AND operation=?2"
                      " ORDER BY paused_us+queued_us DESC, port, priority",
                      STORE_T(name));
    char at[JSON_PATH_BYTES];
    struct place_of of = *operation;
    int shown = 0;
    for (; shown < PLACES_SHOWN && store_step(rows); shown++) {
        snprintf(of.at, sizeof of.at, "%.40s.places[%d]", operation->at, shown);
        json_text(of.json, path(at, &of, "port"), store_text(rows, "port"));
        json_integer(of.json, path(at, &of, "priority"), store_int(rows, "priority"));
        json_integer(of.json, path(at, &of, "paused_ps"), store_int(rows, "paused_ps"));
        json_integer(of.json, path(at, &of, "queued_ps"), store_int(rows, "queued_ps"));
        json_text(of.json, path(at, &of, "paused_by"), store_text(rows, "paused_by"));
        write_root(&of, rows);
    }
    if (shown == 0)
        json_empty(of.json, path(at, operation, "places"));
    store_finish(rows);
}

static void write_operation(const struct place_of *of, const struct store_statement *row)
{
    char at[JSON_PATH_BYTES], name[24];
    snprintf(name, sizeof name, "%s", store_text(row, "operation"));
    json_integer(of->json, path(at, of, "count"), store_int(row, "count"));
    json_integer(of->json, path(at, of, "latency_ps"), store_int(row, "latency_ps"));
    write_parts(of, "parts_ps",
                prepare_query(of,
                              "SELECT part, sum_ps FROM wait JOIN workload w USING(workload)"
                              " WHERE w.name=?1 AND operation=?2",
                              STORE_T(name)));
    json_integer(of->json, path(at, of, "slowest.count"), store_int(row, "slow_count"));
    write_parts(of, "slowest.parts_ps",
                prepare_query(of,
                              "SELECT part, sum_ps FROM wait_slow JOIN workload w USING(workload)"
                              " WHERE w.name=?1 AND operation=?2",
                              STORE_T(name)));
    write_places(of, name);
}

static void write_member(const struct place_of *of, const struct store_statement *row)
{
    char at[JSON_PATH_BYTES];
    json_text(of->json, path(at, of, "host"), store_text(row, "host"));
    json_text(of->json, path(at, of, "target"), store_text(row, "target"));
    json_integer(of->json, path(at, of, "count"), store_int(row, "count"));
    json_integer(of->json, path(at, of, "latency_ps"), store_int(row, "latency_ps"));
    write_parts(of, "waits",
                prepare_query(of,
                              "SELECT part, sum_ps FROM wait_member_part WHERE member=?2"
                              " AND workload=(SELECT workload FROM workload WHERE name=?1)",
                              STORE_I(store_int(row, "member"))));
}

void account_waits_json(struct store *store, size_t index, const char *workload, struct json *json)
{
    struct place_of of = {store, json, workload, ""};
    struct store_statement *rows =
        prepare_query(&of,
                      "SELECT operation, count, latency_ps, slow_count FROM wait_total"
                      " JOIN workload w USING(workload) WHERE w.name=?1 ORDER BY operation",
                      STORE_N);
    while (store_step(rows)) {
        snprintf(of.at, sizeof of.at, "workloads[%zu].waits.%.16s", index,
                 store_text(rows, "operation"));
        write_operation(&of, rows);
    }
    store_finish(rows);
    rows = prepare_query(
        &of,
        "SELECT member, f.name AS host, t.name AS target, count, latency_ps FROM wait_member"
        " JOIN workload w USING(workload) JOIN node f ON f.node=from_node"
        " JOIN node t ON t.node=to_node WHERE w.name=?1 ORDER BY member",
        STORE_N);
    for (size_t i = 0; store_step(rows); i++) {
        snprintf(of.at, sizeof of.at, "workloads[%zu].members[%zu]", index, i);
        write_member(&of, rows);
    }
    store_finish(rows);
}
