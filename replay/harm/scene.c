/* SPDX-License-Identifier: Apache-2.0
 * scene - collects members and the paths of their queue pairs. */
#include "replay/harm/scene.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "replay/explain/paths.h"

#include <stdlib.h>

enum { HOPS_MAX = 64 };

uint32_t scene_port_of(const struct harm_scene *scene, uint32_t node, uint16_t port)
{
    return scene->fabric->first_port[node] + port;
}

struct port *scene_port(const struct harm_scene *scene, uint32_t port)
{
    const uint32_t node = scene->fabric->node_of[port];
    return world_port(scene->world, node, (uint16_t)(port - scene->fabric->first_port[node]));
}

/* ------------------------------------------------------------------ paths */

static uint64_t key_of(uint32_t from, uint32_t to)
{
    return (uint64_t)from << 32 | to;
}

static int by_key(const void *a, const void *b)
{
    const struct harm_path *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static uint32_t find_path(const struct harm_scene *scene, uint64_t key)
{
    uint32_t low = 0, high = scene->path_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (scene->paths[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < scene->path_count && scene->paths[low].key == key ? low : HARM_NONE;
}

static void make_paths(struct harm_scene *scene)
{
    const uint32_t ports = scene->fabric->first_port[scene->fabric->node_count];
    scene->paths = memory_zeroed(2 * (size_t)scene->member_count + 1, sizeof *scene->paths);
    for (uint32_t i = 0; i < scene->member_count; i++) {
        const struct harm_member *member = &scene->members[i];
        scene->paths[2 * i].key = key_of(member->from, member->to);
        scene->paths[2 * i + 1].key = key_of(member->to, member->from);
    }
    qsort(scene->paths, 2 * (size_t)scene->member_count, sizeof *scene->paths, by_key);
    uint32_t count = 0;
    for (uint32_t i = 0; i < 2 * scene->member_count; i++)
        if (count == 0 || scene->paths[count - 1].key != scene->paths[i].key)
            scene->paths[count++] = scene->paths[i];
    scene->path_count = count;
    scene->port_bytes = (ports / 64 + 1) * 8;
}

static void mark(void *self, uint32_t port)
{
    struct harm_path *path = self;
    path->ports = memory_grown(path->ports, path->count, &path->room, sizeof *path->ports);
    path->ports[path->count++] = port;
}

/* Follows a queue pair's requests and the responses from its side. */
static void follow_queue_pair(struct harm_scene *scene, const struct rnic *rnic,
                              const struct qp *qp)
{
    const struct explain_fabric *fabric = scene->fabric;
    const struct frame frame = {.source = rnic->endpoint,
                                .destination = qp->flow.destination,
                                .entropy = qp->flow.entropy,
                                .qpn = qp->flow.qpn};
    const uint32_t from = rnic->port.node->id;
    const uint32_t to = scene->world->rnics[qp->flow.destination]->port.node->id;
    const uint32_t found = find_path(scene, key_of(from, to));
    if (found == HARM_NONE)
        return;
    struct harm_path *path = &scene->paths[found];
    path->seen = true;
    uint32_t port = scene_port_of(scene, from, rnic->port.index);
    for (int hops = 0; hops < HOPS_MAX; hops++) {
        mark(path, port);
        const uint32_t node = fabric->node_of[fabric->peer[port]];
        if (fabric->is_host[node])
            return;
        const uint16_t egress = switch_egress(world_switch(scene->world, node), &frame);
        if (egress == UINT16_MAX)
            return;
        port = scene_port_of(scene, node, egress);
    }
}

static void follow_all(struct harm_scene *scene)
{
    for (uint32_t node = 0; node < scene->scenario->host_count; node++) {
        const struct scenario_node *about = &scene->scenario->nodes[node];
        for (uint16_t i = 0; i < about->port_count; i++) {
            const struct rnic *rnic = world_host(scene->world, node)->rnics[i];
            for (uint32_t slot = 0; slot < rnic->qps.used; slot++)
                if (rnic->qp_slots[slot].qpn != 0 && rnic->qp_slots[slot].flow.qpn != 0)
                    follow_queue_pair(scene, rnic, &rnic->qp_slots[slot]);
        }
    }
}

static void add_unseen(struct harm_scene *scene)
{
    struct paths paths;
    paths_init(&paths, scene->scenario, scene->routes, scene->fabric);
    for (uint32_t i = 0; i < scene->path_count; i++) {
        struct harm_path *path = &scene->paths[i];
        if (!path->seen)
            paths_visit(&paths, (uint32_t)(path->key >> 32), (uint32_t)path->key, mark, path);
    }
    paths_fini(&paths);
}

static int by_port(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts each path's ports and removes duplicates. */
static void sort_paths(struct harm_scene *scene)
{
    for (uint32_t i = 0; i < scene->path_count; i++) {
        struct harm_path *path = &scene->paths[i];
        uint32_t count = 0;
        if (path->count > 0)
            qsort(path->ports, path->count, sizeof *path->ports, by_port);
        for (uint32_t k = 0; k < path->count; k++)
            if (count == 0 || path->ports[count - 1] != path->ports[k])
                path->ports[count++] = path->ports[k];
        path->count = count;
    }
}

/* Index of the path's first port that is not below `port`. */
static uint32_t place_in(const struct harm_path *path, uint32_t port)
{
    uint32_t low = 0, high = path->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (path->ports[middle] < port)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether a port in [first, end) is on the path. */
static bool goes_by_any(const struct harm_path *path, uint32_t first, uint32_t end)
{
    const uint32_t place = place_in(path, first);
    return place < path->count && path->ports[place] < end;
}

static bool goes_by(const struct harm_path *path, uint32_t port)
{
    return goes_by_any(path, port, port + 1);
}

const struct harm_path *scene_path(const struct harm_scene *scene, const struct harm_member *member,
                                   int way)
{
    return &scene->paths[way == 0 ? member->there : member->back];
}

bool scene_crosses(const struct harm_scene *scene, const struct harm_member *member, uint32_t port)
{
    return goes_by(&scene->paths[member->there], port) ||
           goes_by(&scene->paths[member->back], port);
}

bool scene_has_priority(const struct harm_scene *scene, const struct harm_member *member,
                        const struct explain_root *root)
{
    return (member->priorities >> root->priority & 1) != 0 ||
           scene_port(scene, root->port)->params.flow_control == PORT_FLOW_GLOBAL;
}

bool scene_passes(const struct harm_scene *scene, const struct harm_member *member, uint32_t node)
{
    const uint32_t *first = &scene->fabric->first_port[node];
    return goes_by_any(&scene->paths[member->there], first[0], first[1]) ||
           goes_by_any(&scene->paths[member->back], first[0], first[1]);
}

bool scene_touches(const struct harm_scene *scene, const struct harm_member *member,
                   const struct deviation *deviation)
{
    for (size_t i = 0; i < deviation->change_count; i++) {
        const struct deviation_change *change = &deviation->changes[i];
        const struct scenario_spot *spot = &change->spot;
        if (change->of == DEVIATION_CLASS    ? member->workload == change->index
            : spot->node == SCENARIO_NOWHERE ? false
            : spot->port == SCENARIO_ALL_PORTS
                ? scene_passes(scene, member, spot->node)
                : scene_crosses(scene, member, scene_port_of(scene, spot->node, spot->port)))
            return true;
    }
    return false;
}

struct member_list scene_members_at(const struct harm_scene *scene, uint32_t host)
{
    return member_index_list(&scene->at_node, host);
}

bool scene_is_used(const struct harm_scene *scene, uint32_t host)
{
    return scene_members_at(scene, host).count > 0;
}

bool scene_is_root(const struct harm_scene *scene, uint32_t port)
{
    return (scene->roots[port / 8] >> port % 8 & 1) != 0;
}

uint64_t scene_counter(const struct harm_scene *scene, uint32_t host, size_t offset)
{
    uint64_t sum = 0;
    for (uint16_t i = 0; i < scene->scenario->nodes[host].port_count; i++) {
        const struct rnic *rnic = world_host(scene->world, host)->rnics[i];
        sum += *(const uint64_t *)(const void *)((const char *)&rnic->counters + offset);
    }
    return sum;
}

/* ------------------------------------------------------------------ members */

/* The set of priorities that any node maps the DSCP to; hosts and switches may have different
 * maps. */
static uint8_t priorities_of_dscp(struct harm_scene *scene, uint8_t dscp)
{
    unsigned priorities = scene->priorities_of_dscp[dscp];
    for (uint32_t i = 0; scene->priorities_of_dscp[dscp] == 0 && i < scene->scenario->node_count;
         i++)
        priorities |= 1u << scene->scenario->nodes[i].priority_of_dscp[dscp];
    return scene->priorities_of_dscp[dscp] = (uint8_t)priorities;
}

static uint8_t priorities_of(struct harm_scene *scene, const struct scenario_workload *about,
                             const struct scenario_pair *pair)
{
    const unsigned own = about->class.priority_set ? 1u << about->class.priority : 0;
    return (uint8_t)(own | priorities_of_dscp(scene, scenario_dscp(scene->scenario, about, pair)) |
                     priorities_of_dscp(scene, scenario_dscp_back(scene->scenario, about, pair)));
}

static void add_member(struct harm_scene *scene, uint32_t workload, uint32_t number)
{
    const struct scenario_workload *about = &scene->scenario->workloads[workload];
    const struct scenario_pair *pair = &about->pairs[number / about->copies];
    const struct workload_member *did = world_member(scene->world, workload, number);
    const time_ps stop = about->stop < scene->window_end ? about->stop : scene->window_end;
    scene->members = memory_grown(scene->members, scene->member_count, &scene->member_room,
                                  sizeof *scene->members);
    struct harm_member *member = &scene->members[scene->member_count++];
    *member = (struct harm_member){.workload = workload,
                                   .number = number,
                                   .from = pair->from,
                                   .to = pair->to,
                                   .priorities = priorities_of(scene, about, pair),
                                   .span = stop > about->start ? stop - about->start : 0};
    if (did == NULL || member->span == 0)
        return;
    member->connected = did->connected;
    member->issued = did->issued;
    member->completed = did->completed;
    member->failed = did->failed;
    member->bytes = did->bytes;
    const uint64_t out = did->issued - did->completed - did->failed;
    const time_ps last = did->completed > 0 ? did->last_completion : about->start;
    member->work =
        (struct loss_work){.done = (int64_t)did->completed,
                           .under_way_ps = did->latency_sum + (time_ps)out * (scene->now - last),
                           .failed = (int64_t)did->failed,
                           .unfinished = (int64_t)out,
                           .inactive = did->completed == 0};
    /* after a controller is lost, its I/Os fail eventually: none is outstanding, but none completes
     * either */
    if ((out > 0 || did->given_up) && last < stop)
        member->part[HARM_PART_STOOD] = share_ppm(stop - last, member->span);
    if (!did->connected)
        member->part[HARM_PART_STOOD] = PPM;
    member->part[HARM_PART_FAILED] = share_ppm((int64_t)did->failed, (int64_t)did->issued);
}

static void add_members(struct harm_scene *scene)
{
    for (uint32_t w = 0; w < scene->scenario->workload_count; w++) {
        const struct scenario_workload *about = &scene->scenario->workloads[w];
        const uint64_t all = (uint64_t)about->pair_count * about->copies;
        for (uint32_t i = 0; i < all && i < PATHS_PAIRS_MAX; i++)
            add_member(scene, w, i);
    }
}

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Of the members of one workload: three quarters do no more, and three quarters are no faster.
 * Those that do most may be slow, as with more queues, and those that are fast may do little. */
static struct loss_work good_work(const struct harm_member *members, uint32_t count)
{
    int64_t *done = memory_zeroed(count, sizeof *done),
            *means = memory_zeroed(count, sizeof *means);
    uint32_t served = 0;
    for (uint32_t i = 0; i < count; i++) {
        done[i] = members[i].work.done;
        if (done[i] > 0)
            means[served++] = members[i].work.under_way_ps / done[i];
    }
    qsort(done, count, sizeof *done, by_size);
    qsort(means, served, sizeof *means, by_size);
    const int64_t most = done[count * 3 / 4], fast = served == 0 ? 0 : means[served / 4];
    free(means);
    const struct loss_work good = {.done = most, .under_way_ps = most * fast};
    free(done);
    return good;
}

static void compare_members(struct harm_scene *scene, uint32_t first, uint32_t count)
{
    struct harm_member *members = &scene->members[first];
    const struct loss_work good = good_work(members, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct loss loss = loss_between(&members[i].work, &good);
        members[i].part[HARM_PART_BEHIND] = loss_share(&loss);
    }
}

static const struct harm_use *uses_of(const struct harm_scene *scene,
                                      const struct harm_member *member)
{
    return scene->uses_by == NULL ? scene->uses : scene->uses_by[member->workload];
}

static void use_queue_pairs(struct harm_scene *scene, struct harm_member *member)
{
    const uint32_t ends[] = {member->from, member->to};
    for (int i = 0; i < 2; i++) {
        const struct harm_use *use = &uses_of(scene, member)[scene->fabric->first_port[ends[i]]];
        const int64_t parts[][2] = {{HARM_PART_LOSS, use->lost},
                                    {HARM_PART_HELD, use->held},
                                    {HARM_PART_REFUSED, use->refused},
                                    {HARM_PART_READS, use->reads}};
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
            if (parts[k][1] > member->part[parts[k][0]])
                member->part[parts[k][0]] = parts[k][1];
    }
}

/* Throttling costs at most the spare capacity of the busiest link on the paths. */
static void use_ports(struct harm_scene *scene, struct harm_member *member)
{
    int64_t busiest = 0, *paused = &member->part[HARM_PART_PAUSE];
    for (int way = 0; way < 2; way++) {
        const struct harm_path *path = scene_path(scene, member, way);
        for (uint32_t i = 0; i < path->count; i++) {
            const struct harm_use *use = &uses_of(scene, member)[path->ports[i]];
            *paused = use->blocked > *paused ? use->blocked : *paused;
            busiest = use->busy > busiest ? use->busy : busiest;
        }
    }
    int64_t *held = &member->part[HARM_PART_HELD];
    *held = (int64_t)((__int128)*held * (PPM - busiest) / PPM);
}

/* ------------------------------------------------------------------ members by place */

static uint32_t keys_of_ports(const void *self, uint32_t i, uint32_t **keys, uint32_t *room)
{
    const struct harm_scene *scene = self;
    const struct harm_member *member = &scene->members[i];
    uint32_t count = 0;
    for (int way = 0; way < 2; way++) {
        const struct harm_path *path = scene_path(scene, member, way);
        for (uint32_t k = 0; k < path->count; k++) {
            if (way > 0 && goes_by(scene_path(scene, member, 0), path->ports[k]))
                continue;
            *keys = memory_grown(*keys, count, room, sizeof **keys);
            (*keys)[count++] = path->ports[k];
        }
    }
    return count;
}

static uint32_t keys_of_nodes(const void *self, uint32_t i, uint32_t **keys, uint32_t *room)
{
    const struct harm_member *member = &((const struct harm_scene *)self)->members[i];
    while (*room < 2)
        *keys = memory_grown(*keys, *room, room, sizeof **keys);
    (*keys)[0] = member->from;
    (*keys)[1] = member->to;
    return member->from == member->to ? 1 : 2;
}

static void make_indexes(struct harm_scene *scene)
{
    const uint32_t ports = scene->fabric->first_port[scene->fabric->node_count];
    member_index_make(&scene->at_port, scene->member_count, ports, keys_of_ports, scene);
    member_index_make(&scene->at_node, scene->member_count, scene->fabric->node_count,
                      keys_of_nodes, scene);
    scene->roots = memory_zeroed(scene->port_bytes, 1);
    for (uint32_t i = 0; i < scene->explain->root_count; i++) {
        const uint32_t port = scene->explain->roots[i].port;
        scene->roots[port / 8] |= (uint8_t)(1u << port % 8);
    }
}

void scene_init(struct harm_scene *scene)
{
    deviations_find(&scene->deviations, scene->scenario);
    add_members(scene);
    make_paths(scene);
    follow_all(scene);
    add_unseen(scene);
    sort_paths(scene);
    for (uint32_t i = 0; i < scene->member_count; i++) {
        struct harm_member *member = &scene->members[i];
        member->there = find_path(scene, key_of(member->from, member->to));
        member->back = find_path(scene, key_of(member->to, member->from));
        use_queue_pairs(scene, member);
        use_ports(scene, member);
    }
    make_indexes(scene);
    for (uint32_t first = 0, i = 1; i <= scene->member_count; i++) {
        if (i < scene->member_count && scene->members[i].workload == scene->members[first].workload)
            continue;
        compare_members(scene, first, i - first);
        first = i;
    }
}

void scene_fini(struct harm_scene *scene)
{
    for (uint32_t i = 0; i < scene->path_count; i++)
        free(scene->paths[i].ports);
    free(scene->paths);
    free(scene->members);
    member_index_free(&scene->at_port);
    member_index_free(&scene->at_node);
    free(scene->roots);
    deviations_free(&scene->deviations);
}
