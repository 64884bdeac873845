/* SPDX-License-Identifier: Apache-2.0
 * fc_frame - encodes and decodes headers. */
#include "fc/fc_frame.h"

#include "base/big_endian.h"

void fc_header_encode(const struct fc_header *header, unsigned char bytes[FC_HEADER_BYTES])
{
    bytes[0] = header->r_ctl;
    big_put(bytes + 1, 3, header->destination);
    bytes[4] = 0; /* CS_CTL */
    big_put(bytes + 5, 3, header->source);
    bytes[8] = header->type;
    big_put(bytes + 9, 3, header->f_ctl);
    bytes[12] = header->seq_id;
    bytes[13] = header->df_ctl;
    big_put(bytes + 14, 2, header->seq_cnt);
    big_put(bytes + 16, 2, header->ox_id);
    big_put(bytes + 18, 2, header->rx_id);
    big_put(bytes + 20, 4, header->parameter);
}

bool fc_header_decode(struct fc_header *header, const unsigned char *bytes, size_t count)
{
    if (count < FC_HEADER_BYTES)
        return false;
    *header = (struct fc_header){
        .r_ctl = bytes[0],
        .destination = (uint32_t)big_get(bytes + 1, 3),
        .source = (uint32_t)big_get(bytes + 5, 3),
        .type = bytes[8],
        .f_ctl = (uint32_t)big_get(bytes + 9, 3),
        .seq_id = bytes[12],
        .df_ctl = bytes[13],
        .seq_cnt = big_get16(bytes + 14),
        .ox_id = big_get16(bytes + 16),
        .rx_id = big_get16(bytes + 18),
        .parameter = big_get32(bytes + 20),
    };
    return true;
}

struct fc_header fc_header_of(const struct frame *frame)
{
    return (struct fc_header){
        .r_ctl = (uint8_t)(frame->psn >> 24),
        .type = (uint8_t)(frame->rkey >> 24),
        .seq_id = (uint8_t)(frame->psn >> 16),
        .destination = fc_address(frame->destination),
        .source = fc_address(frame->source),
        .f_ctl = frame->rkey & 0xFFFFFF,
        .seq_cnt = (uint16_t)frame->psn,
        .ox_id = (uint16_t)(frame->qpn >> 16),
        .rx_id = (uint16_t)frame->qpn,
        .parameter = frame->aeth,
    };
}

void fc_header_store(const struct fc_header *header, struct frame *frame)
{
    frame->psn = (uint32_t)header->r_ctl << 24 | (uint32_t)header->seq_id << 16 | header->seq_cnt;
    frame->qpn = (uint32_t)header->ox_id << 16 | header->rx_id;
    frame->aeth = header->parameter;
    frame->rkey = (uint32_t)header->type << 24 | (header->f_ctl & 0xFFFFFF);
}

uint32_t fc_frame_encode(const struct frame *frame, const unsigned char *real, uint32_t real_bytes,
                         unsigned char *bytes)
{
    const struct fc_header header = fc_header_of(frame);
    CHECK(real_bytes <= frame->payload);
    fc_header_encode(&header, bytes);
    if (real_bytes > 0)
        memcpy(bytes + FC_HEADER_BYTES, real, real_bytes);
    return FC_HEADER_BYTES + real_bytes;
}
