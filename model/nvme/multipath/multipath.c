/* SPDX-License-Identifier: Apache-2.0
 * multipath - path life cycle: states, discovery, end.
 * Changes of a controller take effect at once; the owner is notified by a timer without delay,
 * never within a path's callback. */
#include "nvme/multipath/multipath_private.h"

#include "base/memory.h"
#include "base/note_text.h"
#include "base/plural.h"
#include "base/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAM(field) offsetof(struct nvme_multipath_params, field)

const struct opt nvme_multipath_opts[] = {
    {"io-policy", OPT_CHOICE, PARAM(policy), "numa", NULL, NULL, OPT_WORDS(NVME_IO_POLICIES),
     "How the host selects one of several paths for an I/O. numa: the nearest path; round-robin: "
     "each path in turn; queue-depth: the path with the fewest outstanding I/Os. Optimized paths "
     "come first.",
     "Linux 6.1 nvme_core: iopolicy numa; queue-depth: Linux 6.11", OPT_ACTS(PATHS, ANY, TRACE)},
    {"numa-nodes", OPT_INT, PARAM(numa_nodes), "1", "1", "8", NULL,
     "Number of NUMA nodes of the host. Consecutive queues belong to the same node, and "
     "consecutive NICs to different nodes.",
     "assumed: one socket", OPT_ACTS(PATHS, ANY, TRACE)},
    {"quiesce-delay", OPT_TIME, PARAM(quiesce), "0s", "0s", "3600s", NULL,
     "When a path is lost, the time for which the host waits before it resends the path's "
     "outstanding writes on another path, so that the target has aborted them by then.",
     "Linux 6.1: none; NVMe base 2.1, 9.6: 2 or 3 times KATO and CQT",
     OPT_ACTS(RECOVERY, MORE, TRACE)},
    {"discovery", OPT_BOOL, PARAM(discovery), "false", NULL, NULL, NULL,
     "true: the host connects a path when the discovery log of the target's port lists the "
     "subsystem; false: it connects without discovery. It has no effect without workloads.paths.",
     "NVMe over Fabrics 1.1, 5; nvme-stas", OPT_ACTS(CONNECTING, ANY, TRACE)},
    {0},
};

/* ---- states ---- */

bool nvme_path_is_usable(const struct path *path)
{
    return (path->state == PATH_OPTIMIZED || path->state == PATH_NON_OPTIMIZED) &&
           nvme_host_live(path->host);
}

uint32_t nvme_multipath_usable(const struct nvme_multipath *multipath)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < multipath->path_count; i++)
        count += nvme_path_is_usable(&multipath->paths[i]);
    return count;
}

/* Updates the time with fewer paths than at the beginning. */
static void count_usable(struct nvme_multipath *multipath)
{
    const time_ps now = env_now(multipath->site.env);
    const uint32_t count = nvme_multipath_usable(multipath);
    if (!multipath->ready || multipath->stopping)
        return;
    if (count > multipath->most)
        multipath->most = count;
    if (count < multipath->most)
        state_time_begin(&multipath->degraded, now);
    else
        state_time_end(&multipath->degraded, now);
}

static void move(struct path *path, enum nvme_path_event event)
{
    const struct nvme_multipath *multipath = path->multipath;
    const struct nvme_fsm_place place = {.env = multipath->site.env,
                                         .peer_ip = path->site.target_ip,
                                         .qid = -1,
                                         .number = &path->number};
    path->state = nvme_fsm_move(&nvme_fsm_path, &place, path->state, (uint8_t)event);
}

static enum nvme_path_event said(const struct path *path)
{
    switch (nvme_host_ana(path->host, path->multipath->nsid)) {
    case NVME_ANA_NON_OPTIMIZED:
        return PATH_ON_SAYS_NON_OPTIMIZED;
    case NVME_ANA_INACCESSIBLE:
        return PATH_ON_SAYS_INACCESSIBLE;
    case NVME_ANA_PERSISTENT_LOSS:
        return PATH_ON_SAYS_PERSISTENT_LOSS;
    case NVME_ANA_CHANGE:
        return PATH_ON_SAYS_CHANGE;
    default:
        return PATH_ON_SAYS_OPTIMIZED;
    }
}

