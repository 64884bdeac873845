/* SPDX-License-Identifier: Apache-2.0
 * host - the life cycle of one controller at its host.
 * NEW, admin queue, set-up, I/O queues, scan, LIVE. FAILED from any state when the transport or a
 * set-up command fails: queues are disconnected, and outstanding I/O is returned or, if the
 * controller has been live, kept until it reconnects (host_recovery.c). */
#include "base/memory.h"
#include "base/note_text.h"
#include "nvme/host/host_private.h"

#include "base/plural.h"
#include "base/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAM(field) offsetof(struct nvme_host_params, field)

const struct opt nvme_host_opts[] = {
    {"queues", OPT_INT, PARAM(queues), "1", "1", "1024", NULL,
     "Number of I/O queues of a controller; each queue runs on its own CPU of the host.",
     "assumed; Linux creates one queue per online CPU", OPT_ACTS(DEPTH, LESS, SERVICE)},
    {"write-queues", OPT_INT, PARAM(write_queues), "0", "0", "1024", NULL,
     "Number of additional I/O queues for everything except reads; `queues` then carry only reads. "
     "If the target does not grant more than `queues`, reads and writes share them. A workload "
     "issues from as many CPUs as there are queues of the most numerous type, with queue-depth "
     "I/Os each; CPU n uses queue n of each type, modulo their number, and does their work.",
     "nvme-cli --nr-write-queues; Linux nvme-tcp and nvme-rdma", OPT_ACTS(DEPTH, ANY, SERVICE)},
    {"poll-queues", OPT_INT, PARAM(poll_queues), "0", "0", "1024", NULL,
     "Number of additional I/O queues for I/O of workloads with `polled`. They are granted last.",
     "nvme-cli --nr-poll-queues; Linux nvme-tcp and nvme-rdma", OPT_ACTS(DEPTH, ANY, SERVICE)},
    {"cpus", OPT_INT, PARAM(cpus), "0", "0", "1024", NULL,
     "Number of online CPUs of the host. A controller has at most that many of `queues`, of "
     "write-queues and of poll-queues. 0: as many as the most numerous of the three.",
     "Linux 6.1 nvme_tcp_nr_io_queues, nvmf_parse_options: num_online_cpus",
     OPT_SCALES(DEPTH, LIMIT, SERVICE)},
    {"queue-size", OPT_INT, PARAM(queue_size), "128", "2", "1024", NULL,
     "Number of entries of an I/O submission queue. A queue can have one outstanding command less "
     "than it has entries.",
     "Linux 6.1 nvme-rdma: queue_size 128",
     OPT_SCALES_IF(OPT_NEED_FULL_QUEUE, QUEUE_SIZE, LESS, SERVICE)},
    {"keep-alive", OPT_TIME, PARAM(keep_alive), "5s", "0s", "3600s", NULL,
     "Keep-alive timeout (KATO) that the host requests from the controller; 0: none.",
     "Linux 6.1 fabrics.h: NVME_DEFAULT_KATO 5", OPT_ACTS(RECOVERY, ANY, TRACE)},
    {"io-timeout", OPT_TIME, PARAM(io_timeout), "30s", "1us", "3600s", NULL,
     "Time without a response after which an I/O command times out and its controller counts as "
     "failed.",
     "Linux 6.1 nvme_core: io_timeout 30", OPT_ACTS(RECOVERY, ANY, TRACE)},
    {"admin-timeout", OPT_TIME, PARAM(admin_timeout), "60s", "1us", "3600s", NULL,
     "Timeout of an admin command during the setup of a controller, and of the Connect command of "
     "a queue.",
     "Linux 6.1 nvme_core: admin_timeout 60", OPT_ACTS(RECOVERY, ANY, TRACE)},
    {"reconnect-delay", OPT_TIME, PARAM(reconnect_delay), "10s", "1us", "3600s", NULL,
     "Time from the loss of a controller, or from a failed attempt to reconnect, to the next "
     "attempt.",
     "Linux 6.1 fabrics.h: NVMF_DEF_RECONNECT_DELAY 10", OPT_ACTS(RECOVERY, MORE, TRACE)},
    {"ctrl-loss-tmo", OPT_TIME, PARAM(ctrl_loss_tmo), "600s", "0s", "1000000s", "never",
     "Time for which the host tries to reconnect. After that it removes the controller, and the "
     "controller's I/O fails. never, or -1: no limit.",
     "Linux 6.1 fabrics.h: NVMF_DEF_CTRL_LOSS_TMO 600", OPT_ACTS(RECOVERY, ANY, TRACE)},
    {"ctrl-loss-limit", OPT_CHOICE, PARAM(ctrl_loss_limit), "time", NULL, NULL,
     OPT_WORDS(NVME_HOST_LIMITS),
     "When the host stops reconnecting. time: after ctrl-loss-tmo, or after ctrl-loss-tmo / "
     "reconnect-delay attempts, whichever comes first; attempts: only after that number of "
     "attempts, as Linux does. If each attempt takes seconds, attempts takes longer than time.",
     "own; attempts: Linux 6.1 fabrics.c nvmf_should_reconnect", OPT_ACTS(RECOVERY, ANY, TRACE)},
    {"fast-io-fail-tmo", OPT_TIME, PARAM(fast_io_fail_tmo), "never", "0s", "1000000s", "never",
     "Time after the loss of a controller from which I/O fails instead of waiting for the "
     "reconnection; never, or -1: I/O waits.",
     "Linux 6.1 fabrics.h: NVMF_DEF_FAIL_FAST_TMO -1", OPT_ACTS(RECOVERY, ANY, TRACE)},
    {"max-retries", OPT_INT, PARAM(max_retries), "5", "0", "255", NULL,
     "Maximum number of retries of a command that ended with an error status without the DNR (do "
     "not retry) bit.",
     "Linux 6.1 nvme_core: max_retries 5; nvme_decide_disposition", OPT_ACTS(RECOVERY, ANY, TRACE)},
    {"abort", OPT_BOOL, PARAM(abort), "false", NULL, NULL, NULL,
     "true: when an I/O command times out, the host first sends an Abort command, and the "
     "controller fails only if the I/O command times out again; false: the controller fails at "
     "the first timeout.",
     "Linux 6.1: nvme-pci does (nvme_timeout), nvme-rdma does not", OPT_ACTS(RECOVERY, ANY, TRACE)},
    {"flow-control", OPT_BOOL, PARAM(flow_control), "true", NULL, NULL, NULL,
     "true: submission queue flow control, where each response carries the target's position in "
     "the queue (SQHD); false: it is disabled.",
     "NVMe over Fabrics 1.1, 2.4.1 and CATTR of 3.3; nvme connect --disable-sqflow", OPT_INERT},
    {"shutdown", OPT_BOOL, PARAM(shutdown), "false", NULL, NULL, NULL,
     "true: at the end of a workload, the host shuts its controllers down (CC.SHN, CSTS.SHST) and "
     "disconnects; false: they stay connected.",
     "Linux 6.1 nvme_shutdown_ctrl: nvme disconnect", OPT_ACTS(CONNECTING, ANY, TRACE)},
    {"pi-act", OPT_BOOL, PARAM(pi_act), "false", NULL, NULL, NULL,
     "true: the controller inserts the protection information in writes and strips it from reads "
     "(PRACT); false: the host does this, and the 8 bytes travel with each block. It has no "
     "effect if the namespace has pi-type: 0.",
     "NVM Command Set 1.0, 5.2.2; fio pi_act; nvme-rdma of Linux 6.1 transfers the 8 bytes",
     OPT_ACTS(INTEGRITY, ANY, TRACE)},
    {"pi-chk", OPT_CHOICE, PARAM(pi_chk), "guard+ref", NULL, NULL, OPT_WORDS(NVME_HOST_CHECKS),
     "Which fields of the protection information the controller checks (PRCHK); with type 3 it "
     "never checks the reference tag.",
     "Linux 6.1 nvme_setup_rw: guard and reference tag; fio pi_chk",
     OPT_ACTS(INTEGRITY, ANY, TRACE)},
    {"app-tag", OPT_INT, PARAM(app_tag), "0", "0", "65534", NULL,
     "Application tag of the protection information in writes; checked if pi-chk includes app.",
     "fio apptag; 65535: the block is not checked", OPT_ACTS(INTEGRITY, ANY, TRACE)},
    {"submit-cost", OPT_TIME, PARAM(submit_cost), "1us", "0ps", "1s", NULL,
     "CPU time to send one command; the CPU of a queue executes one task at a time.",
     "assumed: the host's half of the software share of a 4 KiB I/O",
     OPT_SCALES(HOST_CPU, MORE, COST)},
    {"complete-cost", OPT_TIME, PARAM(complete_cost), "1us", "0ps", "1s", NULL,
     "CPU time to complete one command.",
     "assumed: the host's half of the software share of a 4 KiB I/O",
     OPT_SCALES(HOST_CPU, MORE, COST)},
    {"in-capsule", OPT_BOOL, PARAM(in_capsule), "true", NULL, NULL, NULL,
     "true: the data of a write travels in the command capsule if it fits; false: the target "
     "always requests or fetches it.",
     "Linux 6.1 nvme-rdma: use_inline_data", OPT_ACTS(LATENCY, LESS, SERVICE)},
    {"max-transfer", OPT_SIZE, PARAM(max_transfer), "1MiB", "4KiB", "16376KiB", NULL,
     "Maximum bytes of one command. A larger I/O is split. The controller's limit (MDTS) applies "
     "if it is lower.",
     "Linux 6.1 nvme-rdma: 256 pages of 4 KiB", .step = "4KiB", OPT_ACTS(LATENCY, LESS, SERVICE)},
    {"partition-scan", OPT_BOOL, PARAM(partition_scan), "false", NULL, NULL, NULL,
     "true: before the first I/O, the host reads the partition table of each namespace as Linux "
     "does (4 KiB at offset 0, then 4 KiB and 12 KiB), and the ANA log once more; false: it does "
     "not.",
     "capture of Linux 6.1 with one namespace without partitions; block/partitions/core.c",
     OPT_ACTS(CONNECTING, MORE, TRACE)},
    {0},
};

