/* SPDX-License-Identifier: Apache-2.0
 * wire_fc - frames of Fibre Channel with their delimiters, as LINKTYPE_FC_2_WITH_FRAME_DELIMS has
 * them: ordered sets of SOF and EOF before the line coding.
 * Source: FC-FS-4 clause 8 (delimiters, CRC-32 as in IEEE 802.3); values as in Wireshark
 * packet-fc.h. */
#include "base/check.h"
#include "fc/fc_frame.h"
#include "replay/files/zip.h"
#include "reports/wire/wire.h"

#include <string.h>

enum { DELIMITER = 4, CRC = 4 };

#define SOF_FIRST UINT32_C(0xBCB55656) /* SOFi3 */
#define SOF_NEXT  UINT32_C(0xBCB53636) /* SOFn3 */
#define EOF_NEXT  UINT32_C(0xBC95D5D5) /* EOFn */
#define EOF_LAST  UINT32_C(0xBC957575) /* EOFt */

bool wire_fc_adds_up(const struct wire_frame *frame)
{
    return frame->bytes <= WIRE_BYTES_MAX && frame->head_bytes >= FC_HEADER_BYTES &&
           frame->head_bytes - FC_HEADER_BYTES <= frame->payload &&
           frame->bytes == fc_frame_bytes(frame->payload);
}

static void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

size_t wire_fc_bytes(const struct wire_frame *frame, uint8_t bytes[WIRE_BYTES_MAX])
{
    struct fc_header header;
    CHECK(wire_fc_adds_up(frame) && fc_header_decode(&header, frame->head, frame->head_bytes));
    const size_t crc_at = frame->bytes - DELIMITER - CRC;
    put32(bytes, header.seq_cnt == 0 ? SOF_FIRST : SOF_NEXT);
    memcpy(bytes + DELIMITER, frame->head, frame->head_bytes);
    for (size_t i = DELIMITER + frame->head_bytes; i < crc_at; i++)
        bytes[i] = (uint8_t)(frame->content >> (24 - 8 * (i % 4)));
    memset(bytes + DELIMITER + FC_HEADER_BYTES + frame->payload, 0,
           crc_at - DELIMITER - FC_HEADER_BYTES - frame->payload);
    const uint32_t crc = zip_crc(zip_crc_start(), bytes + DELIMITER, crc_at - DELIMITER);
    for (size_t i = 0; i < CRC; i++)
        bytes[crc_at + i] = (uint8_t)(crc >> (8 * i));
    put32(bytes + crc_at + CRC, (header.f_ctl & FC_FCTL_END_SEQ) != 0 ? EOF_LAST : EOF_NEXT);
    return frame->bytes;
}
