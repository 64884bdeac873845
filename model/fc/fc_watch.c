/* SPDX-License-Identifier: Apache-2.0
 * fc_watch - reports frames and units of exchanges to the time accounting.
 * Each direction of an exchange is a stream in which a frame counts as one byte: a frame has the
 * number SEQ_ID << 16 | SEQ_CNT, and the end of a unit is one after its last frame. */
#include "fc/fc_private.h"

static const struct probe *probe_of(const struct fc_exchange *exchange)
{
    return exchange->fc->site.env->probe;
}

/* The direction in which this end sends, or receives; `qpn` as frame_exchange. */
static struct probe_flow flow_of(const struct fc_exchange *exchange, bool sends)
{
    const uint32_t own = exchange->fc->site.endpoint, peer = exchange->peer;
    const uint32_t id = exchange->responder ? exchange->peer_id : exchange->id;
    const uint32_t from_responder = id | FRAME_FROM_RESPONDER;
    const bool responds = exchange->responder == sends;
    const uint32_t qpn = responds ? from_responder : id, back = responds ? id : from_responder;
    return sends ? (struct probe_flow){own, qpn, peer, back}
                 : (struct probe_flow){peer, qpn, own, back};
}

static void report(const struct fc_exchange *exchange, enum probe_stream_kind kind, bool sends,
                   uint32_t number)
{
    const struct probe *probe = probe_of(exchange);
    const time_ps now = env_now(exchange->fc->site.env);
    const struct probe_stream mark = {.at = now,
                                      .begun_at = now,
                                      .woken_at = now,
                                      .flow = flow_of(exchange, sends),
                                      .number = number,
                                      .kind = (uint8_t)kind,
                                      .state = PROBE_HOLD_NOTHING};
    probe->stream(probe->self, &mark);
}

/* A target's data continue in the response; a host's answer an NVMe_XFER_RDY. */
static enum probe_stream_kind kind_of(const struct fc_exchange *exchange,
                                      const struct fc_unit *unit)
{
    if (unit->r_ctl != FC_RCTL_DATA)
        return PROBE_STREAM_POSTED;
    return exchange->responder ? PROBE_STREAM_POSTED_DATA : PROBE_STREAM_POSTED_ANSWER;
}

void fc_watch_post(struct fc_exchange *exchange, struct fc_out *out)
{
    const struct fc_unit *unit = &out->unit;
    const uint32_t most = exchange->fc->data_most, first = (uint32_t)exchange->posted++ << 16;
    out->end = first + (unit->length <= most ? 1 : (unit->length + most - 1) / most);
    out->watched = probe_of(exchange)->stream != NULL && unit->type != FC_TYPE_BLS;
    if (!out->watched)
        return;
    if (first == 0)
        report(exchange, PROBE_STREAM_OPEN, true, 0);
    report(exchange, kind_of(exchange, unit), true, out->end);
    report(exchange, PROBE_STREAM_BUFFERED, true, out->end);
}

void fc_watch_ready(const struct fc_exchange *exchange, const struct fc_out *out)
{
    if (out->watched)
        report(exchange, PROBE_STREAM_HOLD, true, out->end);
}

void fc_watch_arrive(const struct fc_exchange *exchange, uint32_t number)
{
    if (probe_of(exchange)->stream != NULL)
        report(exchange, PROBE_STREAM_ARRIVED, false, number);
}

void fc_watch_take(const struct fc_exchange *exchange, uint32_t end)
{
    if (probe_of(exchange)->stream == NULL)
        return;
    report(exchange, PROBE_STREAM_DELIVERED, false, end);
    report(exchange, PROBE_STREAM_TAKEN, false, end);
}
