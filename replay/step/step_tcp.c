/* SPDX-License-Identifier: Apache-2.0
 * step_tcp - TCP connections: what `ss -ti` prints of them, and what they wait for. */
#include "replay/step/step_why_private.h"

#include "base/plural.h"
#include "replay/database/ss.h"
#include "tcp/tcp.h"

struct tcp_walk {
    struct step_walk *walk;
    uint32_t node, peer; /* peer: of `why` */
    uint16_t port;       /* of the node */
    const struct stepper *stepper;
    FILE *out;
    uint32_t found;
};

static uint32_t peer_node(const struct stepper *stepper, const struct stream_conn *conn)
{
    return stepper_host_of(stepper, tcp_stream_ops.peer_ip(conn) - RNIC_FIRST_IP);
}

static void each_connection(struct tcp_walk *of, tcp_viewer *viewer)
{
    const struct host *host = world_host(stepper_world(of->stepper), of->node);
    for (uint32_t i = 0; i < host->rnic_count; i++) {
        of->port = (uint16_t)i;
        if (host->rnics[i]->tcp != NULL)
            tcp_view(host->rnics[i]->tcp, viewer, of);
    }
}

/* ------------------------------------------------------------------ show */

static void show_connection(void *self, const struct tcp_view *view)
{
    struct tcp_walk *of = self;
    struct stream_info info;
    if (of->found++ >= STEP_SHOWN_MOST)
        return;
    tcp_stream_ops.info(view->conn, &info);
    fprintf(of->out,
            "  tcp port %u to port %u of %s, state %s:", tcp_stream_ops.local_port(view->conn),
            tcp_stream_ops.peer_port(view->conn),
            step_node(of->stepper, peer_node(of->stepper, view->conn))->name, info.state);
    ss_print_info(&info, of->out);
    fputc('\n', of->out);
}

void step_show_tcp(const struct stepper *stepper, uint32_t node, FILE *out)
{
    struct tcp_walk of = {.stepper = stepper, .node = node, .out = out};
    each_connection(&of, show_connection);
    if (of.found > STEP_SHOWN_MOST)
        fprintf(out, "  ... and %u more TCP %s\n", of.found - STEP_SHOWN_MOST,
                plural(of.found - STEP_SHOWN_MOST, "connection", "connections"));
}

/* ------------------------------------------------------------------ why */

static void why_timer(const struct step_walk *walk, const struct tcp_view *view)
{
    const time_ps now = step_now(walk->stepper);
    if (view->timer_due != TIME_NEVER && view->timer_due > now)
        step_why_line(walk, "its %s timer expires in %s", view->timer,
                      words_time(view->timer_due - now).text);
}

static void why_unanswered(const struct tcp_walk *of, const struct tcp_view *view)
{
    struct step_walk *walk = of->walk;
    const uint32_t local = tcp_stream_ops.local_port(view->conn);
    const uint32_t peer = tcp_stream_ops.peer_port(view->conn);
    const struct host *host = world_host(stepper_world(of->stepper), of->node);
    if (step_why_frame(walk, tcp_stream_ops.peer_ip(view->conn) - RNIC_FIRST_IP,
                       local << 16 | peer) ||
        step_why_frame(walk, host->rnics[of->port]->endpoint, peer << 16 | local))
        return;
    step_why_line(walk, "root cause: no segment or acknowledgment is queued in the fabric: it "
                        "is in flight, at the peer's core, or lost");
    why_timer(walk, view);
}

static void why_view(void *self, const struct tcp_view *view)
{
    struct tcp_walk *of = self;
    struct step_walk *walk = of->walk;
    struct stream_info info;
    tcp_stream_ops.info(view->conn, &info);
    if (peer_node(of->stepper, view->conn) != of->peer || (info.unacked == 0 && info.notsent == 0))
        return;
    of->found++;
    step_why_line(walk,
                  "tcp port %u of %s to port %u of %s: %s unacknowledged, %s not sent, cwnd %u",
                  tcp_stream_ops.local_port(view->conn), step_node(of->stepper, of->node)->name,
                  tcp_stream_ops.peer_port(view->conn), step_node(of->stepper, of->peer)->name,
                  words_bytes((int64_t)info.unacked).text, words_bytes((int64_t)info.notsent).text,
                  info.cwnd);
    walk->depth++;
    if (view->repairs) {
        step_why_line(walk, "root cause: the connection repairs a loss");
        why_timer(walk, view);
    } else if (view->hold == PROBE_HOLD_WINDOW) {
        step_why_line(walk,
                      "root cause: the receive window of the peer, or the send buffer, is full");
    } else if (view->hold == PROBE_HOLD_SOFTWARE) {
        step_why_line(walk, "root cause: its core is busy");
    } else if (view->hold == PROBE_HOLD_CONGESTION) {
        step_why_line(walk,
                      "its congestion window or pacing allows no more before an acknowledgment");
        why_unanswered(of, view);
    } else {
        why_unanswered(of, view);
    }
    walk->depth--;
}

void step_why_tcp(struct step_walk *walk, uint32_t node, uint32_t peer)
{
    struct tcp_walk of = {.walk = walk, .stepper = walk->stepper, .node = node, .peer = peer};
    each_connection(&of, why_view);
    of.node = peer;
    of.peer = node;
    each_connection(&of, why_view);
    if (of.found == 0)
        step_why_line(walk,
                      "root cause: no TCP connection between %s and %s has unacknowledged "
                      "data: the command is in flight or at a core of either host",
                      step_node(walk->stepper, node)->name, step_node(walk->stepper, peer)->name);
}
