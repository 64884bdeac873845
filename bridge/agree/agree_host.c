/* SPDX-License-Identifier: Apache-2.0
 * agree_host - the end that sends requests.
 *   challenge -> challenged (with a shared secret)
 *   join -> welcome -> ping, pong (several) -> begin, begun: agreed
 *        -> another scenario -> compare, bisecting, until the first difference is known: refused
 *        -> no such port: foreign */
#include "base/check.h"
#include "base/memory.h"
#include "bridge/agree/agree_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PINGS = 8, NO_SUCH_SERVICE = 8 /* IBTA Vol 1 12.6.7.2 */ };

static const time_ps patience = 10 * PS_PER_S;

struct agree_host {
    struct agree_site site;
    struct agree_link link;
    void (*on_done)(void *self);
    void *self;
    struct timer next;  /* sends the next request, outside of the old connection's callback */
    struct timer limit; /* time limit of one connection */
    uint32_t ip, pings;
    uint32_t same, different; /* so many first lines are known to be equal, so many not */
    time_ps lead, zero, asked_at, round_trip, offset; /* offset: target's clock minus this one */
    enum agree_end end;
    uint32_t ips[NICS_MAX];
    unsigned char request[AGREE_REQUEST_BYTES]; /* request in progress */
    unsigned char challenge[AGREE_NONCE_BYTES];
    bool challenged, proved; /* a challenge was received; a proof based on it was accepted */
    bool comparing;
    char theirs[AGREE_TEXT_BYTES];
    char text[512];
};

static void done(struct agree_host *host, enum agree_end end)
{
    if (host->end != AGREE_ASKING)
        return;
    host->end = end;
    env_timer_cancel(host->site.env, &host->limit);
    host->on_done(host->self);
}

static void silent(struct agree_host *host, const char *why)
{
    if (host->end == AGREE_ASKING)
        snprintf(host->text, sizeof host->text, "%s", why);
    done(host, AGREE_SILENT);
}

static void ask_soon(struct agree_host *host)
{
    env_timer_set(host->site.env, &host->next, env_now(host->site.env));
}

/* ------------------------------------------------------------------ moments */

static void send_moment(struct agree_host *host, enum agree_kind kind, time_ps zero)
{
    host->asked_at = env_now(host->site.env);
    struct agree_moment moment = {
        .kind = kind, .sequence = host->pings, .clock = host->asked_at, .zero = zero};
    memcpy(moment.ips, host->ips, sizeof moment.ips);
    if (!agree_link_say(&host->link, &moment))
        silent(host, "a message could not be sent");
}

static void on_pong(struct agree_host *host, const struct agree_moment *heard)
{
    const time_ps now = env_now(host->site.env), round_trip = now - host->asked_at;
    if (heard->sequence != host->pings)
        return;
    if (host->pings == 0 || round_trip < host->round_trip) {
        host->round_trip = round_trip;
        host->offset = heard->clock - (host->asked_at + round_trip / 2);
    }
    if (++host->pings < PINGS) {
        send_moment(host, AGREE_PING, TIME_NEVER);
        return;
    }
    if (host->zero == TIME_NEVER)
        host->zero = now + host->lead;
    send_moment(host, AGREE_BEGIN, host->zero + host->offset);
}

static void on_completion(void *self, struct verbs_conn *conn, const struct ibv_wc *wc)
{
    struct agree_host *host = self;
    struct agree_moment heard;
    (void)conn;
    if (host->end != AGREE_ASKING || !agree_link_heard(&host->link, wc, &heard))
        return;
    if (heard.kind == AGREE_PONG) {
        on_pong(host, &heard);
    } else if (heard.kind == AGREE_BEGUN && heard.zero != TIME_NEVER) {
        host->zero = heard.zero - host->offset;
        done(host, AGREE_AGREED);
    }
}

/* ------------------------------------------------------------------ differences */

static const char *our_line(const struct agree_host *host)
{
    const struct agree_plan *plan = host->site.plan;
    return host->same < plan->count ? plan->lines[host->same] : "nothing";
}

static void say_difference(struct agree_host *host)
{
    snprintf(host->text, sizeof host->text,
             "the target runs a different scenario: %.180s here, %.180s there", our_line(host),
             host->theirs[0] != '\0' ? host->theirs : "nothing");
    done(host, AGREE_REFUSED);
}

/* Number of lines for the next comparison: the middle of the unknown range. */
static uint32_t middle(const struct agree_host *host)
{
    return host->same + (host->different - host->same) / 2;
}