void nvme_host_event(struct nvme_host *host, enum nvme_host_event event)
{
    const struct nvme_fsm_place place = {
        .env = host->site.env, .peer_ip = host->site.target_ip, .qid = -1, .number = &host->number};
    host->state = nvme_fsm_move(&nvme_fsm_host, &place, host->state, (uint8_t)event);
}

void nvme_host_note(const struct nvme_host *host, const char *text)
{
    const struct env *env = host->site.env;
    env->probe->note(env->probe->self, env_now(env), env->owner, text);
}

/* Two numbers per owner, identical in every run. */
struct own_name {
    uint64_t high, low;
};

static struct own_name own_name(const char *owner)
{
    return (struct own_name){hash_mix(hash_text(owner, 1)), hash_mix(hash_text(owner, 2))};
}

void nvme_host_name(const char *owner, char nqn[NVME_NQN_BYTES])
{
    const struct own_name name = own_name(owner);
    snprintf(nqn, NVME_NQN_BYTES, "nqn.2014-08.org.nvmexpress:uuid:%08x-%04x-%04x-%04x-%012llx",
             (unsigned)(name.high >> 32), (unsigned)(name.high >> 16 & 0xFFFF),
             (unsigned)(name.high & 0xFFFF), (unsigned)(name.low >> 48),
             (unsigned long long)(name.low & UINT64_C(0xFFFFFFFFFFFF)));
}

