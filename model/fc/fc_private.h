/* SPDX-License-Identifier: Apache-2.0
 * fc_private - declarations shared by the files of an N_Port.
 *   fc.c           creation, the list of what is to be reported, audit
 *   fc_exchange.c  exchanges and their identifiers
 *   fc_send.c      units as frames
 *   fc_receive.c   frames as units
 *   fc_login.c     PLOGI, PRLI
 *   fc_watch.c     reports to the time accounting */
#ifndef STORMGLASS_FC_FC_PRIVATE_H
#define STORMGLASS_FC_FC_PRIVATE_H

#include "fc/fc.h"

enum { FC_SMALL_BYTES = 128, FC_XIDS = 65535 };

/* A unit that is to be sent. */
struct fc_out {
    struct fc_out *next;
    struct fc_exchange *exchange;
    struct fc_unit unit;
    uint32_t sent;
    uint32_t end; /* number after its last frame, as in fc_watch.c */
    bool watched;
    time_ps due;
    bool closes;         /* the exchange ends with it, though nobody refers to it any more */
    unsigned char *more; /* bytes of a larger unit; owned */
    unsigned char small[FC_SMALL_BYTES];
};

enum fc_event_kind { FC_EVENT_UNIT, FC_EVENT_SENT, FC_EVENT_FAILED, FC_EVENT_CALL };

/* What is to be reported. */
struct fc_event {
    struct fc_event *next;
    enum fc_event_kind kind;
    struct fc_exchange *exchange;
    time_ps due;
    struct fc_unit unit;
    bool opens;   /* the first unit of a peer's exchange */
    uint32_t end; /* as in fc_out */
    const char *why;
    void (*call)(void *self);
    void *self;
    unsigned char *more;
    unsigned char small[FC_SMALL_BYTES];
};

struct fc_exchange {
    struct fc *fc;
    uint32_t peer;        /* endpoint */
    uint16_t id, peer_id; /* FC_XID_UNKNOWN: the peer's is not known yet */
    bool responder;       /* the peer has opened it */
    bool closed;          /* by its user; freed when nothing refers to it */
    bool failed;          /* reported, or to be reported */
    bool started;         /* a unit was sent */
    bool ready;           /* in the list of those with frames to send */
    struct fc_user user;
    uint32_t events, outs; /* that refer to it */
    struct fc_out *first, *last;
    struct fc_exchange *next_ready;
    uint8_t posted; /* units */
    uint8_t seq_id; /* of the next unit sent */
    /* the unit that is arriving */
    bool arriving;
    uint8_t rx_seq;
    uint16_t rx_next; /* SEQ_CNT */
    struct fc_event *unit;
    uint32_t received; /* bytes of data of the whole exchange */
    unsigned char *into;
    uint32_t into_length;
};

struct fc_waiter {
    struct fc_waiter *next;
    void (*done)(void *self);
    void *self;
};

/* Another N_Port. */
struct fc_peer {
    struct fc_peer *next;
    uint32_t endpoint;
    bool logged_in, busy;
    time_ps asked_at;
    struct fc_waiter *waiters;
};

struct fc {
    struct fc_site site;
    struct fc_counters counters;
    struct fc_listener of_fcp, of_nvme;
    uint32_t data_most;         /* bytes of data in a frame */
    struct fc_exchange **table; /* by identifier */
    uint32_t table_room, table_next, in_use;
    struct fc_exchange *ready_first, *ready_last;
    struct fc_out *outbox_first, *outbox_last, *free_outs;
    struct fc_event *events_first, *events_last, *free_events;
    struct timer send_timer, report_timer;
    struct fc_peer *peers;
};

static inline uint32_t fc_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* fc.c */
struct fc_event *fc_event_take(struct fc *fc, enum fc_event_kind kind,
                               struct fc_exchange *exchange);
/* Reports it when its time has come; events become due in the order of these calls. */
void fc_report(struct fc *fc, struct fc_event *event, time_ps due);
void fc_event_give(struct fc *fc, struct fc_event *event);
/* Room for `length` bytes of the unit. */
unsigned char *fc_event_room(struct fc_event *event, uint32_t length);

/* fc_exchange.c */
struct fc_exchange *fc_exchange_make(struct fc *fc, uint32_t peer);
struct fc_exchange *fc_exchange_at(const struct fc *fc, uint16_t id);
/* Frees it if it is closed and nothing refers to it. */
void fc_exchange_settle(struct fc_exchange *exchange);
void fc_exchange_fail(struct fc_exchange *exchange, const char *why);

/* fc_send.c */
void fc_drop_outs(struct fc_exchange *exchange);
void fc_on_send(void *self, time_ps now);
/* As fc_send, for a unit after which the exchange has no reference left. */
void fc_send_last(struct fc_exchange *exchange, const struct fc_unit *unit);

/* fc_login.c */
void fc_on_els(struct fc_exchange *exchange, const struct fc_unit *unit);
void fc_login_free(struct fc *fc);

/* fc_watch.c */
/* A unit is to be sent; gives it its number. */
void fc_watch_post(struct fc_exchange *exchange, struct fc_out *out);
/* Its delay has passed: it waits for the port. */
void fc_watch_ready(const struct fc_exchange *exchange, const struct fc_out *out);
/* The last frame of a unit has arrived, and the unit is reported to its user. */
void fc_watch_arrive(const struct fc_exchange *exchange, uint32_t number);
void fc_watch_take(const struct fc_exchange *exchange, uint32_t end);

#endif