static void on_compared(struct agree_host *host, const struct agree_answer *answer)
{
    const uint32_t asked = middle(host);
    if (answer->verdict == AGREE_SAME) {
        host->same = asked;
        snprintf(host->theirs, sizeof host->theirs, "%s", answer->text);
    } else {
        host->different = asked;
    }
    if (host->different - host->same > 1)
        ask_soon(host);
    else
        say_difference(host);
}

static void begin_comparing(struct agree_host *host, const struct agree_answer *answer)
{
    const uint32_t ours = host->site.plan->count;
    host->comparing = true;
    host->same = 0;
    snprintf(host->theirs, sizeof host->theirs, "%s", answer->text);
    /* one line more than both have is never equal */
    host->different = (ours < answer->lines ? ours : answer->lines) + 1;
    ask_soon(host);
}

/* ------------------------------------------------------------------ connection */

static void refuse(struct agree_host *host, const char *why)
{
    snprintf(host->text, sizeof host->text, "%s", why);
    done(host, AGREE_REFUSED);
}

/* Handles verdicts that need no proof; false: another verdict. */
static bool is_about_access(struct agree_host *host, const struct agree_answer *answer)
{
    const bool secret = host->site.access->secret;
    switch (answer->verdict) {
    case AGREE_OTHER_VERSION:
        refuse(host, "the target is a different version of this program");
        return true;
    case AGREE_CHALLENGED:
        if (!secret || host->challenged) {
            refuse(host, "the target sent an unexpected challenge");
            return true;
        }
        memcpy(host->challenge, answer->nonce, sizeof host->challenge);
        host->challenged = true;
        ask_soon(host);
        return true;
    case AGREE_WRONG_SECRET:
        if (!host->proved) {
            refuse(host, "the target has a different shared secret");
            return true;
        }
        host->challenged = host->proved = false; /* the challenge has expired */
        ask_soon(host);
        return true;
    case AGREE_SECRET_NEEDED:
        refuse(host, "the target requires its shared secret (--secret)");
        return true;
    case AGREE_NO_SECRET:
        refuse(host, "there is a shared secret here, but the target has none");
        return true;
    case AGREE_NOT_LOCAL:
        refuse(host, "the target accepts other machines only with a shared secret (--secret)");
        return true;
    default:
        return false;
    }
}

static void on_answer(struct agree_host *host, const struct agree_answer *answer,
                      const unsigned char *bytes)
{
    const struct scenario *scenario = host->site.plan->scenario;
    if (is_about_access(host, answer))
        return;
    if (!agree_answer_is_proven(host->site.access, host->request, bytes)) {
        refuse(host, "the target's answer does not prove that it has the shared secret");
        return;
    }
    host->proved = true;
    switch (answer->verdict) {
    case AGREE_OTHER_SCENARIO:
        if (!host->comparing) {
            begin_comparing(host, answer);
            return;
        }
        break;
    case AGREE_SAME:
    case AGREE_DIFFERENT:
        if (host->comparing) {
            on_compared(host, answer);
            return;
        }
        break;
    case AGREE_OTHER_TARGET:
        snprintf(host->text, sizeof host->text, "the target there is %s, not %s", answer->text,
                 scenario->nodes[host->site.node].name);
        break;
    case AGREE_FULL:
        snprintf(host->text, sizeof host->text, "the target accepts no more hosts");
        break;
    default:
        break;
    }
    if (host->text[0] == '\0')
        snprintf(host->text, sizeof host->text, "the target refused and gave no reason");
    done(host, AGREE_REFUSED);
}

static void on_rejected(struct agree_host *host, const struct verbs_event *event)
{
    struct agree_answer answer;
    if (agree_read_answer(event->private_data, event->private_len, &answer)) {
        on_answer(host, &answer, event->private_data);
        return;
    }
    snprintf(host->text, sizeof host->text, "the peer does not support the agreement%s",
             event->status == NO_SUCH_SERVICE ? "" : " of this version");
    done(host, AGREE_FOREIGN);
}

/* The session's key is derived from the answer, so the first moment proves that both ends have the
 * secret. */
static void on_welcome(struct agree_host *host, const struct verbs_event *event)
{
    struct agree_answer answer;
    const struct access *access = host->site.access;
    if (!agree_read_answer(event->private_data, event->private_len, &answer) ||
        answer.verdict != AGREE_WELCOME ||
        !agree_answer_is_proven(access, host->request, event->private_data)) {
        refuse(host, access->secret
                         ? "the target's answer does not prove that it has the shared secret"
                         : "the target accepted without an agreement message");
        return;
    }
    agree_session_make(&host->link.session, access, host->request, event->private_data);
    host->pings = 0;
    send_moment(host, AGREE_PING, TIME_NEVER);
}

