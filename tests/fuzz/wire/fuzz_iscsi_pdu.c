/* SPDX-License-Identifier: Apache-2.0
 * fuzz_iscsi_pdu - any bytes as the header of an iSCSI PDU, and what follows it as data of SCSI.
 * A header that is accepted is the same after it was encoded and read again; the CDB of a command
 * becomes an NVMe command and, if that has one, the same CDB's request again. The rest of the input
 * is read as sense, INQUIRY, Block Limits, REPORT LUNS, READ CAPACITY(16) and UNMAP data.
 * Reads: model/nvme/iscsi/bhs.c model/nvme/iscsi/scsi.c */
#include "base/check.h"
#include "nvme/iscsi/scsi.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_cdb(const struct iscsi_pdu *pdu)
{
    unsigned char cdb[ISCSI_CDB_BYTES];
    struct scsi_request request, again;
    struct nvme_command command;
    const uint32_t nsid = scsi_nsid(pdu->lun);
    scsi_read_cdb(&request, pdu->cdb);
    CHECK(nsid == 0 || scsi_nsid(scsi_lun(nsid)) == nsid);
    const bool ranged = request.opcode != NVME_FLUSH && request.opcode != NVME_DATASET;
    if (request.kind != SCSI_KIND_IO || (ranged && (request.blocks == 0 || request.blocks > 65536)))
        return;
    scsi_to_command(&command, &request, nsid);
    CHECK(scsi_of_command(cdb, &command));
    scsi_read_cdb(&again, cdb);
    CHECK(again.kind == SCSI_KIND_IO && again.opcode == request.opcode);
    CHECK(!ranged || (again.lba == request.lba && again.blocks == request.blocks));
}

static void read_data(const uint8_t *data, uint32_t length)
{
    static unsigned char bytes[SCSI_REPORT_BYTES], list[NVME_IDENTIFY_BYTES];
    struct nvme_identify_controller controller = {0};
    struct nvme_identify_namespace ns;
    memset(bytes, 0, sizeof bytes);
    length = length < sizeof bytes ? length : (uint32_t)sizeof bytes;
    memcpy(bytes, data, length);
    scsi_take_status(bytes[0], bytes, length, false);
    scsi_take_inquiry(&controller, bytes, length);
    scsi_take_limits(&controller, bytes, length, bytes[0]);
    scsi_take_luns(list, bytes, length);
    if (scsi_take_capacity(&ns, bytes, length))
        CHECK(ns.block_shift >= 9 && ns.block_shift < 32);
    scsi_take_unmap(list, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char bytes[ISCSI_BHS_BYTES];
    struct iscsi_fault fault = {0};
    struct iscsi_pdu pdu, back;
    if (size < ISCSI_BHS_BYTES)
        return 0;
    read_data(data + ISCSI_BHS_BYTES, (uint32_t)(size - ISCSI_BHS_BYTES));
    for (unsigned side = 0; side < 2; side++) {
        if (!iscsi_pdu_decode(&pdu, data, side == 0, 262144, &fault)) {
            CHECK(fault.reason != ISCSI_REJECT_NONE && fault.why[0] != '\0');
            continue;
        }
        iscsi_pdu_encode(&pdu, bytes);
        CHECK(iscsi_pdu_decode(&back, bytes, side == 0, 262144, &fault));
        CHECK(back.opcode == pdu.opcode && back.length == pdu.length && back.itt == pdu.itt);
        CHECK(back.tag == pdu.tag && back.sn == pdu.sn && back.lun == pdu.lun);
        if (pdu.opcode == ISCSI_COMMAND)
            read_cdb(&pdu);
    }
    return 0;
}
