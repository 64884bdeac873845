/* SPDX-License-Identifier: Apache-2.0
 * host_admin - runs the steps that bring a controller up; Connect; keep-alive.
 * One set-up command is outstanding at a time: its response is evaluated, and the next step
 * follows. */
#include "nvme/host/host_private.h"

#include "base/memory.h"

#define POLL_INTERVAL PS_PER_MS /* nvme_wait_ready sleeps 1 to 2 ms */

static void issue(struct nvme_host *host);

void nvme_host_admin_advance(struct nvme_host *host)
{
    if (nvme_host_down(host))
        return;
    do
        host->step++;
    while (nvme_host_steps[host->step].wanted != NULL && !nvme_host_steps[host->step].wanted(host));
    nvme_host_admin_expect(host);
    issue(host);
}

static void step_done(struct nvme_host *host, struct host_request *request)
{
    const struct host_step *step = &nvme_host_steps[host->step];
    nvme_host_queue_put(request);
    const uint16_t status = request->status & NVME_STATUS_CODE;
    enum host_verdict verdict =
        status == NVME_STATUS_OK || step->optional ? HOST_NEXT : HOST_GIVE_UP;
    if (status == NVME_STATUS_OK && step->judge != NULL)
        verdict = step->judge(host, request);
    switch (verdict) {
    case HOST_NEXT:
        nvme_host_admin_advance(host);
        break;
    case HOST_AGAIN_LATER:
        env_timer_set(host->site.env, &host->poll_timer, env_now(host->site.env) + POLL_INTERVAL);
        break;
    default:
        nvme_host_fail(host, status != NVME_STATUS_OK ? status : NVME_STATUS_INTERNAL, step->name);
    }
}

static void issue(struct nvme_host *host)
{
    const struct host_step *step = &nvme_host_steps[host->step];
    if (step->act != NULL) {
        if (step->act(host))
            nvme_host_admin_advance(host);
        return;
    }
    struct host_queue *admin = &host->queues[0];
    struct host_request *request =
        nvme_host_queue_get(admin, step->reserved ? &admin->reserved : &admin->tags);
    CHECK(request != NULL); /* set-up commands are sent one at a time */
    request->done = step_done;
    request->data = &host->admin_data;
    step->build(host, request);
    nvme_host_queue_post(request);
}

static void on_poll(void *self, time_ps now)
{
    (void)now;
    issue(self);
}

static void on_step_timeout(void *self, time_ps now)
{
    (void)now;
    nvme_host_expire(self, NVME_HOST_ADMIN, NVME_STATUS_TRANSPORT, "set-up timed out");
}

/* The present step must end within the admin timeout, or within the time that the controller
 * specifies in CAP.TO. */
void nvme_host_admin_expect(struct nvme_host *host)
{
    if (host->state == HOST_LIVE)
        return;
    const time_ps asked = (time_ps)NVME_CAP_TO(host->cap) * 500 * PS_PER_MS;
    const time_ps limit = host->params.admin_timeout;
    env_timer_set(host->site.env, &host->step_timer,
                  env_now(host->site.env) + (asked > limit ? asked : limit));
}

void nvme_host_admin_quiet(struct nvme_host *host)
{
    env_timer_cancel(host->site.env, &host->step_timer);
    env_timer_cancel(host->site.env, &host->poll_timer);
    env_timer_cancel(host->site.env, &host->keep_alive_timer);
}

/* ---- Connect: nvmf_connect_admin_queue, nvmf_connect_io_queue ---- */

static void next_queue(struct nvme_host *host);

static void add_session(struct nvme_host *host)
{
    const struct nvme_host_session session = {host->cntlid, env_now(host->site.env)};
    host->sessions = memory_grown(host->sessions, host->session_count, &host->session_room,
                                  sizeof *host->sessions);
    host->sessions[host->session_count++] = session;
}

