/* SPDX-License-Identifier: Apache-2.0
 * fc_iu - information units and link services of NVMe over Fibre Channel.
 *   NVMe_CMND 96 | NVMe_XFER_RDY 12 | NVMe_DATA | NVMe_RSP 12 (zeros) | NVMe_ERSP 32
 *   Create Association 1024 -> 56 | Create Connection 80 -> 40 | Disconnect Association 48 -> 24
 * Source: FC-NVMe 4 and 8 as in Linux include/linux/nvme-fc.h: struct nvme_fc_cmd_iu,
 * nvme_fc_ersp_iu, fcnvme_ls_*. SLER is off; the first burst is not used.
 * Errors: a unit of another size, or with another format or descriptor, decodes to false. */
#ifndef STORMGLASS_NVME_FC_FC_IU_H
#define STORMGLASS_NVME_FC_FC_IU_H

#include "nvme/wire/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FC_COMMAND_BYTES = 96,
    FC_XFER_RDY_BYTES = 12,
    FC_RESPONSE_BYTES = 12,
    FC_EXTENDED_BYTES = 32,
    FC_LS_MOST = 1024,
};

enum fc_command_flags { FC_COMMAND_WRITE = 1, FC_COMMAND_READ = 2 };

struct fc_command {
    uint8_t flags; /* enum fc_command_flags */
    uint64_t connection;
    uint32_t csn; /* command sequence number */
    uint32_t length;
    unsigned char sqe[NVME_SQE_BYTES];
};

struct fc_extended {
    uint8_t status; /* of FC-NVMe; 0: the entry is valid */
    uint32_t rsn;   /* response sequence number */
    uint32_t moved; /* bytes of data */
    unsigned char cqe[NVME_CQE_BYTES];
};

struct fc_xfer_rdy {
    uint32_t offset, length;
};

void fc_command_encode(const struct fc_command *command, unsigned char bytes[FC_COMMAND_BYTES]);
bool fc_command_decode(struct fc_command *command, const unsigned char *bytes, size_t count);
void fc_extended_encode(const struct fc_extended *extended, unsigned char bytes[FC_EXTENDED_BYTES]);
bool fc_extended_decode(struct fc_extended *extended, const unsigned char *bytes, size_t count);
void fc_xfer_rdy_encode(const struct fc_xfer_rdy *ready, unsigned char bytes[FC_XFER_RDY_BYTES]);
bool fc_xfer_rdy_decode(struct fc_xfer_rdy *ready, const unsigned char *bytes, size_t count);

/* ---- link services ---- */

enum fc_ls_kind {
    FC_LS_REJECT = 1,
    FC_LS_ACCEPT = 2,
    FC_LS_CREATE_ASSOCIATION = 3,
    FC_LS_CREATE_CONNECTION = 4,
    FC_LS_DISCONNECT = 5,
};

/* fcnvme_ls_rjt_reason */
enum fc_ls_reason { FC_LS_UNABLE = 0x09, FC_LS_UNSUPPORTED = 0x0b, FC_LS_NO_ASSOCIATION = 0x40 };

/* A request, or the answer to one. Fields that its kind does not have are 0. */
struct fc_ls {
    uint8_t kind;
    uint8_t answers; /* ACCEPT, REJECT: the kind of the request */
    uint8_t reason;
    uint16_t ersp_ratio, qid, sqsize; /* sqsize: 0's based */
    uint64_t association, connection;
};

/* Returns the number of bytes. */
uint32_t fc_ls_encode(const struct fc_ls *ls, unsigned char bytes[FC_LS_MOST]);
bool fc_ls_decode(struct fc_ls *ls, const unsigned char *bytes, size_t count);

#endif