static void identify_host(struct nvme_host *host)
{
    struct nvme_connect_data *identity = &host->identity;
    struct nvme_host_site *site = &host->site;
    const struct own_name name = own_name(site->env->owner);
    for (unsigned i = 0; i < 8; i++) {
        identity->host_id[i] = (unsigned char)(name.high >> (8 * i));
        identity->host_id[8 + i] = (unsigned char)(name.low >> (8 * i));
    }
    snprintf(identity->subsystem_nqn, sizeof identity->subsystem_nqn, "%s",
             site->discovery               ? NVME_DISCOVERY_NQN
             : site->subsystem_nqn != NULL ? site->subsystem_nqn
                                           : NVME_SUBSYSTEM_NQN);
    if (site->host_nqn != NULL)
        snprintf(identity->host_nqn, sizeof identity->host_nqn, "%s", site->host_nqn);
    else
        nvme_host_name(site->env->owner, identity->host_nqn);
    site->subsystem_nqn = site->host_nqn = NULL;
}

static void add_transport_costs(struct nvme_host *host)
{
    const struct nvme_transport *transport = host->site.transport;
    time_ps submit = 0, complete = 0;
    if (transport->ops->costs == NULL)
        return;
    transport->ops->costs(transport, &submit, &complete);
    host->params.submit_cost += submit;
    host->params.complete_cost += complete;
}

