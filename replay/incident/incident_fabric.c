/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/incident/incident_fabric.h"

#include "replay/database/record_schema.h"
#include "replay/incident/triage_private.h"
#include "scenarios/data/scenario.h"

#include <string.h>

enum { SUSPECTS_MARKED = 3 };

static int64_t dropped(const struct triage_work *work, int port)
{
    return triage_sum(work, port, "rx_prio%d_buffer_dropped").value +
           triage_sum(work, port, "tx_prio%d_queue_dropped").value +
           triage_get(work, port, "rx_discards_phy", TRIAGE_ALL).value +
           triage_get(work, port, "rx_crc_errors_phy", TRIAGE_ALL).value;
}

static void add_counts(struct incident_fabric *fabric, const struct triage_work *work,
                       enum incident_layer layer)
{
    const struct scenario *scenario = work->incident->scenario;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        for (uint32_t p = 0; p < scenario->nodes[i].port_count; p++) {
            const int port = work->nodes[i].ports[p];
            const int64_t count = layer == INCIDENT_PAUSES
                                      ? triage_pauses(work, port, false, TRIAGE_ALL).value
                                      : dropped(work, port);
            if (count <= 0)
                continue;
            fabric->most = count > fabric->most ? count : fabric->most;
            RECORD_ROW(fabric->store, counter, .node = STORE_I(i), .port = STORE_I(p),
                       .priority = STORE_I(0), .name = STORE_T("tx_prio0_blocked_ps"),
                       .value = STORE_I(count), .unit = STORE_T("count"));
        }
}

static int port_number(const struct triage_work *work, int node, const char *name)
{
    const struct triage_node *at = &work->nodes[node];
    for (size_t i = 0; name != NULL && i < at->port_count; i++)
        if (strcmp(work->ports[at->ports[i]].name, name) == 0)
            return (int)i;
    return TRIAGE_NO_PORT;
}

/* The first suspects, if the verdict names one. */
static void add_suspects(struct incident_fabric *fabric, const struct triage *triage,
                         const struct triage_work *work)
{
    int64_t marked = 0;
    for (size_t i = 0; i < triage->suspect_count && marked < SUSPECTS_MARKED; i++) {
        const struct triage_suspect *suspect = &triage->suspects[i];
        const int node = triage_find_node(work, suspect->device);
        if (node < 0 || (uint32_t)node >= work->incident->scenario->node_count ||
            !triage_is_fault(suspect))
            continue;
        const int port = port_number(work, node, suspect->port);
        RECORD_ROW(fabric->store, pause_root, .position = STORE_I(marked), .node = STORE_I(node),
                   .port = port < 0 ? STORE_N : STORE_I(port), .priority = STORE_I(0),
                   .kind = STORE_T(suspects_about[suspect->kind].name), .held_ps = STORE_I(0),
                   .direct_ps = STORE_I(0), .text = STORE_T(suspects_about[suspect->kind].about));
        marked++;
    }
    RECORD_ROW(fabric->store, result, .position = STORE_I(0), .path = STORE_T("root_causes"),
               .value = STORE_I(marked), .type = STORE_T("integer"));
}

static void write_rows(void *self, struct store *store)
{
    const struct incident_fabric *fabric = self;
    record_fabric_write(&fabric->rows, store);
}

static void make_layer(struct incident_fabric *fabric, const struct triage *triage,
                       const struct triage_work *work, enum incident_layer layer)
{
    char error[STORE_ERROR_BYTES];
    record_fabric_init(&fabric->rows, work->incident->scenario);
    const struct store_beginning beginning = {
        .kind = STORE_RUN, .image = &record_image, .fill = write_rows, .self = fabric};
    fabric->store = store_create(NULL, &beginning, error);
    if (fabric->store == NULL)
        return;
    add_counts(fabric, work, layer);
    add_suspects(fabric, triage, work);
    store_commit(fabric->store);
}

void incident_fabric_make(struct incident_fabric fabrics[INCIDENT_LAYERS],
                          const struct triage *triage, const struct incident *incident)
{
    /* The counts by port are not kept in a triage: they are mapped once more. */
    struct triage mapped = {.single = triage->single};
    struct triage_work work = {.triage = &mapped, .incident = incident, .arena = &mapped.arena};
    if (incident->scenario != NULL)
        triage_map(&work);
    for (enum incident_layer layer = 0; layer < INCIDENT_LAYERS; layer++) {
        fabrics[layer] = (struct incident_fabric){0};
        if (incident->scenario != NULL)
            make_layer(&fabrics[layer], triage, &work, layer);
    }
    triage_free(&mapped);
}

void incident_fabric_free(struct incident_fabric fabrics[INCIDENT_LAYERS])
{
    for (enum incident_layer layer = 0; layer < INCIDENT_LAYERS; layer++) {
        if (fabrics[layer].store != NULL)
            store_close(fabrics[layer].store);
        record_fabric_free(&fabrics[layer].rows);
    }
}
