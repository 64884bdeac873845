/* SPDX-License-Identifier: Apache-2.0
 * agree_target - the end that answers requests. */
#include "base/memory.h"
#include "bridge/agree/agree_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session {
    struct agree_target *target;
    struct session *next;
    struct agree_link link;
    uint32_t ips[NICS_MAX]; /* addresses of the host once it has joined, 0 for none */
    bool up, joined, over;
};

struct agree_target {
    struct agree_site site;
    struct agree_state *state;
    void (*on_refused)(void *self, const char *text);
    void *self;
    struct session *sessions;
    uint32_t session_count;
    unsigned char key[ACCESS_KEY_BYTES]; /* key of challenges */
};

/* ------------------------------------------------------------------ sessions */

static void leave(struct session *session)
{
    struct agree_state *state = session->target->state;
    session->up = false;
    session->over = true;
    if (!session->joined)
        return;
    session->joined = false;
    if (--state->hosts == 0)
        state->zero = TIME_NEVER;
}

/* A connection must not be destroyed in its own callback, so it is destroyed when the next one
 * arrives. */
static void clear_away(struct agree_target *target, bool all)
{
    struct session **link = &target->sessions;
    while (*link != NULL) {
        struct session *session = *link;
        if (!session->over && !all) {
            link = &session->next;
            continue;
        }
        *link = session->next;
        leave(session);
        agree_link_close(&session->link);
        target->session_count--;
        free(session);
    }
}

static time_ps settle_zero(struct session *session, const struct agree_moment *heard)
{
    struct agree_state *state = session->target->state;
    if (state->zero == TIME_NEVER)
        state->zero = state->last_zero = heard->zero;
    memcpy(session->ips, heard->ips, sizeof session->ips);
    if (!session->joined) {
        state->hosts++;
        state->joined++;
    }
    session->joined = true;
    return state->zero;
}

static void answer_moment(struct session *session, const struct agree_moment *heard)
{
    const struct agree_target *target = session->target;
    struct agree_moment said = {.kind = AGREE_PONG,
                                .sequence = heard->sequence,
                                .clock = env_now(target->site.env),
                                .zero = target->state->zero};
    if (heard->kind == AGREE_BEGIN && heard->zero != TIME_NEVER) {
        said.kind = AGREE_BEGUN;
        said.zero = settle_zero(session, heard);
    } else if (heard->kind != AGREE_PING) {
        target->site.verbs->disconnect(session->link.conn);
        return;
    }
    if (!agree_link_say(&session->link, &said))
        target->site.verbs->disconnect(session->link.conn);
}

static void on_completion(void *self, struct verbs_conn *conn, const struct ibv_wc *wc)
{
    struct session *session = self;
    struct agree_moment heard;
    const bool failed = wc->status != IBV_WC_SUCCESS; /* the message is too long, or the host has
                                                       * left */
    if (!session->up || (!failed && (wc->opcode & IBV_WC_RECV) == 0))
        return;
    if (agree_link_heard(&session->link, wc, &heard))
        answer_moment(session, &heard);
    else
        session->target->site.verbs->disconnect(conn);
}

static void on_cm(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    struct session *session = self;
    (void)conn;
    if (event->type != RDMA_CM_EVENT_ESTABLISHED)
        leave(session);
}

/* ------------------------------------------------------------------ requests */

static void refused(struct agree_target *target, uint32_t ip, const char *why)
{
    char text[AGREE_TEXT_BYTES + 128];
    target->state->refused++;
    snprintf(text, sizeof text, "refused %u.%u.%u.%u: %s", ip >> 24, ip >> 16 & 255, ip >> 8 & 255,
             ip & 255, why);
    if (target->on_refused != NULL)
        target->on_refused(target->self, text);
}

static const char *name_of(const struct agree_target *target)
{
    return target->site.plan->scenario->nodes[target->site.node].name;
}

static void answer_compare(struct agree_target *target, const struct agree_request *request,
                           struct agree_answer *answer)
{
    const struct agree_plan *plan = target->site.plan;
    const bool same =
        request->prefix <= plan->count && plan->hashes[request->prefix] == request->prefix_hash;
    answer->verdict = same ? AGREE_SAME : AGREE_DIFFERENT;
    if (same && request->prefix < plan->count)
        snprintf(answer->text, sizeof answer->text, "%s", plan->lines[request->prefix]);
}

/* True if the proof matches the challenge of this period or of the previous one. */
static bool is_proven(const struct agree_target *target, const unsigned char *bytes, uint32_t ip)
{
    unsigned char challenge[AGREE_NONCE_BYTES];
    for (unsigned ago = 0; ago < 2; ago++) {
        agree_challenge(target->key, ip, env_now(target->site.env), ago, challenge);
        if (agree_request_is_proven(target->site.access, challenge, bytes))
            return true;
    }
    return false;
}

