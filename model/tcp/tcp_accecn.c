/* SPDX-License-Identifier: Apache-2.0
 * tcp_accecn - ECN of a connection: negotiation, and accurate feedback in both directions.
 *   ECT     every segment after the handshake is ECT(0), pure ACKs and retransmissions too
 *   ACKs    at once for data whose ECN field differs from the last segment's; otherwise as usual
 *   option  kind 174 with all three counters, fewer beside two SACK blocks
 * Where the RFC leaves a choice, or Linux differs, this is Linux: it sends no ACK of ACKs, which
 * 3.2.2.5.1 asks for after some marked ACKs, and the option only if the peer has sent it.
 * Source: RFC 9768; Linux 7.0 include/net/tcp_ecn.h, net/ipv4/tcp_input.c, tcp_output.c. */
#include "tcp/tcp_private.h"

#include <string.h>

enum {
    PENDING_MOST = 6, /* TCP_ACCECN_ACE_MAX_DELTA */
    AVERAGE_SHIFT = 6,
    STRETCHED = 4, /* ACK_COMP_THRESH */
    BEACON_SHIFT = 22,
    DEMAND = 2,
    OPTION_ALONE = 12, /* all fields with padding */
};

/* ------------------------------------------------------------------ handshake */

static bool wants_ecn(const struct tcp_conn *conn)
{
    return conn->ops->wants_ecn;
}

static uint8_t asked(const struct tcp_conn *conn)
{
    const int64_t ecn = conn->tcp->params.ecn;
    if (ecn == TCP_ECN_ACCURATE)
        return ACE_SYN_ACCURATE;
    return wants_ecn(conn) || tcp_ecn_requests(ecn) ? ACE_SYN_CLASSIC : 0;
}

static bool is_answer(const struct tcp_conn *conn)
{
    return conn->state == TCP_SYN_RECEIVED;
}

/* RFC 9768 3.1.4.1, 3.2.3.2.2: the second repetition falls back to no ECN. */
uint8_t tcp_ecn_syn_flags(const struct tcp_conn *conn)
{
    const bool fallen = conn->timeouts_in_row > 1;
    if (!is_answer(conn))
        return fallen && asked(conn) == ACE_SYN_ACCURATE ? 0 : asked(conn);
    if (conn->accurate)
        return fallen ? 0 : accecn_reflect(conn->accecn.seen);
    return conn->ecn ? ACE_SYNACK_CLASSIC : 0;
}

void tcp_ecn_finish_syn(struct tcp_conn *conn, struct frame *frame, time_ps now)
{
    struct tcp_accecn *accecn = &conn->accecn;
    const uint8_t ace = tcp_ecn_syn_flags(conn);
    segment_set_ace(frame, ace);
    const bool accurate = is_answer(conn) ? conn->accurate && ace != 0 : ace == ACE_SYN_ACCURATE;
    if (accurate && wants_ecn(conn))
        frame->tos |= ECN_ECT0;
    accecn->sent = frame->tos & ECN_CE;
    if (!is_answer(conn) || !conn->accurate)
        return;
    if (ace == 0)
        accecn->no_ect = true;
    if (conn->tcp->params.ecn_option == TCP_ECN_OPTION_NEVER || ace == 0 || accecn->repeated ||
        conn->timeouts_in_row > 0)
        return;
    frame->tcp_accecn |= SEGMENT_HAS_ACCECN | ACCECN_FIELDS << SEGMENT_FIELDS_SHIFT;
    frame->blob_bytes = SEGMENT_COUNTERS;
    tcp_accecn_write(conn, frame, frame_blob_take(conn->tcp->frames, frame, SEGMENT_COUNTERS), now);
}

static bool has_option(const struct frame *frame)
{
    return (frame->tcp_accecn & SEGMENT_HAS_ACCECN) != 0;
}

/* What the peer says of the own SYN or SYN/ACK. */
static void check_path(struct tcp_accecn *accecn, int reflected)
{
    if (reflected >= 0 && !accecn_is_valid_change(accecn->sent, (uint8_t)reflected))
        accecn->no_ect = true;
}

static void see_option(struct tcp_accecn *accecn, const struct frame *frame)
{
    if (!has_option(frame) || accecn->option_seen)
        return;
    accecn->option_seen = true;
    accecn->demand = DEMAND;
}

void tcp_ecn_read_syn(struct tcp_conn *conn, const struct frame *frame, bool first)
{
    const int64_t ecn = conn->tcp->params.ecn;
    const bool may = wants_ecn(conn) || ecn != TCP_ECN_OFF;
    const uint8_t ace = segment_ace(frame);
    const enum ecn_mode mode = first ? accecn_mode_of_syn(ace, may, tcp_ecn_accepts_accurate(ecn))
                                     : accecn_mode_of_synack(ace, asked(conn));
    struct tcp_accecn *accecn = &conn->accecn;
    conn->ecn = mode != ECN_MODE_NONE;
    conn->accurate = mode == ECN_MODE_ACCURATE;
    accecn->seen = accecn->last = frame->tos & ECN_CE;
    accecn->cep = accecn->delivered_cep = ACCECN_CEP_FIRST;
    for (unsigned i = 0; i < ACCECN_FIELDS; i++)
        accecn->bytes[i] = accecn->delivered_bytes[i] = accecn_first_bytes(i);
    if (first || !conn->accurate)
        return;
    accecn->reflects = true;
    accecn->cep += accecn->seen == ECN_CE;
    check_path(accecn, accecn_reflected(ace));
    see_option(accecn, frame);
}

