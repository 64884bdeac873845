/* SPDX-License-Identifier: Apache-2.0
 * tcp_private - connections and the port that they share.
 * Offsets.  Sequence numbers are 64-bit stream offsets inside: the SYN is 0, data begins at 1, the
 * FIN takes one offset behind the data.  On the wire they are 32 bits from the initial sequence
 * number on. */
#ifndef STORMGLASS_TCP_TCP_PRIVATE_H
#define STORMGLASS_TCP_TCP_PRIVATE_H

#include "base/cpu_core.h"
#include "base/pool.h"
#include "base/probe.h"
#include "base/slab.h"
#include "tcp/content.h"
#include "tcp/segment.h"
#include "tcp/tcp.h"
#include "tcp/tcp_accecn.h"
#include "tcp/tcp_watch.h"

/* ------------------------------------------------------------------ states */

enum tcp_state {
    TCP_CLOSED,
    TCP_SYN_SENT,
    TCP_SYN_RECEIVED,
    TCP_ESTABLISHED,
    TCP_FIN_WAIT_1,
    TCP_FIN_WAIT_2,
    TCP_CLOSE_WAIT,
    TCP_CLOSING,
    TCP_LAST_ACK,
    TCP_TIME_WAIT,
    TCP_STATES
};

enum tcp_recovery { TCP_OPEN, TCP_DISORDER, TCP_CWR, TCP_RECOVERY, TCP_LOSS, TCP_RECOVERIES };

/* ------------------------------------------------------------------ sent segments */

enum tcp_seg_flags {
    TCP_SEG_SACKED = 1 << 0,
    TCP_SEG_LOST = 1 << 1,
    TCP_SEG_RETRANS = 1 << 2, /* its retransmission is in flight */
    TCP_SEG_EVER = 1 << 3,    /* it was retransmitted at some time */
    TCP_SEG_FIN = 1 << 4,
    TCP_SEG_PUSH = 1 << 5,
    TCP_SEG_SORTED = 1 << 6, /* in the list by the time of sending */
    TCP_SEG_CWR = 1 << 7,    /* carries CWR */
};

/* A segment that was sent and is not acknowledged.  Segments have numbers; the one with number n is
 * at n & seg_mask. */
struct tcp_seg {
    uint64_t seq;
    time_ps sent_at;
    uint32_t length;         /* of sequence space: with the FIN */
    uint32_t next, previous; /* by the time of sending: numbers */
    uint8_t flags;
};

/* Segments that leave together. */
struct tcp_batch {
    uint32_t next; /* of the connection; first: a slab keeps its free list here */
    uint32_t first, count;
    bool again; /* a retransmission */
};

/* ------------------------------------------------------------------ cores */

struct tcp_conn;

/* A core that executes TCP for some connections. */
struct tcp_core {
    struct tcp *tcp;
    struct cpu_core own,
        *on; /* on: the processor that it is a user of; own, or one that is shared */
    struct cpu_job job;
    struct timer interrupt;
    struct tcp_conn *first, *last;               /* that need it, in order */
    struct tcp_conn *current;                    /* whose work it does; NULL: none */
    struct tcp_conn *announced, *last_announced; /* whose segments the next interrupt announces */
    uint32_t rx_count;                           /* segments of all of its connections */
    bool polling;                                /* since the last interrupt */
    bool interrupted;                            /* the interrupt itself takes time */
    bool polled;                                 /* a thread polls: no interrupts, no sleep */
    bool asleep; /* the interrupt found the processor idle, and no data was received since */
    time_ps begun_at, woken_at; /* its last work, its last interrupt; for observers */
    time_ps busy;
};

/* ------------------------------------------------------------------ connections */

enum tcp_timer_kind { TCP_TIMER_RTO, TCP_TIMER_PROBE, TCP_TIMER_REORDER, TCP_TIMER_WINDOW };

struct tcp_conn {
    uint32_t slot; /* first: a slab keeps its free list here */
    uint32_t next_hash;
    struct tcp *tcp;
    struct stream_user user;
    uint32_t peer; /* endpoint */
    uint32_t entropy;
    uint16_t local_port, peer_port;
    uint8_t state, recovery; /* enum tcp_state, enum tcp_recovery */
    uint8_t tos, priority;
    bool owned;     /* by its user */
    bool destroyed; /* by its user, or there is none */
    bool accepted;  /* this side listened */
    bool reported;  /* on_closed was called */
    bool fresh;     /* on_readable is due */
    uint32_t holds; /* callers that still use it */
    struct tcp_conn *next_dead;
    int error;

