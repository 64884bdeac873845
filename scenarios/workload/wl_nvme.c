/* SPDX-License-Identifier: Apache-2.0
 * wl_nvme - reads and writes of an NVMe namespace.
 * An instance has its own controller. wl_script decides, and this file acts: it connects, keeps the
 * I/Os in slots, sleeps, and accounts for completions.
 * A slot belongs to one core of the host (slot % cores), and free slots are used in turn, so cores
 * and their queues are used round robin and a closed loop keeps exactly queue-depth I/Os on each.
 * If a submission queue is smaller, the I/O waits here, as in a block layer, and the wait counts as
 * latency.
 * Latency is completed_at - issued_at. With a rate, issued_at is the time when the I/O was due (no
 * coordinated omission). While a lost controller reconnects, I/Os are still issued as long as there
 * are slots, and wait. If a controller fails for good, or fails the waiting I/Os
 * (fast-io-fail-tmo), the instance ends, as an error ends a fio job: I/Os in flight or waiting
 * count as failed. */
#include "base/memory.h"
#include "base/probe.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/wl_nvme_private.h"

#include <stdio.h>
#include <stdlib.h>

static void note_state(const struct wl_nvme *wl, const char *text)
{
    const struct env *env = wl->site.env;
    env->probe->note(env->probe->self, env_now(env), env->owner, text);
}

/* Updates the longest gap without a completion. `progress`: an operation succeeded, so a new gap
 * begins. Failed operations do not end a gap. */
static void count_gap(struct wl_nvme *wl, time_ps now, bool progress)
{
    const time_ps gap = state_time_open(&wl->stalled, now);
    if (UNLIKELY(gap > wl->site.stats->gap))
        wl->site.stats->gap = gap;
    if (progress)
        wl->stalled.since = now;
}

/* Begins the shutdown of the controller if it is configured and has not begun yet. True: it was
 * begun now, so the instance is not idle yet. */
static bool begin_shutdown(struct wl_nvme *wl)
{
    if (wl->state == WL_NVME_CLOSING || !wl->site.nvme->core.shutdown || wl_nvme_has_parted(wl))
        return false;
    wl->state = WL_NVME_CLOSING;
    wl_nvme_part(wl);
    return true;
}

/* Called when nothing more will be issued; reports idle when nothing is in flight either. */
void wl_nvme_settle(struct wl_nvme *wl)
{
    const bool closed = wl->state == WL_NVME_CLOSING && wl_nvme_has_parted(wl);
    if ((wl->state != WL_NVME_ENDING && !closed) || wl->under_way > 0)
        return;
    if (wl->state == WL_NVME_ENDING && wl_nvme_admin_waits(wl))
        return;
    wl_nvme_admin_end(wl);
    if (wl->admin_asked || begin_shutdown(wl))
        return;
    wl->state = WL_NVME_IDLE;
    if (!wl_nvme_has_lost(wl)) {
        count_gap(wl, time_earlier(env_now(wl->site.env), wl->site.stop), false);
        wl->stalled.since = TIME_NEVER;
    }
    char text[160];
    if (wl_replay_words(&wl->script.replay, text, sizeof text))
        note_state(wl, text);
    env_timer_cancel(wl->site.env, &wl->timer);
    if (wl->site.on_idle != NULL)
        wl->site.on_idle(wl->site.on_idle_self);
}

static void end_by_stop(struct wl_nvme *wl)
{
    wl->site.stats->missed += wl_script_missed(&wl->script, wl->site.stop);
    workload_ends(wl->site.stats, wl->site.stop);
    wl->state = WL_NVME_ENDING;
}

/* Accounting. */

/* True for commands that change the content of blocks. */
static bool changes(uint8_t opcode)
{
    return opcode == NVME_WRITE || opcode == NVME_WRITE_ZEROES || opcode == NVME_DATASET;
}

/* Bytes of the range that are transferred. */
static uint64_t payload(const struct nvme_io *io)
{
    return io->opcode == NVME_WRITE_ZEROES || io->opcode == NVME_DATASET ? 0 : io->bytes;
}