/* True if the sender may be answered; false: with this verdict, which reveals nothing. */
static bool admit(struct agree_target *target, const struct agree_request *request,
                  const unsigned char *bytes, uint32_t ip, struct agree_answer *answer)
{
    const struct access *access = target->site.access;
    if (request->version != AGREE_VERSION) {
        answer->verdict = AGREE_OTHER_VERSION;
        refused(target, ip, "it is a different version of this program");
    } else if (!access->secret && !access_is_local(access, ip)) {
        answer->verdict = AGREE_NOT_LOCAL;
        refused(target, ip, "other machines need a shared secret (--secret)");
    } else if (!access->secret && (request->proven || request->question == AGREE_CHALLENGE)) {
        answer->verdict = AGREE_NO_SECRET;
        refused(target, ip, "it uses a shared secret, and this target has none (--secret)");
    } else if (access->secret && request->question == AGREE_CHALLENGE) {
        answer->verdict = AGREE_CHALLENGED;
        agree_challenge(target->key, ip, env_now(target->site.env), 0, answer->nonce);
    } else if (access->secret && !request->proven) {
        answer->verdict = AGREE_SECRET_NEEDED;
        refused(target, ip, "it has no shared secret");
    } else if (access->secret && !is_proven(target, bytes, ip)) {
        answer->verdict = AGREE_WRONG_SECRET;
        refused(target, ip, "it has a different shared secret");
    } else {
        return true;
    }
    return false;
}

/* Decides whether a host is accepted. */
static void answer_join(struct agree_target *target, const struct agree_request *request,
                        uint32_t ip, struct agree_answer *answer)
{
    const struct agree_plan *plan = target->site.plan;
    const bool same = request->digest.high == plan->digest.high &&
                      request->digest.low == plan->digest.low && request->lines == plan->count;
    answer->verdict = AGREE_WELCOME;
    answer->lines = plan->count;
    access_random(answer->nonce, sizeof answer->nonce);
    if (request->question == AGREE_COMPARE) {
        answer_compare(target, request, answer);
    } else if (!same) {
        answer->verdict = AGREE_OTHER_SCENARIO;
        snprintf(answer->text, sizeof answer->text, "%s", plan->lines[0]);
        refused(target, ip, "it runs a different scenario or seed");
    } else if (request->target != target->site.node) {
        answer->verdict = AGREE_OTHER_TARGET;
        snprintf(answer->text, sizeof answer->text, "%s", name_of(target));
        refused(target, ip, "the host expects another host of the scenario at this address");
    } else if (target->session_count >= AGREE_SESSIONS_MAX) {
        answer->verdict = AGREE_FULL;
        refused(target, ip, "too many hosts are connected already");
    }
}

static bool welcome(struct session *session, const unsigned char *request,
                    const unsigned char *answer)
{
    struct agree_target *target = session->target;
    struct verbs_conn *conn = session->link.conn;
    const struct verbs_ops *verbs = target->site.verbs;
    const struct verbs_user user = {
        .self = session, .on_cm = on_cm, .on_completion = on_completion};
    const struct rdma_conn_param param = {
        .private_data = answer, .private_data_len = AGREE_ANSWER_BYTES, .rnr_retry_count = 7};
    const bool opened = agree_link_open(&session->link, &target->site, AGREE_TARGET);
    session->link.conn = conn;
    agree_session_make(&session->link.session, target->site.access, request, answer);
    if (!opened || verbs->prepare(conn, &agree_link_cap, &user) != 0 ||
        !agree_link_listen(&session->link))
        return false;
    session->up = true;
    return verbs->accept(conn, &param) == 0;
}

static struct session *add_session(struct agree_target *target, struct verbs_conn *conn)
{
    struct session *session = memory_new(sizeof *session);
    *session = (struct session){.target = target, .next = target->sessions};
    session->link.site = &target->site;
    session->link.conn = conn;
    target->sessions = session;
    target->session_count++;
    return session;
}

static void reject(struct session *session, const unsigned char *answer, uint8_t length)
{
    session->over = true;
    session->target->site.verbs->reject(session->link.conn, answer, length);
}

static void on_request(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    struct agree_target *target = self;
    struct agree_request request;
    struct agree_answer answer = {.version = AGREE_VERSION};
    unsigned char bytes[AGREE_ANSWER_BYTES];
    if (event->type != RDMA_CM_EVENT_CONNECT_REQUEST)
        return;
    clear_away(target, false);
    struct session *session = add_session(target, conn);
    if (!agree_read_request(event->private_data, event->private_len, &request)) {
        reject(session, NULL, 0);
        return;
    }
    const bool admitted = admit(target, &request, event->private_data, event->peer_ip, &answer);
    if (admitted)
        answer_join(target, &request, event->peer_ip, &answer);
    agree_write_answer(&answer, bytes);
    if (admitted)
        agree_prove_answer(target->site.access, event->private_data, bytes);
    if (answer.verdict != AGREE_WELCOME || !welcome(session, event->private_data, bytes))
        reject(session, bytes, sizeof bytes);
}

bool agree_target_knows(const struct agree_target *target, uint32_t ip)
{
    for (const struct session *session = target->sessions; session != NULL; session = session->next)
        for (unsigned i = 0; session->joined && ip != 0 && i < NICS_MAX; i++)
            if (session->ips[i] == ip)
                return true;
    return false;
}

struct agree_target *agree_target_create(const struct agree_site *site, struct agree_state *state,
                                         void (*on_refused)(void *self, const char *text),
                                         void *self)
{
    struct agree_target *target = memory_new(sizeof *target);
    *target = (struct agree_target){
        .site = *site, .state = state, .on_refused = on_refused, .self = self};
    access_random(target->key, sizeof target->key);
    const struct verbs_user user = {.self = target, .on_cm = on_request};
    const int error = site->verbs->listen(site->device, AGREE_PORT, &user);
    if (error == 0)
        return target;
    free(target);
    errno = error;
    return NULL;
}

void agree_target_free(struct agree_target *target)
{
    if (target == NULL)
        return;
    target->site.verbs->unlisten(target->site.device, AGREE_PORT);
    clear_away(target, true);
    free(target);
}