    /* options that both sides have */
    bool sack, timestamps, ecn;
    bool accurate; /* and its feedback is accurate ECN */
    uint8_t send_scale, receive_scale;
    uint32_t mss;          /* payload of a full segment */
    uint32_t payload_most; /* the same, less the options of the segments sent now */

    /* sending */
    uint32_t iss, irs;
    uint64_t una, nxt;
    uint64_t window_end;  /* offset that the peer's window ends at */
    uint64_t send_window; /* bytes */
    struct content out;
    uint64_t pushed; /* offset up to which segments that are not full may leave */
    uint64_t send_limit;
    bool fin_wanted, fin_sent;
    bool blocked; /* `send` took less than offered */
    struct tcp_seg *segs;
    uint32_t seg_mask;           /* places less one */
    uint32_t seg_head, seg_tail; /* numbers: the first unacknowledged one, the next one */
    uint32_t sorted_head, sorted_tail;
    uint32_t sacked_out, lost_out, retrans_out;
    uint32_t lost_hint;                           /* no lost segment has a lower number */
    uint32_t sack_cache[2 * SEGMENT_SACK_BLOCKS]; /* edges in the last ACK */
    uint8_t sack_cached;
    uint32_t dup_acks;

    /* batches on their way to the NIC */
    uint32_t batch_head, batch_tail;
    uint32_t batch_done; /* segments of the first batch that are frames already */
    uint64_t queued;     /* bytes in batches */
    struct tcp_conn *next_queued;
    bool in_qdisc;
    bool held_back; /* by output_limit */

    /* round-trip time, in ps: srtt eightfold, mdev and rttvar fourfold */
    time_ps srtt8, mdev, mdev_max, rttvar, rto;
    uint64_t rtt_seq;
    time_ps min_rtt;
    uint8_t backoff;
    uint32_t timeouts_in_row;

    /* congestion */
    struct tcp_cc_flow cc;
    const struct tcp_cc_ops *ops;
    uint64_t high_seq; /* outstanding when the reduction began */
    uint32_t prior_cwnd, prior_ssthresh;
    uint32_t prr_delivered, prr_out;
    uint64_t undo_marker; /* 0: none */
    int64_t undo_retrans;
    time_ps retrans_at;  /* the first retransmission of this recovery; 0: none */
    bool frto;           /* the last timeout may have been spurious */
    uint32_t max_flight; /* segments, of this round */
    uint64_t flight_end;
    bool was_limited;
    bool cwr_due;
    uint64_t ecn_seen; /* offset up to which echoes belong to one reduction */
    time_ps last_send;

    /* RACK and TLP */
    time_ps rack_rtt, rack_sent;
    uint64_t rack_end;
    bool rack_moved, reordered;
    uint8_t reo_steps;
    uint64_t reo_round;
    uint64_t highest_sacked;
    uint64_t tlp_end; /* offset of nxt when a probe was sent; 0: none */
    bool tlp_again;   /* the probe was a retransmission */

    /* pacing */
    time_ps pace_until;

    /* receiving */
    uint64_t received;   /* next offset expected */
    uint64_t acked;      /* last acknowledgment sent */
    uint64_t advertised; /* offset that the own window ends at */
    struct content in;
    uint32_t ooo_head, ooo_tail; /* frames by offset */
    uint64_t ooo_bytes;
    uint64_t blocks[2 * SEGMENT_SACK_BLOCKS]; /* SACK blocks, the newest first */
    uint8_t block_count;
    uint64_t dsack[2];
    bool dsack_due;
    uint64_t receive_limit; /* bytes of the receive buffer */
    uint64_t tune_copied;   /* read since tune_end was set */
    uint64_t tune_end;      /* offset */
    bool fin_seen, fin_read;
    uint64_t fin_at;
    uint32_t ts_recent;
    uint8_t quick; /* ACKs that are not delayed */
    bool pingpong; /* it answers data with data */
    bool ack_due, ack_at_once;
    bool short_seen, short_again; /* short segments since the last ACK: ICSK_ACK_PUSHED, PUSHED2 */
    time_ps last_data;
    bool ce, echo; /* ECN: the last packet was marked; ACKs echo */
    struct tcp_accecn accecn;
    bool window_closed;

    /* segments on their way from the NIC, and the core's work */
    struct tcp_core *core;
    struct tcp_core own_core;
    struct tcp_conn *next_work, *next_announced;
    uint32_t rx_head, rx_tail;
    uint32_t rx_count;
    uint32_t work_frames; /* of the batch that the core processes */
    bool listed;          /* waits for the core */
    bool is_announced;    /* waits for an interrupt */
    bool want_send;
    uint8_t works;       /* mask of enum stream_work: work for its user that waits or runs */
    uint8_t work;        /* 1 + enum stream_work: the core does it now; 0: none */
    bool digests;        /* its user computes the CRC32C of all bytes */
    uint64_t undigested; /* bytes sent whose digest has taken no time yet */
    bool secure;         /* its user decrypts: delivered is what is decrypted */
    uint32_t work_bytes[STREAM_WORKS];

