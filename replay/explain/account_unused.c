/* SPDX-License-Identifier: Apache-2.0
 * account_unused - one query for each kind of unused object.
 * Each returns rows of two texts: the object and the evidence. A setting that no frame used proves
 * nothing, whatever its value. */
#include "replay/explain/account.h"

#include "base/memory.h"
#include "replay/database/flow_words.h"
#include "replay/database/stored.h"
#include "rnic/cc/cc.h"
#include "scenarios/effect/effect.h"
#include "scenarios/fault/fault_kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE_COUNTED(name) "NOT EXISTS(SELECT 1 FROM counter WHERE name=" name ")"
#define TOTAL(path)        "(SELECT value FROM result WHERE path='" path "')"

static const char workloads_query[] =
    "SELECT 'workload '||name AS what, 'no operation was issued' AS why "
    "FROM workload WHERE issued=0 ORDER BY workload";

/* Faults without effect. The effect of a fault is counted at its location; table k contains the
 * kinds of faults. A member that never connected may have sent no frame because of the fault: ARP
 * does not count as a frame. */
#define AT_ETHERNET                                                                                \
    "EXISTS(SELECT 1 FROM fault_place l JOIN node n USING(node)"                                   \
    " WHERE l.fault=f.fault AND n.link_layer='ethernet')"

static const char faults_query[] =
    "SELECT f.name AS what, CASE"
    " WHEN at_ps >= (SELECT simulated_ps + drain_ps FROM meta) THEN 'the run ended before the "
    "fault began'"
    " WHEN pauses AND " AT_ETHERNET " THEN 'its host sent no pause'"
    " WHEN total IS NOT NULL THEN 'no frame was damaged or dropped'"
    " ELSE 'no frame was sent at its location' END AS why FROM fault f LEFT JOIN k USING(kind)"
    " WHERE at_ps >= (SELECT simulated_ps + drain_ps FROM meta)"
    "  OR pauses AND " AT_ETHERNET " AND NOT EXISTS(SELECT 1 FROM fault_place l"
    "   JOIN counter c USING(node) WHERE l.fault=f.fault AND (c.name='tx_global_pause_xoff'"
    "   OR c.name='tx_prio'||c.priority||'_pause_xoff'))"
    "  OR (SELECT value FROM result WHERE path=total)=0"
    "  OR pauses IS NOT 1 AND NOT EXISTS(SELECT 1 FROM fault_place l"
    "   JOIN counter c ON c.node=l.node AND (l.port IS NULL OR c.port=l.port)"
    "   AND c.name IN ('tx_packets_phy','rx_packets_phy') WHERE l.fault=f.fault)"
    "   AND NOT EXISTS(SELECT 1 FROM member WHERE ready_ps IS NULL)"
    " ORDER BY fault";

/* Runs that have the object: with credits there are no pauses and no ECN thresholds, on Fibre
 * Channel no RNICs. */
enum with { ALWAYS, WITH_PAUSES, WITH_RNICS, WITH_RDMA };