static uint8_t state_after(enum nvme_path_event event)
{
    static const uint8_t states[] = {
        [PATH_ON_SAYS_OPTIMIZED] = PATH_OPTIMIZED,
        [PATH_ON_SAYS_NON_OPTIMIZED] = PATH_NON_OPTIMIZED,
        [PATH_ON_SAYS_INACCESSIBLE] = PATH_INACCESSIBLE,
        [PATH_ON_SAYS_PERSISTENT_LOSS] = PATH_PERSISTENT_LOSS,
        [PATH_ON_SAYS_CHANGE] = PATH_CHANGE,
        [PATH_ON_REFUSED] = PATH_PENDING,
        [PATH_ON_LOSS] = PATH_LOST,
        [PATH_ON_EXPIRE] = PATH_EXPIRED,
        [PATH_ON_GIVE_UP] = PATH_GONE,
    };
    return states[event];
}

/* The event that corresponds to the controller's present state. */
static enum nvme_path_event controller_event(const struct path *path)
{
    if (nvme_host_live(path->host))
        return path->pending ? PATH_ON_REFUSED : said(path);
    if (nvme_host_lost(path->host))
        return nvme_host_gone(path->host) ? PATH_ON_GIVE_UP : PATH_ON_EXPIRE;
    return PATH_ON_LOSS;
}

/* Some state changes take two transitions of the machine. */
static void follow_event(struct path *path, enum nvme_path_event event)
{
    if (event == PATH_ON_EXPIRE && path->state != PATH_LOST && path->state != PATH_EXPIRED)
        move(path, PATH_ON_LOSS);
    if (state_after(event) != path->state)
        move(path, event);
}

/* A controller that is being set up for the first time has no state yet. */
static bool has_state(const struct path *path)
{
    return path->host != NULL && path->state != PATH_GONE &&
           (path->state != PATH_CONNECTING || nvme_host_live(path->host) ||
            nvme_host_gone(path->host));
}

void nvme_path_update(struct path *path)
{
    struct nvme_multipath *multipath = path->multipath;
    if (!has_state(path) || multipath->nsid == 0)
        return;
    const bool was = nvme_path_is_usable(path);
    const uint8_t before = path->state;
    follow_event(path, controller_event(path));
    if (path->state == before)
        return;
    const bool is_usable = nvme_path_is_usable(path);
    if (!is_usable)
        nvme_multipath_clear(path);
    if (path->state == PATH_LOST && multipath->outstanding > 0)
        state_time_begin(&multipath->recovering, env_now(multipath->site.env));
    count_usable(multipath);
    if (!nvme_host_live(path->host))
        nvme_multipath_io_move(path);
    if (is_usable)
        nvme_multipath_set_live(path);
    else if (was || path->state == PATH_EXPIRED || path->state == PATH_GONE)
        nvme_multipath_io_kick(multipath); /* waiting I/O may have to fail */
}

/* ---- notification of the owner ---- */

static void report_ready(struct nvme_multipath *multipath)
{
    const struct nvme_host_user *user = &multipath->site.user;
    uint16_t status = NVME_STATUS_TRANSPORT;
    for (uint32_t i = 0; i < multipath->path_count; i++) {
        const struct path *path = &multipath->paths[i];
        if (!path->settled)
            return;
        if (path->host != NULL && nvme_host_live(path->host))
            status = NVME_STATUS_OK;
    }
    multipath->ready = true;
    user->on_ready(user->self, status);
}

static void on_settle(void *self, time_ps now)
{
    struct nvme_multipath *multipath = self;
    (void)now;
    if (!multipath->ready) {
        report_ready(multipath);
        return;
    }
    if (multipath->site.user.on_change != NULL)
        multipath->site.user.on_change(multipath->site.user.self);
}

static void settle(struct nvme_multipath *multipath)
{
    env_timer_set(multipath->site.env, &multipath->settler, env_now(multipath->site.env));
}

/* ---- callbacks of a path's controller ---- */