static void connect_done(struct nvme_host *host, struct host_request *request)
{
    struct host_queue *queue = request->queue;
    nvme_host_queue_put(request);
    const uint16_t status = request->status & NVME_STATUS_CODE;
    if (status != NVME_STATUS_OK) {
        nvme_host_fail(host, status, "Connect refused");
        return;
    }
    nvme_host_queue_event(queue, HOST_QUEUE_ON_ACCEPTED);
    if (queue->qid > 0) {
        next_queue(host);
        return;
    }
    host->cntlid = (uint16_t)request->result;
    add_session(host);
    nvme_host_event(host, HOST_ON_CONNECTED);
    nvme_host_admin_advance(host);
}

static void send_connect(struct host_queue *queue)
{
    struct nvme_host *host = queue->host;
    struct nvme_buffer *data = queue->qid == 0 ? &host->admin_data : &queue->connect_data;
    struct nvme_connect_data connect = host->identity;
    connect.cntlid = queue->qid == 0 ? NVME_CNTLID_DYNAMIC : host->cntlid;
    nvme_fabrics_encode_connect(&connect, data->bytes);
    struct host_request *request = nvme_host_queue_get(queue, &queue->reserved);
    CHECK(request != NULL);
    request->done = connect_done;
    request->data = data;
    request->bytes = NVME_CONNECT_BYTES;
    struct nvme_command *command = &request->command;
    command->opcode = NVME_FABRICS;
    command->nsid = NVME_FCTYPE_CONNECT;
    command->cdw10 = (uint32_t)queue->qid << 16;
    command->cdw11 = queue->size - 1u;
    if (!host->params.flow_control)
        command->cdw11 |= NVME_CONNECT_NO_FLOW_CONTROL;
    if (queue->qid == 0)
        command->cdw12 = (uint32_t)(host->params.keep_alive / PS_PER_MS);
    nvme_host_queue_post(request);
}

static void connect_queue(struct host_queue *queue)
{
    struct nvme_host *host = queue->host;
    const struct nvme_identify_controller *controller = &host->controller;
    const bool offers = (controller->sgls & NVME_SGLS_OFFSET) != 0;
    if (offers && host->params.in_capsule && controller->ioccsz > NVME_SQE_BYTES / 16)
        queue->capsule_room = controller->ioccsz * 16 - NVME_SQE_BYTES;
    nvme_transport_need(host->site.transport, &queue->connect_data, NVME_CONNECT_BYTES,
                        NVME_MEMORY_BYTES, NVME_DATA_OUT);
    nvme_host_queue_connect(queue);
}

/* nvme_rdma_configure_io_queues: all connections first, then Connect on each queue in turn. */
void nvme_host_admin_established(struct host_queue *queue)
{
    struct nvme_host *host = queue->host;
    nvme_host_admin_expect(host);
    if (queue->qid == 0) {
        send_connect(queue);
    } else if (++host->connecting < host->queue_count) {
        connect_queue(&host->queues[host->connecting]);
    } else {
        host->connecting = 0;
        next_queue(host);
    }
}

static void next_queue(struct nvme_host *host)
{
    nvme_host_admin_expect(host);
    if (++host->connecting < host->queue_count) {
        send_connect(&host->queues[host->connecting]);
        return;
    }
    nvme_host_event(host, HOST_ON_QUEUES_UP);
    nvme_host_admin_advance(host);
}

bool nvme_host_admin_connect(struct nvme_host *host)
{
    nvme_host_event(host, HOST_ON_START);
    nvme_host_queue_connect(&host->queues[0]);
    return false;
}

bool nvme_host_admin_connect_queues(struct nvme_host *host)
{
    nvme_host_event(host, HOST_ON_CONFIGURED);
    if (host->site.discovery) { /* discovery controllers have no I/O queues */
        nvme_host_event(host, HOST_ON_QUEUES_UP);
        return true;
    }
    host->connecting = 1;
    connect_queue(&host->queues[1]);
    return false;
}

/* ---- keep-alive: nvme_keep_alive_work ---- */