static const struct {
    enum with with;
    const char *text;
} queries[] = {
    {WITH_PAUSES,
     "SELECT 'PFC of priority '||j.value AS what, 'no frame of that priority was sent' AS why FROM"
     " (SELECT DISTINCT value FROM setting WHERE path=iif(EXISTS(SELECT 1 FROM setting WHERE"
     "   path='fabric.kind' AND value<>'ethernet'),'fabric.ethernet','fabric')"
     "   ||'.switch.pfc-priorities'"
     "  AND json_valid('['||value||']')) s,"
     " json_each('['||s.value||']') j WHERE " NONE_COUNTED("'tx_prio'||j.value||'_packets'")},
    {WITH_PAUSES, "SELECT 'PFC' AS what, 'no queue reached a pause threshold' AS why WHERE"
                  " " TOTAL("pfc.pause_frames") "=0"},
    {WITH_PAUSES, "SELECT 'headroom' AS what, 'no frame arrived after XOFF was sent' AS why WHERE"
                  " " TOTAL("pfc.pause_frames") ">0 AND " TOTAL("buffer.headroom_peak_bytes") "=0"},
    {WITH_PAUSES,
     "SELECT 'ECN marking ('||path||' '||value||')' AS what, 'no queue was that long' AS why FROM"
     " setting"
     " WHERE path LIKE '%switch.ecn-kmin' AND " TOTAL("ecn.marked") "=0"},
    {WITH_RDMA, "SELECT path||' '||value AS what, 'no sender received a CNP' AS why FROM setting"
                " WHERE path LIKE '%rnic.congestion-control' AND value IN(SELECT name FROM by_cnp)"
                " AND " NONE_COUNTED("'rp_cnp_handled'")},
    {WITH_PAUSES,
     "SELECT path||' '||value AS what, 'no queue was paused that long' AS why FROM setting"
     " WHERE path LIKE '%switch.watchdog' AND value<>'off' AND " TOTAL("pfc.watchdog_storms") "=0"},
    {WITH_PAUSES,
     "SELECT path||' '||value AS what, 'no RNIC paused its switch that long' AS why FROM setting"
     " WHERE path LIKE '%rnic.pfc-watchdog' AND value<>'0s' AND " TOTAL("rnic.pause_storms") "=0"},
    {WITH_RNICS,
     "SELECT path||' '||value AS what, 'no packet was retransmitted' AS why FROM setting"
     " WHERE path LIKE '%rnic.loss-recovery' AND " TOTAL("rnic.retransmitted_packets") "=0"},
    {WITH_RNICS,
     "SELECT path||' '||value||CASE WHEN value>0 THEN printf(' (%.3g ms)', 4.096e-3*(1<<value)) "
     "ELSE"
     " '' END AS what, 'no sender timed out while it waited for an acknowledgment' AS why FROM "
     "setting"
     " WHERE path LIKE '%rnic.timeout' AND " TOTAL("rnic.timeouts") "=0"},
    {WITH_RNICS,
     "SELECT path||' '||value AS what, 'every message found a posted receive' AS why FROM setting"
     " WHERE path LIKE '%rnic.rnr-retry' AND " TOTAL("rnic.rnr_naks") "=0"},
    {ALWAYS,
     "SELECT path||' '||value AS what, 'no '||replace(replace(substr(path, "
     "instr(path,'.media.')+7),'-latency',''),'flush','Flush')||' command was served' AS why FROM "
     "setting s"
     " WHERE (path LIKE '%.media.read-latency' OR path LIKE '%.media.write-latency'"
     "  OR path LIKE '%.media.flush-latency') AND NOT EXISTS(SELECT 1 FROM stage"
     "  WHERE s.path LIKE '%.media.'||operation||'-latency')"},
    {ALWAYS, "SELECT 'reconnecting to a controller' AS what,"
             " 'no workload lost an established controller' AS why"
             " WHERE EXISTS(SELECT 1 FROM workload WHERE kind='nvme')"
             " AND NOT EXISTS(SELECT 1 FROM recovery)"},
    {ALWAYS,
     "SELECT count(*)||' of '||(SELECT count(*) FROM link)||' links, such as '||a.name||' to "
     "'||b.name"
     " AS what, 'no frame crossed them' AS why FROM link l JOIN node a ON a.node=l.a_node"
     " JOIN node b ON b.node=l.b_node WHERE NOT EXISTS(SELECT 1 FROM counter c "
     "WHERE"
     " c.name='tx_packets_phy' AND c.node=l.a_node AND c.port=l.a_port) AND NOT EXISTS(SELECT 1 "
     "FROM"
     " counter c WHERE c.name='tx_packets_phy' AND c.node=l.b_node AND c.port=l.b_port)"
     " HAVING min(l.name)<>''"}, /* the names are of the row with the least one */
    {WITH_RDMA,
     "SELECT 'RNIC message rate and PCIe limits' AS what, 'not set in this scenario, so never "
     "the bottleneck' AS "
     "why WHERE NOT"
     " EXISTS(SELECT 1 FROM setting WHERE path LIKE 'hosts.%.rnic.%' AND (path LIKE"
     " '%.message-cost' OR path LIKE '%.qp-message-cost' OR path LIKE '%.read-cost' OR path LIKE"
     " '%-packet-cost' OR path LIKE '%.pcie-generation') AND value NOT IN('off', '0s', '0ns'))"},
};

static void add_rows(struct account *account, uint32_t *room, struct store_statement *rows)
{
    while (store_step(rows)) {
        account->unused =
            memory_grown(account->unused, account->unused_count, room, sizeof *account->unused);
        struct account_unused *unused = &account->unused[account->unused_count++];
        snprintf(unused->what, sizeof unused->what, "%s", store_text(rows, "what"));
        snprintf(unused->why, sizeof unused->why, "%s", store_text(rows, "why"));
    }
    store_finish(rows);
}

/* ---- parameters of transports that no workload uses ---- */

enum { TRANSPORTS = OPT_NEED_RDMA | OPT_NEED_TCP | OPT_NEED_ISCSI | OPT_NEED_IWARP | OPT_NEED_TLS };