static void on_cm(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    struct agree_host *host = self;
    char why[96];
    (void)conn;
    switch (event->type) {
    case RDMA_CM_EVENT_ESTABLISHED:
        on_welcome(host, event);
        break;
    case RDMA_CM_EVENT_REJECTED:
        on_rejected(host, event);
        break;
    case RDMA_CM_EVENT_DISCONNECTED:
        silent(host, "the target left");
        break;
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
        silent(host, "the device was removed");
        break;
    default:
        snprintf(why, sizeof why, "no route to the target: %s",
                 strerror(event->status < 0 ? -event->status : EHOSTUNREACH));
        silent(host, why);
    }
}

static void write_request(struct agree_host *host)
{
    const struct agree_plan *plan = host->site.plan;
    const bool secret = host->site.access->secret;
    const uint32_t prefix = host->comparing ? middle(host) : 0;
    struct agree_request request = {
        .version = AGREE_VERSION,
        .question = secret && !host->challenged ? AGREE_CHALLENGE
                    : host->comparing           ? AGREE_COMPARE
                                                : AGREE_JOIN,
        .proven = secret && host->challenged,
        .digest = plan->digest,
        .lines = plan->count,
        .prefix = prefix,
        .prefix_hash = plan->hashes[prefix],
        .target = host->site.node,
    };
    access_random(&request.nonce, sizeof request.nonce);
    agree_write_request(&request, host->request);
    if (request.proven)
        agree_prove_request(host->site.access, host->challenge, host->request);
}

static void ask(struct agree_host *host)
{
    const struct verbs_peer peer = {.ip = host->ip, .port = AGREE_PORT};
    const struct rdma_conn_param param = {.private_data = host->request,
                                          .private_data_len = sizeof host->request,
                                          .retry_count = 7,
                                          .rnr_retry_count = 7};
    const struct verbs_user user = {.self = host, .on_cm = on_cm, .on_completion = on_completion};
    write_request(host);
    host->link.conn =
        host->site.verbs->connect(host->site.device, &peer, &agree_link_cap, &param, &user);
    env_timer_set(host->site.env, &host->limit, env_now(host->site.env) + patience);
    if (host->link.conn == NULL || !agree_link_listen(&host->link))
        silent(host, "the device cannot connect");
}

static void ask_again(void *self, time_ps now)
{
    struct agree_host *host = self;
    (void)now;
    host->site.verbs->destroy(host->link.conn);
    host->link.conn = NULL;
    ask(host);
}

static void on_limit(void *self, time_ps now)
{
    (void)now;
    silent(self, "no answer within 10 s");
}

struct agree_host *agree_host_create(const struct agree_site *site, uint32_t ip,
                                     const uint32_t ips[NICS_MAX], time_ps zero, time_ps lead,
                                     void (*on_done)(void *self), void *self)
{
    struct agree_host *host = memory_new(sizeof *host);
    *host = (struct agree_host){
        .site = *site, .on_done = on_done, .self = self, .ip = ip, .lead = lead, .zero = zero};
    memcpy(host->ips, ips, sizeof host->ips);
    host->next = (struct timer){.fire = ask_again, .self = host, .due = TIME_NEVER};
    host->limit = (struct timer){.fire = on_limit, .self = host, .due = TIME_NEVER};
    const bool opened = agree_link_open(&host->link, &host->site, AGREE_HOST);
    if (!opened && site->verbs->no_memory != NULL)
        site->verbs->no_memory(site->device, AGREE_MOMENT_BYTES);
    CHECK(opened);
    ask(host);
    return host;
}

void agree_host_free(struct agree_host *host)
{
    if (host == NULL)
        return;
    env_timer_cancel(host->site.env, &host->next);
    env_timer_cancel(host->site.env, &host->limit);
    agree_link_close(&host->link);
    free(host);
}

enum agree_end agree_host_end(const struct agree_host *host)
{
    return host->end;
}

const char *agree_host_text(const struct agree_host *host)
{
    return host->text;
}

time_ps agree_host_zero(const struct agree_host *host)
{
    return host->zero;
}

time_ps agree_host_round_trip(const struct agree_host *host)
{
    return host->round_trip;
}