static void on_path_ready(void *self, uint16_t status)
{
    struct path *path = self;
    (void)status;
    path->settled = true;
    nvme_path_update(path);
    settle(path->multipath);
}

static void on_path_change(void *self)
{
    struct path *path = self;
    path->pending = path->pending && nvme_host_live(path->host);
    nvme_path_update(path);
    settle(path->multipath);
}

/* The ANA log has been read. */
static void on_path_event(void *self)
{
    struct path *path = self;
    path->pending = false;
    nvme_path_update(path);
}

static void on_path_admin(void *self, struct nvme_admin *admin)
{
    const struct path *path = self;
    const struct nvme_host_user *user = &path->multipath->site.user;
    if (user->on_admin != NULL)
        user->on_admin(user->self, admin);
}

static void begin_path(struct path *path)
{
    const struct nvme_multipath *multipath = path->multipath;
    const struct nvme_host_site site = {
        .env = multipath->site.env,
        .transport = path->site.transport,
        .params = &multipath->host_params,
        .target_ip = path->site.target_ip,
        .user = {.self = path,
                 .on_ready = on_path_ready,
                 .on_io = nvme_multipath_io_done,
                 .on_change = on_path_change,
                 .on_event = on_path_event,
                 .on_admin = on_path_admin},
        .subsystem_nqn = multipath->site.subsystem_nqn,
        .host_nqn = multipath->site.host_nqn,
        .gives_back = true,
    };
    path->site.transport = NULL; /* owned by its host now */
    path->host = nvme_host_create(&site);
}

/* ---- discovery ---- */

static bool is_listed(const struct path *path)
{
    const char *nqn = path->multipath->site.subsystem_nqn;
    const uint32_t ip = path->site.target_ip;
    char address[20];
    snprintf(address, sizeof address, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 0xFF, ip >> 8 & 0xFF,
             ip & 0xFF);
    for (uint32_t i = 0; i < nvme_host_records(path->finder); i++) {
        const struct nvme_discovery_record *record = nvme_host_record(path->finder, i);
        if (record->subtype == NVME_SUBTYPE_NVM && strcmp(record->address, address) == 0 &&
            strcmp(record->subsystem_nqn, nqn == NULL ? NVME_SUBSYSTEM_NQN : nqn) == 0)
            return true;
    }
    return false;
}

static void note_absence(const struct path *path)
{
    const struct env *env = path->multipath->site.env;
    const char *nqn = path->multipath->site.subsystem_nqn;
    const uint32_t records = nvme_host_records(path->finder);
    char text[160 + NVME_NQN_BYTES];
    snprintf(text, sizeof text,
             "could not connect to %s: its discovery log (%u %s) does not list subsystem %s for "
             "this host",
             note_ip(path->site.target_ip).text, (unsigned)records,
             plural(records, "record", "records"), nqn == NULL ? NVME_SUBSYSTEM_NQN : nqn);
    env->probe->note(env->probe->self, env_now(env), env->owner, text);
}

/* Connects the path when the log has its address; otherwise it keeps waiting. */
static void check_records(struct path *path)
{
    if (path->host != NULL || path->multipath->stopping)
        return;
    if (is_listed(path)) {
        begin_path(path);
        return;
    }
    if (!path->settled)
        note_absence(path);
    path->settled = true;
    settle(path->multipath);
}

static void on_finder_ready(void *self, uint16_t status)
{
    struct path *path = self;
    if (status == NVME_STATUS_OK) {
        check_records(path);
        return;
    }
    path->settled = true;
    settle(path->multipath);
}

static void on_finder_event(void *self)
{
    check_records(self);
}

static void on_finder_change(void *self)
{
    const struct path *path = self;
    settle(path->multipath);
}

static void on_finder_io(void *self, struct nvme_io *io)
{
    (void)self, (void)io; /* a discovery controller has no I/O */
}

static void begin_finder(struct path *path)
{
    const struct nvme_multipath *multipath = path->multipath;
    const struct nvme_host_site site = {
        .env = multipath->site.env,
        .transport = path->site.finder,
        .params = &multipath->host_params,
        .target_ip = path->site.target_ip,
        .user = {.self = path,
                 .on_ready = on_finder_ready,
                 .on_io = on_finder_io,
                 .on_change = on_finder_change,
                 .on_event = on_finder_event},
        .host_nqn = multipath->site.host_nqn,
        .discovery = true,
    };
    path->site.finder = NULL;
    path->finder = nvme_host_create(&site);
}