struct nvme_host *nvme_host_create(const struct nvme_host_site *site)
{
    CHECK(site->user.on_ready != NULL && site->user.on_io != NULL);
    struct nvme_host *host = memory_new(sizeof *host);
    host->site = *site;
    host->params = nvme_host_params_capped(site->params);
    add_transport_costs(host);
    host->site.params = &host->params;
    host->state = HOST_NEW;
    host->namespaces = memory_zeroed(HOST_NAMESPACES_MAX, sizeof *host->namespaces);
    host->found = memory_zeroed(HOST_NAMESPACES_MAX, sizeof *host->found);
    host->queues = memory_zeroed((size_t)nvme_host_queues_asked(host) + 1, sizeof *host->queues);
    nvme_transport_need(site->transport, &host->admin_data, HOST_ADMIN_DATA_BYTES,
                        NVME_MEMORY_BYTES, NVME_DATA_OUT | NVME_DATA_IN);
    identify_host(host);
    for (uint32_t i = 0; i <= nvme_host_queues_asked(host); i++)
        nvme_host_queue_init(&host->queues[i], host, (uint16_t)i);
    nvme_host_queue_open(&host->queues[0], NVME_ADMIN_QUEUE_SIZE);
    host->queue_count = 1;
    nvme_host_recovery_init(host);
    nvme_host_live_init(host);
    nvme_host_admin_init(host);
    return host;
}

void nvme_host_make_queues(struct nvme_host *host, uint32_t io_queues)
{
    CHECK(host->queue_count == 1 && io_queues <= nvme_host_queues_asked(host));
    for (uint32_t i = 0; i < io_queues; i++)
        nvme_host_queue_open(&host->queues[i + 1], (uint16_t)host->io_queue_size);
    host->queue_count = io_queues + 1;
    nvme_host_map_queues(host, io_queues);
    if (host->reported_ready)
        return;
    host->offered = io_queues;
    for (unsigned i = 0; i < HOST_QUEUE_TYPES; i++)
        if (host->cores < host->sets[i].count)
            host->cores = host->sets[i].count;
}

void nvme_host_destroy(struct nvme_host *host)
{
    if (host == NULL)
        return;
    nvme_host_admin_quiet(host);
    nvme_host_recovery_quiet(host);
    nvme_host_live_quiet(host);
    for (uint32_t i = 0; i <= nvme_host_queues_asked(host); i++)
        nvme_host_queue_fini(&host->queues[i]);
    nvme_transport_unmap(host->site.transport, &host->admin_data);
    host->site.transport->ops->destroy(host->site.transport);
    free(host->namespaces);
    free(host->found);
    nvme_host_discovery_free(host);
    free(host->sessions);
    free(host->queues);
    free(host);
}

void nvme_host_ready(struct nvme_host *host)
{
    const bool again = host->reported_ready;
    host->reported_ready = true;
    nvme_host_live_begin(host);
    if (again) {
        nvme_host_recovery_returned(host);
    } else {
        memcpy(host->namespaces, host->found, host->found_count * sizeof *host->found);
        host->namespace_count = host->found_count;
        host->site.user.on_ready(host->site.user.self, NVME_STATUS_OK);
    }
    if (host->stopping)
        nvme_host_shutdown(host);
}