/* An NSID that the scenario does not know is treated as a separate store. */
static uint64_t store_of(const struct workload_names *names, uint32_t nsid)
{
    const bool known = nsid - 1 < names->namespace_count;
    return (uint64_t)names->target << 32 | (known ? names->namespaces[nsid - 1] : nsid - 1);
}

static void fill_probe(const struct wl_nvme *wl, const struct nvme_io *io,
                       struct probe_host_io *record)
{
    const struct nvme_host *by = wl_nvme_path(wl, io->path);
    *record = (struct probe_host_io){
        .host_ip = by == NULL ? wl->site.verbs->local_ip(wl->site.device) : nvme_host_local_ip(by),
        .target_ip = by == NULL ? wl->site.target_ip : nvme_host_target_ip(by),
        .controller = by == NULL ? 0 : nvme_host_controller(by),
        .qid = io->qid,
        .cid = io->cid,
        .workload = wl->site.workload,
        .member = wl->site.member,
        .serial = ((const struct wl_nvme_slot *)io->user)->serial,
        .opcode = io->opcode,
        .status = io->status,
        .lba = io->lba,
        .bytes = io->bytes,
        .nsid = io->nsid,
        .store = store_of(&wl->site.names, io->nsid),
        .block_bytes = wl->space.block_bytes,
        .content = io->content,
        .issued_at = io->issued_at,
        .posted_at = io->posted_at,
        .response_at = io->response_at,
        .completed_at = io->completed_at,
        .admitted_at = ((const struct wl_nvme_slot *)io->user)->admitted_at,
        .last = io->last,
    };
}

/* A controller that was given up provides no service for the rest of the workload's time. If the
 * last operations failed, the gap extends to the end of that time. */
void wl_nvme_close(struct workload *workload, time_ps now, time_ps end)
{
    struct wl_nvme *wl = wl_nvme_of(workload);
    const time_ps over = time_earlier(wl->site.stop, end), rest = time_later(now, over);
    count_gap(wl, wl->under_way > 0 ? now : over, false);
    if (wl->host != NULL || wl->multipath != NULL)
        wl_nvme_count(wl, wl_nvme_has_lost(wl) ? rest : now);
}

static void account_good(struct wl_nvme *wl, const struct nvme_io *io)
{
    const struct workload_completion done = {
        .issued_at = io->issued_at,
        .now = io->completed_at,
        .from = wl->window.from,
        .stop = wl->window.to,
        .bytes = payload(io),
        .member = wl->site.member,
        .read = io->opcode == NVME_READ,
    };
    workload_completed(wl->site.stats, &done);
    workload_member_completed(&wl->did, io->issued_at, io->completed_at, done.bytes);
    wl_goodput_completed(done.read ? &wl->read : &wl->written, &wl->window, done.now, done.bytes);
}

static void compare_content(struct wl_nvme *wl, const struct wl_nvme_slot *slot)
{
    const struct nvme_io *io = &slot->io;
    const int64_t offset = (int64_t)io->lba * wl->space.block_bytes;
    const bool good = io->status == NVME_STATUS_OK;
    if (changes(io->opcode))
        wl_check_written(&wl->check, offset, good);
    else if (io->opcode == NVME_READ && good &&
             !wl_check_good(&wl->check, offset, slot->expected, io->content))
        wl->site.stats->corrupt++;
}

static void finish(struct wl_nvme *wl, struct wl_nvme_slot *slot)
{
    CHECK(slot->busy && wl->under_way > 0);
    const struct nvme_io *io = &slot->io;
    compare_content(wl, slot);
    const bool good = nvme_status_is_completion(io->status);
    count_gap(wl, io->completed_at, good);
    if (UNLIKELY(wl->multipath != NULL))
        wl->did.paths_used |= 1u << io->path;
    if (good)
        account_good(wl, io);
    wl->site.stats->failed += !good;
    wl->did.failed += !good;
    wl->did.given_up |= !good && wl_nvme_has_lost(wl);
    struct probe_host_io record;
    fill_probe(wl, io, &record);
    wl->site.env->probe->host_io(wl->site.env->probe->self, &record);
    wl_script_completed(&wl->script, io->completed_at, io->completed_at - io->issued_at);
    slot->busy = false;
    wl_nvme_line_add(&wl->free, slot);
    if (--wl->under_way == 0 && good)
        wl->stalled.since = TIME_NEVER;
}

