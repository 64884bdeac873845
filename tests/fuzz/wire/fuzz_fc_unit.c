/* SPDX-License-Identifier: Apache-2.0
 * fuzz_fc_unit - any bytes as the information units and link services of NVMe over Fibre Channel,
 * and as the header of a frame. What is accepted is the same after it was encoded and read again.
 * Reads: model/nvme/fc/fc_iu.c model/fc/fc_frame.c */
#include "base/check.h"
#include "fc/fc_frame.h"
#include "nvme/fc/fc_iu.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_header(const uint8_t *data, size_t size)
{
    struct fc_header header, back;
    unsigned char bytes[FC_HEADER_BYTES];
    struct frame frame = {.blob = POOL_NONE};
    if (!fc_header_decode(&header, data, size))
        return;
    fc_header_encode(&header, bytes);
    CHECK(fc_header_decode(&back, bytes, sizeof bytes));
    CHECK(back.ox_id == header.ox_id && back.f_ctl == header.f_ctl);
    fc_header_store(&header, &frame);
    back = fc_header_of(&frame);
    CHECK(back.r_ctl == header.r_ctl && back.type == header.type && back.rx_id == header.rx_id);
    CHECK(back.seq_cnt == header.seq_cnt && back.parameter == header.parameter);
}

static void read_units(const uint8_t *data, size_t size)
{
    struct fc_command command, command_back;
    struct fc_extended extended, extended_back;
    struct fc_xfer_rdy ready, ready_back;
    unsigned char bytes[FC_COMMAND_BYTES];
    if (fc_command_decode(&command, data, size)) {
        fc_command_encode(&command, bytes);
        CHECK(fc_command_decode(&command_back, bytes, FC_COMMAND_BYTES));
        CHECK(command_back.connection == command.connection && command_back.csn == command.csn);
        CHECK(memcmp(command_back.sqe, command.sqe, NVME_SQE_BYTES) == 0);
    }
    if (fc_extended_decode(&extended, data, size)) {
        fc_extended_encode(&extended, bytes);
        CHECK(fc_extended_decode(&extended_back, bytes, FC_EXTENDED_BYTES));
        CHECK(extended_back.moved == extended.moved && extended_back.status == extended.status);
    }
    if (fc_xfer_rdy_decode(&ready, data, size)) {
        fc_xfer_rdy_encode(&ready, bytes);
        CHECK(fc_xfer_rdy_decode(&ready_back, bytes, FC_XFER_RDY_BYTES));
        CHECK(ready_back.offset == ready.offset && ready_back.length == ready.length);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char bytes[FC_LS_MOST], again[FC_LS_MOST];
    struct fc_ls ls, back;
    read_header(data, size);
    read_units(data, size);
    if (!fc_ls_decode(&ls, data, size))
        return 0;
    const uint32_t length = fc_ls_encode(&ls, bytes);
    CHECK(fc_ls_decode(&back, bytes, length));
    CHECK(fc_ls_encode(&back, again) == length && memcmp(bytes, again, length) == 0);
    return 0;
}
