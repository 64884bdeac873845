/* SPDX-License-Identifier: Apache-2.0
 * fc - Fibre Channel at one port of a host: an N_Port with exchanges of class 3.
 * An exchange is opened by its first information unit. A unit is one sequence: frames with up to
 * `mtu` bytes of data. Exchanges send in the order in which they became ready, each all that it has
 * (assumed: HBAs differ). Class 3 does not
 * repeat frames: an exchange in which one is missing fails, and one whose first or last unit is
 * lost waits until its user aborts it (ABTS, BA_ACC).
 * Two N_Ports log in with each other (PLOGI, PRLI) before their first exchange. The login with the
 * fabric (FLOGI) and the name server have taken place before the run.
 * A unit is sent tx_delay after the call and reported rx_delay after its last frame; so no callback
 * is made from within a call.
 * Source: FC-FS-4 clauses 11 to 14, FC-LS-3; sizes of PLOGI and PRLI as in Linux fc_els.h and lpfc.
 * Not modeled: classes 1 and 2, hunt groups, several sequences of an exchange in flight in one
 * direction at a time, R_A_TOV before an identifier is used again.
 * Owner: the host. Clock: the env's. Errors: on_failed, with a sentence for people. */
#ifndef STORMGLASS_FC_FC_H
#define STORMGLASS_FC_FC_H

#include "base/env.h"
#include "fc/fc_frame.h"
#include "net/port/port.h"

struct fc;
struct fc_exchange;

/* One information unit. Either real bytes, or `length` bytes of bulk data with a content tag. */
struct fc_unit {
    uint8_t r_ctl, type;
    bool last;       /* of the exchange */
    bool initiative; /* the receiver sends next */
    uint32_t length;
    const unsigned char *bytes; /* NULL: bulk; the memory stays until on_sent, or is copied if the
                                 * unit is not data */
    uint32_t content;
    uint32_t offset; /* data: relative offset of the first byte */
    uint32_t cookie; /* of the sender, for on_sent; 0: no report */
};

/* Callbacks of an exchange. They may make any call. */
struct fc_user {
    void *self;
    void (*on_unit)(void *self, struct fc_exchange *, const struct fc_unit *);
    void (*on_sent)(void *self, struct fc_exchange *, uint32_t cookie); /* NULL: no need to know */
    void (*on_failed)(void *self, struct fc_exchange *, const char *why);
};

struct fc_listener {
    void *self;
    /* A peer has opened an exchange. The callback must set a user, or close it. */
    void (*on_exchange)(void *self, struct fc_exchange *, const struct fc_unit *first);
};

struct fc_counters {
    uint64_t frames_tx, frames_rx, bytes_tx, bytes_rx; /* payload */
    uint64_t exchanges, aborts_tx, aborts_rx;
    uint64_t lost_frames; /* exchanges that failed because a frame was missing */
    uint64_t stray;       /* frames of no exchange */
    uint64_t logins;
};

struct fc_site {
    struct port *port;
    const struct env *env;
    uint32_t endpoint, first_ip;
    uint8_t ttl;
    time_ps tx_delay, rx_delay;
    void *nic;
    void (*kick)(void *nic); /* frames are ready: fc_next returns them */
};

struct fc *fc_create(const struct fc_site *site);
void fc_destroy(struct fc *fc);
void fc_audit(const struct fc *fc);
const struct fc_counters *fc_counters(const struct fc *fc);
uint32_t fc_ip(const struct fc *fc);

/* Exchanges of this FC-4 type that peers open. One listener for each of FCP and NVMe. */
void fc_listen(struct fc *fc, uint8_t type, const struct fc_listener *listener);
void fc_unlisten(struct fc *fc, uint8_t type);

/* Logs in with the port at that IP address, unless that has been done: `done` is called later. */
void fc_login(struct fc *fc, uint32_t ip, void (*done)(void *self), void *self);
/* Drops the calls of a login that are still to be made for `self`. */
void fc_login_forget(struct fc *fc, const void *self);

/* Opens an exchange; NULL: all 65535 identifiers are used. */
struct fc_exchange *fc_open(struct fc *fc, uint32_t ip, const struct fc_user *user);
void fc_set_user(struct fc_exchange *exchange, const struct fc_user *user);
void fc_send(struct fc_exchange *exchange, const struct fc_unit *unit);
/* Data that arrives is copied there, or, if it is NULL, dropped. */
void fc_receive_into(struct fc_exchange *exchange, unsigned char *bytes, uint32_t length);
/* Ends the exchange here, without callbacks; fc_abort also notifies the peer. */
void fc_close(struct fc_exchange *exchange);
void fc_abort(struct fc_exchange *exchange);
uint32_t fc_peer_ip(const struct fc_exchange *exchange);

/* Calls call(self) from the event loop. fc_forget drops the calls that are still to be made. */
void fc_defer(struct fc *fc, void (*call)(void *self), void *self);
void fc_forget(struct fc *fc, const void *self);

/* ---- for the port ---- */

/* The next frame, or POOL_NONE; keeps port->ready up to date. */
uint32_t fc_next(struct fc *fc, time_ps now);
void fc_receive(struct fc *fc, uint32_t handle, time_ps now);

#endif