/* The transports of the stored scenario's workloads; all if it cannot be loaded, or has none. */
static uint32_t used_transports(const struct scenario *scenario)
{
    uint32_t used = 0;
    for (uint32_t i = 0; scenario != NULL && i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        used |= workload->by_tcp ? OPT_NEED_TCP : OPT_NEED_RDMA;
        used |= effect_uses_iscsi(workload) ? OPT_NEED_ISCSI : 0;
        used |= effect_uses_iwarp(workload) ? OPT_NEED_IWARP : 0;
        for (uint32_t p = 0; p < workload->pair_count; p++)
            used |= effect_uses_tls(scenario, workload, &workload->pairs[p]) ? OPT_NEED_TLS : 0;
    }
    return used == 0 ? TRANSPORTS : used;
}

static void put_idle(FILE *out, const char *section, const struct block *block, uint32_t used)
{
    for (size_t i = 0; block != NULL && i < block->row_count; i++)
        if ((block->rows[i].effect.needs & TRANSPORTS & ~used) != 0)
            fprintf(out, ",('%%.%s.%s')", section, block->rows[i].name);
}

/* The table setting without these parameters, by the needs of their rows. All hosts have the same
 * rows. */
static void put_settings(FILE *out, const struct scenario *scenario, uint32_t used)
{
    fputs("), idle(pattern) AS (VALUES(NULL)", out);
    for (uint32_t i = 0; used != TRANSPORTS && i < scenario->node_count; i++) {
        const struct scenario_host *host = scenario->nodes[i].host;
        if (scenario->nodes[i].kind != SCENARIO_HOST)
            continue;
        put_idle(out, "rnic", host->rnic_values, used);
        put_idle(out, "nvme", host->nvme_host_values, used);
        put_idle(out, "target", host->nvme_target_values, used);
        put_idle(out, "tcp", host->tcp_values, used);
        break;
    }
    fputs("), setting AS (SELECT * FROM main.setting s WHERE NOT EXISTS(SELECT 1 FROM idle"
          " WHERE s.path LIKE idle.pattern) AND s.path NOT LIKE 'fabric.infiniband.%'"
          " AND s.path NOT LIKE 'fabric.fibre-channel.%') ",
          out);
}

/* Tables that the queries read: `k` kinds of faults; `by_cnp` presets of congestion control that
 * react to CNPs; `setting` without parameters of transports that are not used. The caller frees
 * the text. */
static char *common_tables(const struct scenario *scenario, uint32_t used)
{
    char *text = NULL;
    size_t length;
    FILE *out = memory_stream(&text, &length);
    fputs("WITH k(kind, pauses, total) AS (VALUES", out);
    for (int i = 0; fault_kinds[i] != NULL; i++)
        fprintf(out, "%s('%s',%d,nullif('%s',''))", i > 0 ? "," : "", fault_kinds[i]->name,
                fault_kinds[i]->host_pauses,
                fault_kinds[i]->counted_as == NULL ? "" : fault_kinds[i]->counted_as);
    fputs("), by_cnp(name) AS (VALUES", out);
    const char *between = "";
    for (const struct cc_preset *preset = cc_list; preset->name != NULL; preset++)
        if (preset->ops->on_cnp != NULL) {
            fprintf(out, "%s('%s')", between, preset->name);
            between = ",";
        }
    put_settings(out, scenario, used);
    memory_stream_end(out);
    return text;
}

static void add_answers(struct account *account, uint32_t *room, struct store *store,
                        const char *tables, const char *query)
{
    const size_t size = strlen(tables) + strlen(query) + 1;
    char *text = memory_new(size);
    snprintf(text, size, "%s%s", tables, query);
    add_rows(account, room, store_prepare(store, text));
    free(text);
}

void account_unused(struct account *account, struct store *store)
{
    const bool credits = flow_words(store)->credits;
    const bool rnics = store_ask_int(store,
                                     "SELECT count(*) FROM node WHERE kind='host' AND"
                                     " link_layer<>'fibre-channel'",
                                     0) > 0;
    struct diag diag = {0};
    struct stored stored;
    const bool loaded = stored_load(&stored, store, &diag);
    const uint32_t used = used_transports(loaded ? stored.scenario : NULL);
    const bool has[] = {[ALWAYS] = true,
                        [WITH_PAUSES] = !credits,
                        [WITH_RNICS] = rnics,
                        [WITH_RDMA] = rnics && (used & OPT_NEED_RDMA) != 0};
    char *tables = common_tables(stored.scenario, used);
    stored_free(&stored);
    uint32_t room = 0;
    add_rows(account, &room, store_prepare(store, workloads_query));
    add_answers(account, &room, store, tables, faults_query);
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
        if (has[queries[i].with])
            add_answers(account, &room, store, tables, queries[i].text);
    free(tables);
}