/* ---- life cycle ---- */

static void init_path(struct nvme_multipath *multipath, uint32_t index)
{
    struct path *path = &multipath->paths[index];
    path->multipath = multipath;
    path->site = multipath->site.paths[index];
    path->index = index;
    path->node = path->site.nic % (uint32_t)multipath->params.numa_nodes;
    path->state = PATH_CONNECTING;
}

struct nvme_multipath *nvme_multipath_create(const struct nvme_multipath_site *site)
{
    CHECK(site->path_count > 0 && site->path_count <= NVME_PATHS_MAX);
    struct nvme_multipath *multipath = memory_zeroed(1, sizeof *multipath);
    multipath->site = *site;
    multipath->host_params = nvme_host_params_capped(site->host);
    multipath->params = *site->params;
    multipath->recovering = multipath->degraded = (struct state_time)STATE_TIME_NEVER;
    multipath->settler = (struct timer){.fire = on_settle, .self = multipath, .due = TIME_NEVER};
    multipath->paths = memory_zeroed(site->path_count, sizeof *multipath->paths);
    multipath->path_count = site->path_count;
    nvme_multipath_io_init(multipath);
    for (uint32_t i = 0; i < site->path_count; i++)
        init_path(multipath, i);
    multipath->site.paths = NULL;
    for (uint32_t i = 0; i < site->path_count; i++) {
        if (multipath->paths[i].site.finder != NULL)
            begin_finder(&multipath->paths[i]);
        else
            begin_path(&multipath->paths[i]);
    }
    return multipath;
}

void nvme_multipath_destroy(struct nvme_multipath *multipath)
{
    if (multipath == NULL)
        return;
    env_timer_cancel(multipath->site.env, &multipath->settler);
    nvme_multipath_io_fini(multipath);
    for (uint32_t i = 0; i < multipath->path_count; i++) {
        struct path *path = &multipath->paths[i];
        nvme_host_destroy(path->host);
        nvme_host_destroy(path->finder);
        if (path->site.transport != NULL)
            path->site.transport->ops->destroy(path->site.transport);
    }
    free(multipath->paths);
    free(multipath);
}

void nvme_multipath_use(struct nvme_multipath *multipath, uint32_t nsid)
{
    CHECK(multipath->nsid == 0 && nsid > 0);
    multipath->nsid = nsid;
    for (uint32_t i = 0; i < multipath->path_count; i++)
        nvme_path_update(&multipath->paths[i]);
    multipath->most = nvme_multipath_usable(multipath);
}

void nvme_multipath_shutdown(struct nvme_multipath *multipath)
{
    multipath->stopping = true;
    state_time_end(&multipath->degraded, env_now(multipath->site.env));
    if (multipath->outstanding > 0)
        return;
    for (uint32_t i = 0; i < multipath->path_count; i++) {
        if (multipath->paths[i].host != NULL)
            nvme_host_shutdown(multipath->paths[i].host);
        if (multipath->paths[i].finder != NULL)
            nvme_host_shutdown(multipath->paths[i].finder);
    }
}

static bool is_closed(const struct nvme_host *host)
{
    return host == NULL || nvme_host_closed(host);
}

bool nvme_multipath_closed(const struct nvme_multipath *multipath)
{
    for (uint32_t i = 0; i < multipath->path_count; i++)
        if (!is_closed(multipath->paths[i].host) || !is_closed(multipath->paths[i].finder))
            return false;
    return true;
}

/* nvme_available_path. A path that discovery has not found yet may still come. */
bool nvme_multipath_lost(const struct nvme_multipath *multipath)
{
    for (uint32_t i = 0; i < multipath->path_count; i++) {
        const struct path *path = &multipath->paths[i];
        const struct nvme_host *host = path->host != NULL ? path->host : path->finder;
        if (host != NULL && !nvme_host_lost(host))
            return false;
    }
    return true;
}