static void fail_all(struct wl_nvme *wl, struct wl_nvme_line *line)
{
    while (line->first != NULL) {
        struct wl_nvme_slot *slot = wl_nvme_line_take(line);
        slot->io.status = NVME_STATUS_TRANSPORT;
        slot->io.completed_at = env_now(wl->site.env);
        finish(wl, slot);
    }
}

/* The controller is gone, so waiting I/Os will never be submitted. */
static void fail_waiting(struct wl_nvme *wl)
{
    for (uint32_t line = 0; line < wl->lines; line++)
        fail_all(wl, &wl->waiting[line]);
    fail_all(wl, &wl->limited);
    wl->limited_count = 0;
    if (wl->state == WL_NVME_ISSUING) {
        wl->did.given_up = true;
        workload_ends(wl->site.stats, wl->site.stop);
        wl->state = WL_NVME_ENDING;
    }
}

/* Issue. */

static void submit(struct wl_nvme *wl, struct wl_nvme_slot *slot)
{
    if (LIKELY(!wl->has_limits) || wl_nvme_admits(wl, slot))
        wl_nvme_admitted(wl, slot);
}

static uint8_t opcode_of(const struct wl_nvme *wl, const struct wl_step *step)
{
    switch (step->deed) {
    case WL_FLUSH:
        return NVME_FLUSH;
    case WL_COMPARE:
        return wl_check_read(&wl->check, step->io.offset).content != 0 ? NVME_COMPARE : NVME_READ;
    case WL_ZERO:
        return NVME_WRITE_ZEROES;
    case WL_DEALLOCATE:
        return NVME_DATASET;
    default:
        return step->io.direction == WL_READ ? NVME_READ : NVME_WRITE;
    }
}

static void issue(struct wl_nvme *wl, const struct wl_step *step)
{
    struct wl_nvme_slot *slot = wl_nvme_line_take(&wl->free);
    const uint8_t opcode = opcode_of(wl, step);
    *slot = (struct wl_nvme_slot){.core = slot->core, .busy = true, .serial = wl->did.issued + 1};
    slot->io = (struct nvme_io){
        .opcode = opcode,
        .polled = wl->params.polled != 0,
        .nsid = wl->space.nsid,
        .lba = (uint64_t)step->io.offset / wl->space.block_bytes,
        .bytes = (uint32_t)step->io.bytes,
        .content = opcode == NVME_WRITE ? wl_check_tag(&wl->check) : 0,
        .issued_at = step->at,
        .user = slot,
    };
    if (opcode == NVME_READ)
        slot->expected = wl_check_read(&wl->check, step->io.offset);
    else if (opcode == NVME_COMPARE)
        slot->io.content = wl_check_read(&wl->check, step->io.offset).content;
    else if (changes(opcode))
        wl_check_write(&wl->check, step->io.offset, slot->io.content);
    workload_issued(wl->site.stats, step->at);
    workload_member_issued(&wl->did, step->at);
    wl->under_way++;
    state_time_begin(&wl->stalled, env_now(wl->site.env));
    submit(wl, slot);
}

