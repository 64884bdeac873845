/* SPDX-License-Identifier: Apache-2.0
 * fc_login - PLOGI and PRLI between two N_Ports, as lpfc does before it uses a remote port.
 * The content of a request is its command code and the sizes; everything else is what both ports
 * of the model have anyway.
 * Source: FC-LS-3 4.2.3 (PLOGI, 116 B), 4.2.14 (PRLI); FC-NVMe 7 (a page of 20 B). */
#include "base/memory.h"
#include "fc/fc_private.h"

#include <stdlib.h>

enum {
    ELS_ACCEPT = 0x02,
    ELS_PLOGI = 0x03,
    ELS_PRLI = 0x20,
    PLOGI_BYTES = 116,
    PRLI_BYTES = 24,
    PRLI_PAGE_BYTES = 20,
    CLASS_3_AT = 68, /* class 3 service parameters, and in them the size of the data field */
};

/* E_D_TOV, after which Linux libfc repeats a login. */
#define AGAIN_AFTER (2 * PS_PER_S)

static uint32_t els_bytes(const struct fc *fc, uint8_t command, bool accept,
                          unsigned char bytes[PLOGI_BYTES])
{
    memset(bytes, 0, PLOGI_BYTES);
    bytes[0] = accept ? ELS_ACCEPT : command;
    if (command == ELS_PRLI) {
        bytes[1] = PRLI_PAGE_BYTES;
        bytes[3] = PRLI_BYTES;
        bytes[4] = FC_TYPE_NVME;
        return PRLI_BYTES;
    }
    bytes[CLASS_3_AT] = 0x80; /* valid */
    bytes[CLASS_3_AT + 6] = (unsigned char)(fc->data_most >> 8);
    bytes[CLASS_3_AT + 7] = (unsigned char)fc->data_most;
    return PLOGI_BYTES;
}

/* Requests differ by their sizes, which an accept repeats. */
void fc_on_els(struct fc_exchange *exchange, const struct fc_unit *unit)
{
    unsigned char bytes[PLOGI_BYTES];
    const uint8_t command = unit->length > 0 ? unit->bytes[0] : 0;
    if (command != ELS_PLOGI && command != ELS_PRLI) {
        fc_abort(exchange);
        return;
    }
    const uint32_t length = els_bytes(exchange->fc, command, true, bytes);
    fc_send_last(exchange, &(struct fc_unit){.r_ctl = FC_RCTL_ELS_REPLY,
                                             .type = FC_TYPE_ELS,
                                             .last = true,
                                             .bytes = bytes,
                                             .length = length});
}

/* ------------------------------------------------------------------ the side that logs in */

static struct fc_peer *peer_at(struct fc *fc, uint32_t endpoint)
{
    struct fc_peer *peer = fc->peers;
    while (peer != NULL && peer->endpoint != endpoint)
        peer = peer->next;
    if (peer != NULL)
        return peer;
    peer = memory_zeroed(1, sizeof *peer);
    peer->endpoint = endpoint;
    peer->next = fc->peers;
    fc->peers = peer;
    return peer;
}

static void finish(struct fc *fc, struct fc_peer *peer)
{
    peer->busy = false;
    while (peer->waiters != NULL) {
        struct fc_waiter *waiter = peer->waiters;
        peer->waiters = waiter->next;
        fc_defer(fc, waiter->done, waiter->self);
        free(waiter);
    }
}

static void request(struct fc *fc, struct fc_peer *peer, uint8_t command);

static void on_accept(void *self, struct fc_exchange *exchange, const struct fc_unit *unit)
{
    struct fc_peer *peer = self;
    struct fc *fc = exchange->fc;
    const uint32_t length = unit->length;
    fc_close(exchange);
    if (length == PLOGI_BYTES) {
        request(fc, peer, ELS_PRLI);
        return;
    }
    peer->logged_in = true;
    fc->counters.logins++;
    finish(fc, peer);
}

/* Lost on the way: those that wait time out. */
static void on_failed(void *self, struct fc_exchange *exchange, const char *why)
{
    struct fc_peer *peer = self;
    (void)why;
    fc_close(exchange);
    peer->busy = false;
}

static void request(struct fc *fc, struct fc_peer *peer, uint8_t command)
{
    unsigned char bytes[PLOGI_BYTES];
    const struct fc_user user = {.self = peer, .on_unit = on_accept, .on_failed = on_failed};
    peer->asked_at = env_now(fc->site.env);
    struct fc_exchange *exchange = fc_open(fc, fc->site.first_ip + peer->endpoint, &user);
    if (exchange == NULL) {
        peer->busy = false;
        return;
    }
    const uint32_t length = els_bytes(fc, command, false, bytes);
    fc_send(exchange, &(struct fc_unit){.r_ctl = FC_RCTL_ELS_REQUEST,
                                        .type = FC_TYPE_ELS,
                                        .initiative = true,
                                        .bytes = bytes,
                                        .length = length});
}

void fc_login(struct fc *fc, uint32_t ip, void (*done)(void *self), void *self)
{
    struct fc_peer *peer = peer_at(fc, ip - fc->site.first_ip);
    if (peer->logged_in) {
        fc_defer(fc, done, self);
        return;
    }
    struct fc_waiter *waiter = memory_new(sizeof *waiter);
    *waiter = (struct fc_waiter){.next = peer->waiters, .done = done, .self = self};
    peer->waiters = waiter;
    if (peer->busy && env_now(fc->site.env) - peer->asked_at < AGAIN_AFTER)
        return;
    peer->busy = true;
    request(fc, peer, ELS_PLOGI);
}

void fc_login_forget(struct fc *fc, const void *self)
{
    for (struct fc_peer *peer = fc->peers; peer != NULL; peer = peer->next) {
        struct fc_waiter **link = &peer->waiters;
        while (*link != NULL) {
            struct fc_waiter *waiter = *link;
            if (waiter->self != self) {
                link = &waiter->next;
                continue;
            }
            *link = waiter->next;
            free(waiter);
        }
    }
    fc_forget(fc, self);
}

void fc_login_free(struct fc *fc)
{
    while (fc->peers != NULL) {
        struct fc_peer *peer = fc->peers;
        fc->peers = peer->next;
        while (peer->waiters != NULL) {
            struct fc_waiter *waiter = peer->waiters;
            peer->waiters = waiter->next;
            free(waiter);
        }
        free(peer);
    }
}
