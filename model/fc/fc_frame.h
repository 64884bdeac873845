/* SPDX-License-Identifier: Apache-2.0
 * fc_frame - the header of a Fibre Channel frame.
 *   SOF 4 | header 24 | data field 0..2112, padded to a word | CRC 4 | EOF 4
 * In struct frame: qpn is OX_ID << 16 | RX_ID, psn is R_CTL << 24 | SEQ_ID << 16 | SEQ_CNT, aeth is
 * the Parameter (the relative offset of data), rkey is TYPE << 24 | F_CTL. The real bytes of a
 * frame are all of its payload or none.
 * Source: FC-FS-4 clauses 8, 9, 11 and 12; names and values as in Linux
 * include/uapi/scsi/fc/fc_fs.h and fc_els.h; R_CTL and TYPE of NVMe: FC-NVMe clause 4.
 * Errors: a header that is too short decodes to false; all values are possible. */
#ifndef STORMGLASS_FC_FC_FRAME_H
#define STORMGLASS_FC_FC_FRAME_H

#include "net/frame/frame.h"

enum { FC_HEADER_BYTES = 24, FC_XID_UNKNOWN = 0xFFFF };

enum fc_r_ctl {
    FC_RCTL_DATA = 0x01,
    FC_RCTL_XFER_RDY = 0x05,
    FC_RCTL_COMMAND = 0x06,
    FC_RCTL_RESPONSE = 0x07,
    FC_RCTL_EXTENDED_RESPONSE = 0x08, /* NVMe_ERSP */
    FC_RCTL_ELS_REQUEST = 0x22,
    FC_RCTL_ELS_REPLY = 0x23,
    FC_RCTL_LS_REQUEST = 0x32, /* link service of an FC-4 */
    FC_RCTL_LS_REPLY = 0x33,
    FC_RCTL_ABTS = 0x81,
    FC_RCTL_BA_ACC = 0x84,
};

enum fc_type { FC_TYPE_BLS = 0x00, FC_TYPE_ELS = 0x01, FC_TYPE_FCP = 0x08, FC_TYPE_NVME = 0x28 };

enum fc_f_ctl {
    FC_FCTL_RESPONDER = 1 << 23, /* sent by the responder of the exchange */
    FC_FCTL_FIRST_SEQ = 1 << 21,
    FC_FCTL_LAST_SEQ = 1 << 20,
    FC_FCTL_END_SEQ = 1 << 19,
    FC_FCTL_INITIATIVE = 1 << 16, /* transferred to the receiver */
    FC_FCTL_OFFSET = 1 << 3,      /* Parameter is a relative offset */
    FC_FCTL_PAD = 3,              /* mask: bytes of padding */
};

struct fc_header {
    uint8_t r_ctl, type, seq_id, df_ctl;
    uint32_t destination, source; /* N_Port IDs, 24 bits */
    uint32_t f_ctl;               /* 24 bits */
    uint16_t seq_cnt, ox_id, rx_id;
    uint32_t parameter;
};

/* N_Port ID of an endpoint: domains from 1 on, an area for each port. 61184 endpoints fit. */
enum { FC_ENDPOINTS_MAX = 239 * 256 };

static inline uint32_t fc_address(uint32_t endpoint)
{
    return ((endpoint >> 8) + 1) << 16 | (endpoint & 0xFF) << 8;
}

void fc_header_encode(const struct fc_header *header, unsigned char bytes[FC_HEADER_BYTES]);
bool fc_header_decode(struct fc_header *header, const unsigned char *bytes, size_t count);

/* The header of a frame of the model, and back: the frame's addresses, payload and size stay. */
struct fc_header fc_header_of(const struct frame *frame);
void fc_header_store(const struct fc_header *header, struct frame *frame);

/* Header and real bytes of a frame; returns their number. `bytes` has room for 24 + the payload. */
uint32_t fc_frame_encode(const struct frame *frame, const unsigned char *real, uint32_t real_bytes,
                         unsigned char *bytes);

/* Bytes from SOF to EOF. */
static inline uint32_t fc_frame_bytes(uint32_t payload)
{
    return WIRE_FC_BYTES + ((payload + 3) & ~3u);
}

#endif