/* Issues all I/Os that may be issued now, and arranges the next call. */
static void issue_due(struct wl_nvme *wl)
{
    const time_ps now = env_now(wl->site.env);
    while (wl->state == WL_NVME_ISSUING && !wl_nvme_has_lost(wl)) {
        if (now >= wl->site.stop) {
            end_by_stop(wl);
            break;
        }
        const struct wl_step step = wl_script_next(&wl->script, now, wl->under_way);
        if (step.kind == WL_ISSUE) {
            issue(wl, &step);
            continue;
        }
        if (step.kind == WL_SLEEP)
            env_timer_set(wl->site.env, &wl->timer,
                          step.at < wl->site.stop ? step.at : wl->site.stop);
        if (step.kind == WL_END)
            wl->state = WL_NVME_ENDING;
        break;
    }
    if (wl->state != WL_NVME_CONNECTING && wl_nvme_has_lost(wl))
        fail_waiting(wl);
    if (wl->state == WL_NVME_ENDING && wl->under_way == 0)
        workload_done(wl->site.stats, wl->did.failed > 0, wl->did.last_completion, wl->site.stop);
    wl_nvme_settle(wl);
}

static void on_timer(void *self, time_ps now)
{
    (void)now;
    issue_due(self);
}

static void on_io(void *self, struct nvme_io *io)
{
    struct wl_nvme *wl = self;
    struct wl_nvme_slot *slot = io->user;
    const uint32_t line = slot->line;
    finish(wl, slot);
    if (UNLIKELY(wl->multipath != NULL && wl->under_way == 0))
        wl_nvme_count(wl, env_now(wl->site.env));
    wl_nvme_send_waiting(wl, line);
    issue_due(wl);
}

/* True if the controller was lost and came back before the instance is to begin; its timer is
 * set. */
static bool is_early(const struct wl_nvme *wl)
{
    return env_now(wl->site.env) < workload_begin(&wl->site, wl->did.ready) &&
           !wl_nvme_has_lost(wl);
}

/* The controller was lost, reconnected, or given up. */
static void on_change(void *self)
{
    struct wl_nvme *wl = self;
    wl_nvme_count(wl, env_now(wl->site.env));
    wl_nvme_send_all(wl);
    if ((wl->state == WL_NVME_ISSUING && !is_early(wl)) || wl->state == WL_NVME_ENDING)
        issue_due(wl);
    else
        wl_nvme_settle(wl);
}

/* Start. */

static bool choose_region(const struct wl_nvme *wl, struct wl_region *region)
{
    const struct workload_space space = {
        .copy = wl->site.copy,
        .block_bytes = wl->space.block_bytes,
        .bytes = (int64_t)wl->space.blocks * wl->space.block_bytes,
    };
    return wl_nvme_region(&wl->params, &space, region);
}

static void make_slots(struct wl_nvme *wl)
{
    const struct nvme_host *host = wl_nvme_host(wl);
    const uint32_t cores = nvme_host_cores(host);
    CHECK(cores > 0);
    wl->lines = nvme_host_queues(host);
    wl->slot_count = cores * (uint32_t)wl->params.queue_depth;
    wl->slots = memory_zeroed(wl->slot_count, sizeof *wl->slots);
    wl->waiting = memory_zeroed(wl->lines, sizeof *wl->waiting);
    for (uint32_t i = 0; i < wl->slot_count; i++) {
        wl->slots[i].core = i % cores;
        wl_nvme_line_add(&wl->free, &wl->slots[i]);
    }
}

static void make_script(struct wl_nvme *wl, struct wl_region region)
{
    char purpose[64];
    snprintf(purpose, sizeof purpose, "workload %u.%u.%u", wl->site.workload, wl->site.instance,
             wl->site.copy);
    const time_ps start = workload_begin(&wl->site, wl->did.ready);
    wl_script_init(&wl->script, &wl->params, region, wl->slot_count, start,
                   env_stream(wl->site.env, purpose));
    if (wl->params.replay.trace != NULL)
        wl_replay_init(&wl->script.replay, &wl->params.replay, region, wl->space.block_bytes,
                       wl->site.instance, start);
    const int64_t compared = wl_script_compares(&wl->params, region);
    wl_check_init(&wl->check, wl->site.serial, compared,
                  compared > 0 ? (region.offset + region.bytes) / compared : 0);
    wl->check.emptied = wl->site.emptied;
}