/* A live controller is lost only once; later failures are failed attempts to reconnect. */
static void note_failure(const struct nvme_host *host, uint16_t status, const char *why)
{
    char text[240];
    const struct note_text ip = note_ip(host->site.target_ip);
    char code[32] = ""; /* no NVMe status without a response */
    if (status != NVME_STATUS_TRANSPORT)
        snprintf(code, sizeof code, ", NVMe status 0x%x", (unsigned)status);
    if (host->state == HOST_LIVE || host->state == HOST_SHUTDOWN)
        snprintf(text, sizeof text, "NVMe controller at %s lost: %s%s", ip.text, why, code);
    else if (host->reported_ready)
        snprintf(text, sizeof text, "attempt %u to reconnect to %s failed: %s (step: %s)%s",
                 (unsigned)host->attempts, ip.text, why, nvme_host_admin_step_name(host), code);
    else
        snprintf(text, sizeof text, "could not connect to %s: %s (step: %s)%s", ip.text, why,
                 nvme_host_admin_step_name(host), code);
    nvme_host_note(host, text);
}

static void note_end(const struct nvme_host *host)
{
    char text[200];
    snprintf(text, sizeof text,
             "NVMe controller at %s permanently lost after %u %s in %s (ctrl-loss-tmo %s)",
             note_ip(host->site.target_ip).text, (unsigned)host->attempts,
             plural(host->attempts, "attempt", "attempts"),
             note_time(state_time_open(&host->without_service, env_now(host->site.env))).text,
             note_time(host->params.ctrl_loss_tmo).text);
    nvme_host_note(host, text);
}

/* Closes the queues and parks outstanding I/O, which is returned if the failure is final. */
void nvme_host_fail(struct nvme_host *host, uint16_t status, const char *why)
{
    if (nvme_host_down(host))
        return;
    const bool again = nvme_host_recovery_may_try(host), was_ready = host->reported_ready;
    note_failure(host, status, why);
    if (was_ready && !again && host->away)
        note_end(host);
    nvme_host_event(host, again ? HOST_ON_LOSS : HOST_ON_ERROR);
    nvme_host_admin_quiet(host);
    nvme_host_live_quiet(host);
    for (uint32_t i = 0; i < host->queue_count; i++)
        nvme_host_queue_close(&host->queues[i]);
    for (uint32_t i = 0; i < host->queue_count; i++)
        nvme_host_io_park(&host->queues[i]);
    host->reported_ready = true;
    if (host->state == HOST_CLOSED) /* shutting down as requested: the last response has arrived */
        return;
    if (again) {
        nvme_host_recovery_wait(host);
    } else if (was_ready) {
        nvme_host_recovery_end(host);
    } else {
        nvme_host_recovery_give_back(host); /* the host's own reads */
        host->site.user.on_ready(host->site.user.self, status);
    }
}

void nvme_host_expire(struct nvme_host *host, enum nvme_host_timer timer, uint16_t status,
                      const char *why)
{
    const struct nvme_host_params *params = &host->params;
    const struct {
        const char *row;
        time_ps limit;
    } of[NVME_HOST_TIMERS] = {
        [NVME_HOST_IO_TIMEOUT] = {"io-timeout", params->io_timeout},
        [NVME_HOST_KEEP_ALIVE] = {"keep-alive", params->keep_alive},
        [NVME_HOST_ADMIN] = {"admin-timeout", params->admin_timeout},
    };
    char text[160];
    snprintf(text, sizeof text, "%s (%s %s)", why, of[timer].row, note_time(of[timer].limit).text);
    host->stats.expired[timer] += !nvme_host_down(host);
    nvme_host_fail(host, status, text);
}

void nvme_host_shutdown(struct nvme_host *host)
{
    host->stopping = true;
    if ((host->state != HOST_LIVE && host->state != HOST_LOST) || host->outstanding > 0)
        return;
    const bool live = host->state == HOST_LIVE;
    nvme_host_event(host, HOST_ON_STOP);
    nvme_host_recovery_quiet(host);
    state_time_end(&host->without_service, env_now(host->site.env));
    if (live) {
        nvme_host_admin_stop(host);
        return;
    }
    for (uint32_t i = 0; i < host->queue_count; i++) /* no connection to close */
        host->queues[i].parting = false;
    nvme_host_parted(host);
}