void tcp_accecn_read_again(struct tcp_conn *conn, const struct frame *frame)
{
    struct tcp_accecn *accecn = &conn->accecn;
    if (!conn->accurate)
        return;
    accecn->seen = frame->tos & ECN_CE;
    if (conn->accepted) {
        accecn->repeated = true;
        accecn->no_ect |= segment_ace(frame) == 0;
        return;
    }
    accecn->reflects = true;
    if (accecn->seen == ECN_CE && accecn->cep == ACCECN_CEP_FIRST)
        accecn->cep++;
}

/* RFC 9768 3.2.2.1, Table 4. */
void tcp_accecn_end_handshake(struct tcp_conn *conn, const struct frame *frame)
{
    struct tcp_accecn *accecn = &conn->accecn;
    const uint8_t ace = segment_ace(frame);
    if (!conn->accurate)
        return;
    accecn->begins = true;
    see_option(accecn, frame);
    if (ace == 0)
        accecn->no_ect = accecn->ignores = true;
    if (frame->payload > 0 || (frame->tcp_options & SEGMENT_BLOCKS) > 0)
        return;
    check_path(accecn, accecn_reflected(ace));
    accecn->delivered_cep += !accecn->no_ect && accecn_reflected(ace) == ECN_CE;
}

/* ------------------------------------------------------------------ segments to send */

void tcp_accecn_finish(struct tcp_conn *conn, struct frame *frame)
{
    struct tcp_accecn *accecn = &conn->accecn;
    const bool pure = frame->payload == 0 && (frame->tcp_options & SEGMENT_BLOCKS) == 0;
    if (!accecn->no_ect)
        frame->tos |= ECN_ECT0;
    if (accecn->reflects && pure) {
        segment_set_ace(frame, accecn_reflect(accecn->seen));
        accecn->reflects = false;
        return;
    }
    segment_set_ace(frame, (uint8_t)(accecn->cep & ACE_MASK));
    accecn->pending = 0;
}

static bool beacon_is_due(const struct tcp_conn *conn, time_ps now)
{
    const int64_t beacon = conn->tcp->params.ecn_beacon;
    return beacon > 0 && (now - conn->accecn.option_at) * beacon >= conn->srtt8 / 8;
}

static bool wants_option(const struct tcp_conn *conn, time_ps now)
{
    const int64_t when = conn->tcp->params.ecn_option;
    if (!conn->accurate || when == TCP_ECN_OPTION_NEVER || !conn->accecn.option_seen)
        return false;
    return when == TCP_ECN_OPTION_EVERY || conn->accecn.demand > 0 || beacon_is_due(conn, now);
}

void tcp_accecn_measure(struct tcp_conn *conn, time_ps now)
{
    conn->payload_most = conn->mss - (wants_option(conn, now) ? OPTION_ALONE : 0);
}

uint8_t tcp_accecn_place(const struct tcp_conn *conn, struct frame *frame, uint8_t blocks,
                         time_ps now)
{
    const uint8_t options = (uint8_t)((frame->tcp_options & ~SEGMENT_BLOCKS) | blocks);
    const uint32_t used = segment_options(frame->tcp_flags, options);
    if (!wants_option(conn, now) ||
        (frame->payload > 0 && frame->payload + (uint32_t)OPTION_ALONE > conn->mss))
        return blocks;
    const struct accecn_place place = accecn_place_option(used, blocks, conn->accecn.least);
    if (place.fits)
        frame->tcp_accecn |= (uint8_t)(SEGMENT_HAS_ACCECN | place.fields << SEGMENT_FIELDS_SHIFT);
    return place.blocks;
}

void tcp_accecn_write(struct tcp_conn *conn, const struct frame *frame, unsigned char *blob,
                      time_ps now)
{
    struct tcp_accecn *accecn = &conn->accecn;
    uint32_t counters[ACCECN_FIELDS];
    for (unsigned i = 0; i < ACCECN_FIELDS; i++)
        counters[i] = (uint32_t)accecn->bytes[i] & 0xFFFFFF;
    static_assert(sizeof counters == SEGMENT_COUNTERS, "the option's part of a blob");
    memcpy(blob, counters, sizeof counters);
    if ((frame->tcp_flags & SEGMENT_SYN) != 0)
        return;
    accecn->least = 0;
    if (accecn->demand > 0)
        accecn->demand--;
    accecn->option_at = now;
}

/* ------------------------------------------------------------------ received segments */