/* `why`: NULL if the NVMe host has noted the reason. */
static void give_up(struct wl_nvme *wl, const char *why)
{
    if (why != NULL)
        note_state(wl, why);
    wl->did.ready = env_now(wl->site.env);
    workload_barred(wl->site.stats, env_now(wl->site.env), wl->site.stop);
    wl->state = WL_NVME_ENDING;
    wl_nvme_settle(wl);
}

static void on_ready(void *self, uint16_t status)
{
    struct wl_nvme *wl = self;
    CHECK(wl->state == WL_NVME_CONNECTING);
    if (status != NVME_STATUS_OK) {
        give_up(wl, NULL);
        return;
    }
    if (wl->discovery) {
        wl_nvme_begin_without_io(wl);
        return;
    }
    const struct nvme_host_namespace *space = wl_nvme_choose_namespace(wl);
    if (space == NULL) {
        give_up(wl, "workload: the target has no such namespace");
        return;
    }
    wl->space = *space;
    struct wl_region region;
    if (!choose_region(wl, &region)) {
        give_up(wl, "workload: its I/Os do not fit the blocks or the size of the namespace");
        return;
    }
    if (wl->multipath != NULL)
        nvme_multipath_use(wl->multipath, space->nsid);
    wl->state = WL_NVME_ISSUING;
    wl->did.connected = true;
    wl->did.ready = env_now(wl->site.env);
    make_slots(wl);
    make_script(wl, region);
    workload_begins(wl->site.stats, wl->window.from);
    wl_nvme_admin_begin(wl);
    const time_ps begin = workload_begin(&wl->site, wl->did.ready);
    if (wl->did.ready < begin)
        env_timer_set(wl->site.env, &wl->timer, begin);
    else
        issue_due(wl);
}

struct workload *wl_nvme_create(const struct workload_site *site)
{
    struct wl_nvme *wl = memory_new(sizeof *wl);
    CHECK(site->start <= site->stop);
    wl->site = *site;
    wl->params = *(const struct wl_nvme_params *)site->params;
    wl->window = (struct wl_window){site->start + wl->params.warm_up, site->stop};
    wl_nvme_connects(wl);
    wl->stalled = (struct state_time)STATE_TIME_NEVER;
    wl->timer = (struct timer){.fire = on_timer, .self = wl, .due = TIME_NEVER};
    wl_nvme_limit_begin(wl);
    return (struct workload *)wl;
}

void wl_nvme_start(struct workload *workload)
{
    struct wl_nvme *wl = wl_nvme_of(workload);
    const struct nvme_host_user user = {.self = wl,
                                        .on_ready = on_ready,
                                        .on_io = on_io,
                                        .on_change = on_change,
                                        .on_admin = wl_nvme_admin_done};
    wl->did.began = env_now(wl->site.env);
    wl_nvme_connect(wl, &user);
}

void wl_nvme_stop(struct workload *workload)
{
    struct wl_nvme *wl = wl_nvme_of(workload);
    const time_ps now = env_now(wl->site.env);
    wl->site.stop = time_earlier(wl->site.stop, time_later(now, wl->site.start));
    wl->window.to = wl->site.stop;
    wl_nvme_measure(workload, now);
    if (wl->state == WL_NVME_ISSUING)
        end_by_stop(wl);
    wl_nvme_settle(wl);
}

void wl_nvme_destroy(struct workload *workload)
{
    struct wl_nvme *wl = wl_nvme_of(workload);
    env_timer_cancel(wl->site.env, &wl->timer);
    env_timer_cancel(wl->site.env, &wl->limit_timer);
    wl_nvme_admin_end(wl);
    wl_nvme_drop(wl);
    wl_check_fini(&wl->check);
    free(wl->slots);
    free(wl->waiting);
    free(wl);
}

const struct workload_ops wl_nvme = {
    .name = "nvme",
    .about = "reads and writes of an NVMe namespace, closed loop or at a rate",
    .opts = wl_nvme_opts,
    WL_NVME_OPS,
};