/* The caller's last action: reports closure once none of its connections is left. */
void nvme_host_parted(struct nvme_host *host)
{
    const struct nvme_host_user *user = &host->site.user;
    if (nvme_host_closed(host) && user->on_change != NULL)
        user->on_change(user->self);
}

bool nvme_host_gone(const struct nvme_host *host)
{
    return nvme_host_over(host);
}

bool nvme_host_closed(const struct nvme_host *host)
{
    bool parting = false;
    for (uint32_t i = 0; i < host->queue_count; i++)
        parting |= host->queues[i].parting;
    return host->state == HOST_FAILED || (host->state == HOST_CLOSED && !parting);
}

bool nvme_host_live(const struct nvme_host *host)
{
    return host->state == HOST_LIVE;
}

bool nvme_host_lost(const struct nvme_host *host)
{
    return nvme_host_over(host) || host->failing_fast;
}

const struct nvme_host_stats *nvme_host_stats(const struct nvme_host *host)
{
    return &host->stats;
}

time_ps nvme_host_without_service(const struct nvme_host *host, time_ps now)
{
    return state_time_all(&host->without_service, now);
}

uint32_t nvme_host_queues(const struct nvme_host *host)
{
    return host->offered;
}

uint32_t nvme_host_queues_asked(const struct nvme_host *host)
{
    return (uint32_t)nvme_host_params_queues(&host->params);
}

uint32_t nvme_host_cores(const struct nvme_host *host)
{
    return host->cores;
}

uint32_t nvme_host_queue_size(const struct nvme_host *host)
{
    return host->io_queue_size;
}

uint32_t nvme_host_max_transfer(const struct nvme_host *host)
{
    return host->max_transfer;
}

uint32_t nvme_host_namespaces(const struct nvme_host *host)
{
    return host->namespace_count;
}

const struct nvme_host_namespace *nvme_host_namespace(const struct nvme_host *host, uint32_t index)
{
    CHECK(index < host->namespace_count);
    return &host->namespaces[index];
}

uint32_t nvme_host_local_ip(const struct nvme_host *host)
{
    return host->site.transport->ops->local_ip(host->site.transport);
}

uint32_t nvme_host_target_ip(const struct nvme_host *host)
{
    return host->site.target_ip;
}

uint16_t nvme_host_controller(const struct nvme_host *host)
{
    return host->cntlid;
}

uint64_t nvme_host_outstanding(const struct nvme_host *host)
{
    return host->outstanding;
}

void nvme_host_describe(const struct nvme_host *host, char *text, size_t size)
{
    if (host->state == HOST_LIVE)
        snprintf(text, size, "live, %llu %s outstanding", (unsigned long long)host->outstanding,
                 plural(host->outstanding, "I/O", "I/Os"));
    else if (nvme_host_over(host))
        snprintf(text, size, "%s", host->state == HOST_FAILED ? "failed" : "closed");
    else if (host->state == HOST_LOST)
        snprintf(text, size, "lost for %s, %llu %s waiting",
                 note_time(state_time_open(&host->without_service, env_now(host->site.env))).text,
                 (unsigned long long)host->outstanding, plural(host->outstanding, "I/O", "I/Os"));
    else
        snprintf(text, size, "not ready yet (%s)", nvme_host_admin_step_name(host));
}

void nvme_host_audit(const struct nvme_host *host)
{
    uint64_t units = 0;
    for (uint32_t i = 0; i <= nvme_host_queues_asked(host); i++)
        units += nvme_host_queue_audit(&host->queues[i]);
    CHECK(units == host->units && units >= host->outstanding);
    CHECK((units == 0) == (host->outstanding == 0));
    CHECK(!nvme_host_over(host) || host->outstanding == 0);
    nvme_host_admin_audit(host);
    nvme_host_recovery_audit(host);
}