static void count_bytes(struct tcp_accecn *accecn, uint8_t ecn, uint32_t bytes)
{
    static const uint8_t fields[] = {
        [ECN_ECT1] = ACCECN_E1B, [ECN_CE] = ACCECN_CEB, [ECN_ECT0] = ACCECN_E0B};
    if (ecn == ECN_NOT_ECT || bytes == 0)
        return;
    const uint8_t field = fields[ecn];
    const uint64_t before = accecn->bytes[field];
    accecn->bytes[field] += bytes;
    accecn->least = accecn->least > field + 1 ? accecn->least : (uint8_t)(field + 1);
    if (before >> BEACON_SHIFT != accecn->bytes[field] >> BEACON_SHIFT && accecn->demand == 0)
        accecn->demand = 1;
}

void tcp_accecn_receive(struct tcp_conn *conn, const struct frame *frame, time_ps now)
{
    struct tcp_accecn *accecn = &conn->accecn;
    const uint8_t ecn = frame->tos & ECN_CE;
    const bool marked = ecn == ECN_CE, changed = ecn != accecn->last;
    /* What arrived before was another batch of GRO, for which an ACK is due by itself; dctcp
     * acknowledges a lone segment, too. */
    if (changed && frame->payload > 0 && conn->ack_due &&
        (conn->ops->echoes_each_mark || conn->received - conn->acked > conn->mss))
        tcp_send_ack(conn, now);
    accecn->cep += marked;
    if (marked && accecn->pending < UINT8_MAX)
        accecn->pending++;
    count_bytes(accecn, ecn, frame->payload);
    accecn->last = ecn;
    if (changed || marked)
        accecn->demand = DEMAND;
    accecn->ack_now |= changed || accecn->pending >= PENDING_MOST;
    if (frame->payload > 0 && accecn->ack_now)
        conn->ack_at_once = true;
}

/* ------------------------------------------------------------------ the peer's counters */

/* Takes over the counters of an option. True: they say how many of the ACK's bytes had CE. */
static bool read_counters(struct tcp_accecn *accecn, const struct frame *frame,
                          const unsigned char *blob)
{
    const uint32_t count = frame->tcp_accecn >> SEGMENT_FIELDS_SHIFT;
    const uint8_t estimate = accecn->estimate;
    bool clear = true, changed = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t field;
        memcpy(&field, blob + i * sizeof field, sizeof field);
        const int32_t more = accecn_difference(field, accecn->delivered_bytes[i]);
        accecn->delivered_bytes[i] += (uint64_t)(int64_t)more;
        if (more < 0)
            clear = false;
        if (more == 0 || i + 1 == estimate)
            continue;
        clear = clear && !changed;
        accecn->estimate = (uint8_t)(i + 1);
        changed = true;
    }
    if (!clear)
        accecn->estimate = 0;
    return clear && estimate != 0;
}

static bool read_option(struct tcp_conn *conn, const struct frame *frame, uint32_t bytes)
{
    struct tcp_accecn *accecn = &conn->accecn;
    if (has_option(frame)) {
        see_option(accecn, frame);
        const uint32_t sacks = (frame->tcp_options & SEGMENT_BLOCKS) * SEGMENT_SACK_BLOCK;
        return read_counters(accecn, frame, frame_blob(conn->tcp->frames, frame) + sacks);
    }
    if (accecn->estimate == 0)
        return false;
    accecn->delivered_bytes[accecn->estimate - 1] += bytes;
    return true;
}

static void average_packets(struct tcp_accecn *accecn, uint32_t packets)
{
    const uint32_t now = packets << AVERAGE_SHIFT, before = accecn->packets_average;
    if (packets == 0)
        return;
    const uint32_t average =
        before == 0 ? now : ((before << AVERAGE_SHIFT) - before + now) >> AVERAGE_SHIFT;
    accecn->packets_average = average < UINT16_MAX ? average : UINT16_MAX;
}

uint32_t tcp_accecn_on_ack(struct tcp_conn *conn, const struct frame *frame,
                           const struct tcp_round *round)
{
    struct tcp_accecn *accecn = &conn->accecn;
    const bool begins = accecn->begins;
    accecn->begins = false;
    if (accecn->ignores || (round->acked_sacked == 0 && !accecn->moved))
        return 0; /* an ACK that another one overtook, or nothing to trust */
    const uint64_t marked = accecn->delivered_bytes[ACCECN_CEB];
    const bool known = read_option(conn, frame, round->bytes);
    average_packets(accecn, round->acked_sacked);
    if (begins)
        return 0;
    const struct accecn_ack ack = {
        .packets = round->acked_sacked,
        .bytes = round->bytes,
        .bytes_known = known,
        .marked_bytes = (uint32_t)(accecn->delivered_bytes[ACCECN_CEB] - marked),
        .orderly = conn->sack || conn->recovery == TCP_OPEN || conn->recovery == TCP_CWR,
        .often_stretched = accecn->packets_average > STRETCHED << AVERAGE_SHIFT,
        .mss = conn->payload_most,
    };
    const uint32_t marks = accecn_new_marks(segment_ace(frame), accecn->delivered_cep, &ack);
    accecn->delivered_cep += marks;
    return marks;
}