static void arm_keep_alive(struct nvme_host *host)
{
    const bool traffic = (host->controller.ctratt & NVME_CTRATT_TBKAS) != 0;
    const time_ps period = host->params.keep_alive / (traffic ? 4 : 2);
    env_timer_set(host->site.env, &host->keep_alive_timer, env_now(host->site.env) + period);
}

static void keep_alive_done(struct nvme_host *host, struct host_request *request)
{
    nvme_host_queue_put(request);
    host->keep_alive_sent = false;
    host->seen_completion = false;
    if ((request->status & NVME_STATUS_CODE) != NVME_STATUS_OK)
        nvme_host_expire(host, NVME_HOST_KEEP_ALIVE, request->status & NVME_STATUS_CODE,
                         "keep-alive refused");
    else if (host->state != HOST_SHUTDOWN)
        arm_keep_alive(host);
}

/* With traffic-based keep-alive (TBKAS) any completion since the last check replaces one. */
static void on_keep_alive(void *self, time_ps now)
{
    struct nvme_host *host = self;
    struct host_queue *admin = &host->queues[0];
    if (host->keep_alive_sent) {
        nvme_host_expire(host, NVME_HOST_KEEP_ALIVE, NVME_STATUS_TRANSPORT, "keep-alive timed out");
        return;
    }
    const bool traffic = (host->controller.ctratt & NVME_CTRATT_TBKAS) != 0;
    struct host_request *request = NULL;
    if (!traffic || !host->seen_completion)
        request = nvme_host_queue_get(admin, &admin->reserved);
    host->seen_completion = false;
    if (request == NULL) {
        arm_keep_alive(host);
        return;
    }
    host->keep_alive_sent = true;
    request->done = keep_alive_done;
    request->command.opcode = NVME_ADMIN_KEEP_ALIVE;
    env_timer_set(host->site.env, &host->keep_alive_timer, now + host->params.keep_alive);
    nvme_host_queue_post(request);
}

bool nvme_host_admin_keep_alive(struct nvme_host *host)
{
    if (host->params.keep_alive > 0)
        arm_keep_alive(host);
    return true;
}

void nvme_host_admin_init(struct nvme_host *host)
{
    for (unsigned i = 0; i < HOST_STEP_COUNT; i++)
        CHECK(nvme_host_steps[i].name != NULL);
    host->step_timer = (struct timer){.fire = on_step_timeout, .self = host, .due = TIME_NEVER};
    host->poll_timer = (struct timer){.fire = on_poll, .self = host, .due = TIME_NEVER};
    host->keep_alive_timer = (struct timer){.fire = on_keep_alive, .self = host, .due = TIME_NEVER};
    nvme_host_admin_expect(host);
    env_timer_set(host->site.env, &host->poll_timer, env_now(host->site.env)); /* the first step */
}

/* Restarts from the first step. */
void nvme_host_admin_begin(struct nvme_host *host)
{
    host->step = 0;
    host->connecting = 0;
    host->keep_alive_sent = host->seen_completion = false;
    nvme_host_admin_expect(host);
    issue(host);
}

void nvme_host_admin_stop(struct nvme_host *host)
{
    env_timer_cancel(host->site.env, &host->keep_alive_timer);
    host->step = HOST_STEP_SHUTDOWN - 1;
    nvme_host_admin_advance(host);
}

/* A host that waits has a timer set. */
void nvme_host_admin_audit(const struct nvme_host *host)
{
    const bool set_up = host->state >= HOST_ADMIN && host->state <= HOST_SCAN;
    CHECK(host->step < HOST_STEP_COUNT);
    CHECK(!set_up || host->step_timer.due != TIME_NEVER);
    CHECK(host->state != HOST_LIVE || host->params.keep_alive == 0 ||
          host->keep_alive_timer.due != TIME_NEVER);
    if (nvme_host_down(host))
        CHECK(time_earlier(host->step_timer.due, host->keep_alive_timer.due) == TIME_NEVER &&
              host->poll_timer.due == TIME_NEVER);
}

const char *nvme_host_admin_step_name(const struct nvme_host *host)
{
    return nvme_host_steps[host->step].name;
}