    struct timer rtx, ack_timer, pace_timer;
    uint8_t rtx_kind; /* enum tcp_timer_kind, while rtx is set */

    uint64_t watched_nxt; /* reported by tcp_watch_hold */
    uint8_t watched_state;
    struct tcp_messages messages;

    struct stream_info did; /* counters only */
    alignas(8) unsigned char cc_state[TCP_CC_STATE_BYTES];
};

struct tcp_listen {
    uint16_t port;
    struct stream_listener user;
};

struct tcp {
    struct node *node;
    struct frame_pool *frames;
    struct tcp_site site;
    struct tcp_params params;
    struct tcp_counters counters;
    struct slab conns, batches;
    struct tcp_conn *dead; /* destroyed, with wake-ups of timers under way */
    uint32_t *buckets;
    uint32_t bucket_mask, conn_count;
    struct tcp_listen *listens;
    uint32_t listen_count, listen_room;
    uint16_t next_port;
    uint64_t isn;
    struct tcp_core *cores;
    uint32_t core_count;
    struct tcp_conn *qdisc_head[PRIORITIES], *qdisc_tail[PRIORITIES];
    struct timer nic_timer;
    uint8_t uses; /* priorities that were used */
    bool feeding, feed_again;
    time_ps busy;     /* of cores whose connections are gone */
    int64_t expected; /* bytes of operations under way that its users read */
};

static inline struct stream_conn *tcp_stream(struct tcp_conn *conn)
{
    return (struct stream_conn *)(void *)conn;
}

static inline time_ps tcp_now(const struct tcp *tcp)
{
    return node_now(tcp->node);
}

/* ------------------------------------------------------------------ offsets */

/* The offset nearest to `near` with that sequence number. */
static inline uint64_t tcp_offset(uint32_t first, uint32_t number, uint64_t near)
{
    return near + (uint64_t)(int64_t)(int32_t)(number - first - (uint32_t)near);
}

static inline uint32_t tcp_number(uint32_t first, uint64_t offset)
{
    return first + (uint32_t)offset;
}

static inline struct tcp_seg *tcp_seg(const struct tcp_conn *conn, uint32_t number)
{
    return &conn->segs[number & conn->seg_mask];
}

static inline uint32_t tcp_packets_out(const struct tcp_conn *conn)
{
    return conn->seg_tail - conn->seg_head;
}

static inline uint32_t tcp_in_flight(const struct tcp_conn *conn)
{
    return tcp_packets_out(conn) - conn->sacked_out - conn->lost_out + conn->retrans_out;
}

/* ------------------------------------------------------------------ scoreboard.c */

void tcp_board_add(struct tcp_conn *conn, const struct tcp_seg *seg);
/* A tail loss probe is no part of retrans_out: __tcp_retransmit_skb of Linux. */
void tcp_board_sent_again(struct tcp_conn *conn, uint32_t number, bool probe, time_ps now);
void tcp_board_unsort(struct tcp_conn *conn, uint32_t number);
void tcp_board_mark_lost(struct tcp_conn *conn, uint32_t number);
/* No segment is lost any more. */
void tcp_board_forgive(struct tcp_conn *conn);
/* The number of the first segment that ends behind the offset; seg_tail: none. */
uint32_t tcp_board_find(const struct tcp_conn *conn, uint64_t offset);
void tcp_board_pop(struct tcp_conn *conn);
void tcp_board_fini(struct tcp_conn *conn);
void tcp_board_audit(const struct tcp_conn *conn);

/* ------------------------------------------------------------------ tcp_output.c */

/* Sends what windows, pacing and limits allow. */
void tcp_output(struct tcp_conn *conn, time_ps now);
/* Sends lost segments again, as far as cwnd allows. */
void tcp_retransmit_lost(struct tcp_conn *conn, time_ps now);
void tcp_retransmit(struct tcp_conn *conn, uint32_t number, bool probe, time_ps now);
/* One new segment, whatever cwnd says.  False: there is nothing new, or no window. */
bool tcp_send_one(struct tcp_conn *conn, time_ps now);
/* What the window allows, even if it is less than a segment. */
void tcp_send_rest(struct tcp_conn *conn, time_ps now);
/* There may be something to send: at once, or when the core is free. */
void tcp_want_send(struct tcp_conn *conn, time_ps now);
uint64_t tcp_pacing_bps(const struct tcp_conn *conn);

/* ------------------------------------------------------------------ tcp_frame.c */

void tcp_send_ack(struct tcp_conn *conn, time_ps now);
void tcp_send_syn(struct tcp_conn *conn, time_ps now);
void tcp_send_rst(struct tcp_conn *conn, time_ps now);
void tcp_send_window_probe(struct tcp_conn *conn, time_ps now);
/* Answers a segment that belongs to no connection. */
void tcp_refuse(struct tcp *tcp, const struct frame *frame, time_ps now);
/* Longest segment at the offset, at most `most` bytes, whose content fits into a frame. */
uint32_t tcp_content_fit(const struct tcp_conn *conn, uint64_t offset, uint32_t most);
uint32_t tcp_make_data(struct tcp_conn *conn, const struct tcp_seg *seg, bool again, time_ps now);
uint16_t tcp_window_field(struct tcp_conn *conn);

/* ------------------------------------------------------------------ tcp_nic.c */

void tcp_queue_batch(struct tcp_conn *conn, uint32_t first, uint32_t count, bool again,
                     uint64_t bytes, time_ps now);
void tcp_drop_batches(struct tcp_conn *conn);
void tcp_nic_feed(struct tcp *tcp, time_ps now);
void tcp_nic_on_timer(void *self, time_ps now);
/* A frame that is no data: to the port at once. */
void tcp_send_frame(struct tcp_conn *conn, uint32_t handle);

/* ------------------------------------------------------------------ tcp_core.c */

void tcp_core_init(struct tcp_core *core, struct tcp *tcp);
/* A frame of the connection has arrived. */
void tcp_core_receive(struct tcp_conn *conn, uint32_t handle, time_ps now);
/* What the core has counted already of the work that it does now. */
time_ps tcp_core_left(const struct tcp_core *core, time_ps now);
/* The connection needs the core. */
void tcp_core_list(struct tcp_conn *conn, time_ps now);
/* Work for the connection's user. False: it takes no time. */
bool tcp_core_work(struct tcp_conn *conn, enum stream_work what, uint32_t bytes, time_ps now);
/* The core of this connection alone becomes a user of the processor.  False: it serves others. */
bool tcp_core_run_on(struct tcp_conn *conn, struct cpu_core *processor);
/* Drops what the connection has at the core. */
void tcp_core_leave(struct tcp_conn *conn);

/* ------------------------------------------------------------------ tcp_input.c, tcp_receive.c */

/* A segment of the connection; takes the frame over. */
void tcp_input(struct tcp_conn *conn, uint32_t handle, time_ps now);
/* Data of a segment; true: the frame is kept. */
bool tcp_receive_data(struct tcp_conn *conn, uint32_t handle, uint64_t seq, time_ps now);
/* After the segments of a batch: ACKs, callbacks. */
void tcp_receive_end(struct tcp_conn *conn, time_ps now);
void tcp_ack_was_sent(struct tcp_conn *conn);
void tcp_on_read(struct tcp_conn *conn, uint64_t bytes, time_ps now);
void tcp_on_ack_timer(void *self, time_ps now);
uint64_t tcp_receive_room(const struct tcp_conn *conn);
void tcp_receive_fini(struct tcp_conn *conn);

/* ------------------------------------------------------------------ tcp_ack.c */

void tcp_on_ack(struct tcp_conn *conn, const struct frame *frame, uint64_t seq, time_ps now);
/* Data from that offset on reached the peer later than other data. */
void tcp_note_reordering(struct tcp_conn *conn, uint64_t offset, uint64_t *counter);

/* ------------------------------------------------------------------ tcp_recovery.c */

/* The content of an ACK. */
struct tcp_round {
    uint64_t prior_una;
    uint32_t prior_flight, prior_lost;
    uint64_t prior_delivered;
    uint32_t acked_sacked; /* segments newly acknowledged or SACKed */
    uint32_t acked;        /* segments newly acknowledged */
    uint32_t bytes;        /* newly acknowledged or SACKed */
    uint32_t marks;        /* segments that had CE when they arrived */
    time_ps first_sent;    /* of acknowledged segments sent once; -1: none */
    time_ps last_sent;     /* likewise; the last one */
    time_ps sack_sent;     /* of a newly SACKed segment sent once; -1: none */
    int64_t stamp;         /* timestamp that it echoes, in ms; -1: none */
    bool dsack, echo, retrans_acked, duplicate, sacked;
    bool original;  /* for a segment sent once, before the last timeout */
    bool timer_set; /* by loss detection */
};

/* What is sent again: nothing, lost segments, or first something new. */
enum tcp_resend { TCP_RESEND_NONE, TCP_RESEND_LOST, TCP_RESEND_NEW };

void tcp_set_recovery(struct tcp_conn *conn, enum tcp_recovery recovery);
/* Reacts to an ACK: loss detection and the state of recovery. */
enum tcp_resend tcp_recovery_on_ack(struct tcp_conn *conn, struct tcp_round *round, time_ps now);
void tcp_recovery_on_rto(struct tcp_conn *conn, time_ps now);
void tcp_enter_cwr(struct tcp_conn *conn, time_ps now);
/* Reduces the window for a loss that is repaired already. */
void tcp_end_cwr_at_once(struct tcp_conn *conn, time_ps now);
void tcp_cwnd_reduction(struct tcp_conn *conn, uint32_t acked_sacked, bool newly_lost,
                        bool advanced);

/* ------------------------------------------------------------------ tcp_undo.c */

/* A reduction of the window begins that may be undone. */
void tcp_undo_begin(struct tcp_conn *conn);
/* All that was outstanding is acknowledged: undoes the reduction if nothing was lost. */
bool tcp_undo_at_end(struct tcp_conn *conn, const struct tcp_round *round);
bool tcp_undo_by_dsack(struct tcp_conn *conn);
/* In fast recovery.  True: its retransmissions were unnecessary. */
bool tcp_undo_in_recovery(struct tcp_conn *conn, const struct tcp_round *round);
/* After a timeout.  TCP_RESEND_NONE: it was spurious. */
enum tcp_resend tcp_undo_after_timeout(struct tcp_conn *conn, const struct tcp_round *round);
/* The ACK answers what was sent before that time, as timestamps say. */
bool tcp_echoes_before(const struct tcp_round *round, time_ps sent);
/* A segment was retransmitted that is not acknowledged. */
bool tcp_any_retransmitted(const struct tcp_conn *conn);

/* ------------------------------------------------------------------ tcp_rack.c */

void tcp_rack_advance(struct tcp_conn *conn, const struct tcp_seg *seg, time_ps now);
/* True: it has set the timer. */
bool tcp_rack_detect(struct tcp_conn *conn, time_ps now);
void tcp_rack_on_timer(struct tcp_conn *conn, time_ps now);
void tcp_rack_on_dsack(struct tcp_conn *conn);
/* Whether the segment may still arrive, and for how long at most. */
time_ps tcp_rack_left(const struct tcp_conn *conn, const struct tcp_seg *seg, time_ps window,
                      time_ps now);
bool tcp_tlp_schedule(struct tcp_conn *conn, bool advancing, time_ps now);
void tcp_tlp_send(struct tcp_conn *conn, time_ps now);
void tcp_tlp_on_ack(struct tcp_conn *conn, const struct tcp_round *round, time_ps now);

/* ------------------------------------------------------------------ tcp_timer.c */

void tcp_rtt_sample(struct tcp_conn *conn, time_ps rtt);
void tcp_set_rtx(struct tcp_conn *conn, enum tcp_timer_kind kind, time_ps due);
void tcp_clear_rtx(struct tcp_conn *conn);
void tcp_rearm_rto(struct tcp_conn *conn, time_ps now);
void tcp_set_xmit_timer(struct tcp_conn *conn, time_ps now);
void tcp_check_window_probe(struct tcp_conn *conn, time_ps now);
void tcp_on_rtx(void *self, time_ps now);

/* ------------------------------------------------------------------ tcp_conn.c */

const char *tcp_state_name(enum tcp_state state);
void tcp_set_state(struct tcp_conn *conn, enum tcp_state state);
struct tcp_conn *tcp_conn_new(struct tcp *tcp, uint32_t peer, uint16_t local_port,
                              uint16_t peer_port);
struct tcp_conn *tcp_conn_find(const struct tcp *tcp, uint32_t peer, uint32_t ports);
/* A SYN for which there is a listener. */
void tcp_conn_on_syn(struct tcp *tcp, const struct frame *frame, time_ps now);
void tcp_read_syn(struct tcp_conn *conn, const struct frame *frame);
void tcp_established(struct tcp_conn *conn, time_ps now);
/* Ends the connection, and reports this to its user unless the user ended it. */
void tcp_conn_end(struct tcp_conn *conn, int error);
/* Frees it if nothing refers to it. */
void tcp_conn_release(struct tcp_conn *conn);
uint64_t tcp_send_room(const struct tcp_conn *conn);

#endif
