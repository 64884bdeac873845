/* SPDX-License-Identifier: Apache-2.0
 * scsi - CDBs, parameter data, and status with sense. */
#include "nvme/iscsi/scsi.h"

#include "nvme/wire/wire.h"

#include <string.h>

enum {
    SAI_READ_CAPACITY_16 = 0x10,
    SAI_REPORT_OPCODES = 0x0C,
    ONE_OPCODE = 1, /* REPORTING OPTIONS 001b */
    INQUIRY_VPD = 1,        /* EVPD */
    BYTE_CHECK = 1 << 1,    /* BYTCHK 01b */
    NO_DATA_OUT = 1,        /* NDOB */
    FLAT_ADDRESSING = 0x40, /* upper bits of a LUN's first byte */
};

/* ---- logical units ---- */

uint64_t scsi_lun(uint32_t nsid)
{
    const uint64_t lun = nsid - 1;
    return (lun < 256 ? lun : (uint64_t)FLAT_ADDRESSING << 8 | lun) << 48;
}

uint32_t scsi_nsid(uint64_t lun)
{
    const uint32_t first = (uint32_t)(lun >> 48);
    const bool flat = first >> 14 == 1;
    const uint32_t number = flat ? first & 0x3FFF : first;
    const bool known = (lun & UINT64_C(0xFFFFFFFFFFFF)) == 0 && (flat || first < 256);
    return known ? number + 1 : 0;
}

/* ---- CDBs ---- */

static void put_16(unsigned char cdb[ISCSI_CDB_BYTES], uint8_t opcode, uint64_t lba,
                   uint32_t blocks)
{
    cdb[0] = opcode;
    big_put(cdb + 2, 8, lba);
    big_put(cdb + 10, 4, blocks);
}

static void put_transfer(unsigned char cdb[ISCSI_CDB_BYTES], const struct nvme_command *command)
{
    const uint64_t lba = nvme_capsule_lba(command);
    const uint32_t blocks = nvme_capsule_blocks(command);
    const bool write = command->opcode == NVME_WRITE;
    if (lba > UINT32_MAX || lba + blocks > UINT64_C(1) << 32 || blocks > 0xFFFF) {
        put_16(cdb, write ? SCSI_WRITE_16 : SCSI_READ_16, lba, blocks);
        return;
    }
    cdb[0] = write ? SCSI_WRITE_10 : SCSI_READ_10;
    big_put(cdb + 2, 4, lba);
    big_put(cdb + 7, 2, blocks);
}

bool scsi_of_command(unsigned char cdb[ISCSI_CDB_BYTES], const struct nvme_command *command)
{
    memset(cdb, 0, ISCSI_CDB_BYTES);
    switch (command->opcode) {
    case NVME_READ:
    case NVME_WRITE:
        put_transfer(cdb, command);
        return true;
    case NVME_COMPARE:
        put_16(cdb, SCSI_VERIFY_16, nvme_capsule_lba(command), nvme_capsule_blocks(command));
        cdb[1] = BYTE_CHECK;
        return true;
    case NVME_WRITE_ZEROES:
        put_16(cdb, SCSI_WRITE_SAME_16, nvme_capsule_lba(command), nvme_capsule_blocks(command));
        cdb[1] = NO_DATA_OUT;
        return true;
    case NVME_FLUSH:
        cdb[0] = SCSI_SYNCHRONIZE_10; /* LBA 0, 0 blocks: all of them */
        return true;
    case NVME_DATASET:
        cdb[0] = SCSI_UNMAP;
        big_put(cdb + 7, 2, SCSI_UNMAP_BYTES);
        return true;
    default:
        return false;
    }
}

void scsi_cdb(unsigned char cdb[ISCSI_CDB_BYTES], enum scsi_kind kind, uint8_t page,
              uint32_t allocation)
{
    memset(cdb, 0, ISCSI_CDB_BYTES);
    switch (kind) {
    case SCSI_KIND_INQUIRY:
    case SCSI_KIND_PAGE:
        cdb[0] = SCSI_INQUIRY;
        cdb[1] = kind == SCSI_KIND_PAGE ? INQUIRY_VPD : 0;
        cdb[2] = page;
        big_put(cdb + 3, 2, allocation);
        break;
    case SCSI_KIND_MODE:
        cdb[0] = SCSI_MODE_SENSE_6;
        cdb[2] = page;
        cdb[4] = (unsigned char)allocation;
        break;
    case SCSI_KIND_OPCODE:
        cdb[0] = SCSI_MAINTENANCE_IN;
        cdb[1] = SAI_REPORT_OPCODES;
        cdb[2] = ONE_OPCODE;
        cdb[3] = page;
        big_put(cdb + 6, 4, allocation);
        break;
    case SCSI_KIND_LUNS:
        cdb[0] = SCSI_REPORT_LUNS;
        big_put(cdb + 6, 4, allocation);
        break;
    case SCSI_KIND_CAPACITY:
        cdb[0] = SCSI_SERVICE_IN_16;
        cdb[1] = SAI_READ_CAPACITY_16;
        big_put(cdb + 10, 4, allocation);
        break;
    default:
        cdb[0] = SCSI_TEST_UNIT_READY;
    }
}

static void read_16(struct scsi_request *request, uint8_t opcode, const unsigned char *cdb)
{
    request->kind = SCSI_KIND_IO;
    request->opcode = opcode;
    request->lba = big_get(cdb + 2, 8);
    request->blocks = (uint32_t)big_get(cdb + 10, 4);
}

static void read_10(struct scsi_request *request, uint8_t opcode, const unsigned char *cdb)
{
    request->kind = SCSI_KIND_IO;
    request->opcode = opcode;
    request->lba = big_get(cdb + 2, 4);
    request->blocks = (uint32_t)big_get(cdb + 7, 2);
}

static void read_inquiry(struct scsi_request *request, const unsigned char *cdb)
{
    const bool vpd = (cdb[1] & INQUIRY_VPD) != 0;
    request->allocation = (uint32_t)big_get(cdb + 3, 2);
    if (!vpd && cdb[2] == 0)
        request->kind = SCSI_KIND_INQUIRY;
    else if (vpd && scsi_has_page(cdb[2]))
        request->kind = SCSI_KIND_PAGE;
    request->page = cdb[2];
}

static void read_mode_sense(struct scsi_request *request, const unsigned char *cdb)
{
    request->page = cdb[2] & 0x3F;
    request->allocation = cdb[4];
    if (cdb[2] >> 6 == 0 && cdb[3] == 0 && scsi_has_mode(request->page))
        request->kind = SCSI_KIND_MODE;
}

void scsi_read_cdb(struct scsi_request *request, const unsigned char cdb[ISCSI_CDB_BYTES])
{
    *request = (struct scsi_request){.kind = SCSI_KIND_UNKNOWN};
    switch (cdb[0]) {
    case SCSI_READ_10:
        read_10(request, NVME_READ, cdb);
        break;
    case SCSI_WRITE_10:
        read_10(request, NVME_WRITE, cdb);
        break;
    case SCSI_SYNCHRONIZE_10:
        read_10(request, NVME_FLUSH, cdb);
        break;
    case SCSI_READ_16:
        read_16(request, NVME_READ, cdb);
        break;
    case SCSI_WRITE_16:
        read_16(request, NVME_WRITE, cdb);
        break;
    case SCSI_VERIFY_16:
        if ((cdb[1] & (BYTE_CHECK | BYTE_CHECK << 1)) == BYTE_CHECK)
            read_16(request, NVME_COMPARE, cdb);
        break;
    case SCSI_WRITE_SAME_16:
        if ((cdb[1] & NO_DATA_OUT) != 0)
            read_16(request, NVME_WRITE_ZEROES, cdb);
        break;
    case SCSI_UNMAP:
        request->kind = SCSI_KIND_IO;
        request->opcode = NVME_DATASET;
        break;
    case SCSI_INQUIRY:
        read_inquiry(request, cdb);
        break;
    case SCSI_MODE_SENSE_6:
        read_mode_sense(request, cdb);
        break;
    case SCSI_REPORT_LUNS:
        request->kind = SCSI_KIND_LUNS;
        request->allocation = (uint32_t)big_get(cdb + 6, 4);
        break;
    case SCSI_SERVICE_IN_16:
        if ((cdb[1] & 0x1F) == SAI_READ_CAPACITY_16) {
            request->kind = SCSI_KIND_CAPACITY;
            request->allocation = (uint32_t)big_get(cdb + 10, 4);
        }
        break;
    case SCSI_TEST_UNIT_READY:
        request->kind = SCSI_KIND_READY;
        break;
    default:
        break;
    }
}

void scsi_to_command(struct nvme_command *command, const struct scsi_request *request,
                     uint32_t nsid)
{
    *command =
        (struct nvme_command){.opcode = request->opcode, .flags = NVME_FLAGS_SGL, .nsid = nsid};
    if (request->opcode == NVME_DATASET) {
        command->cdw11 = NVME_DATASET_DEALLOCATE; /* CDW10 0: one range */
        return;
    }
    if (request->opcode == NVME_FLUSH)
        return;
    command->cdw10 = (uint32_t)request->lba;
    command->cdw11 = (uint32_t)(request->lba >> 32);
    command->cdw12 = request->blocks - 1;
}

void scsi_put_unmap(unsigned char bytes[SCSI_UNMAP_BYTES], const unsigned char *range)
{
    memset(bytes, 0, SCSI_UNMAP_BYTES);
    big_put(bytes, 2, SCSI_UNMAP_BYTES - 2);
    big_put(bytes + 2, 2, SCSI_UNMAP_BYTES - 8);
    big_put(bytes + 8, 8, wire_get64(range + NVME_DATASET_LBA_AT));
    big_put(bytes + 16, 4, wire_get32(range + NVME_DATASET_LENGTH_AT));
}

bool scsi_take_unmap(unsigned char *range, const unsigned char bytes[SCSI_UNMAP_BYTES])
{
    memset(range, 0, NVME_DATASET_RANGE_BYTES);
    wire_put64(range + NVME_DATASET_LBA_AT, big_get(bytes + 8, 8));
    wire_put32(range + NVME_DATASET_LENGTH_AT, (uint32_t)big_get(bytes + 16, 4));
    return big_get(bytes + 2, 2) == SCSI_UNMAP_BYTES - 8;
}

/* ---- status ---- */

/* The first row of a status serves for NVMe to SCSI, the first row of a sense for SCSI to NVMe. */
static const struct sense_row {
    uint16_t nvme;
    uint8_t status, key, asc, ascq;
} senses[] = {
    {NVME_STATUS_OK, SCSI_GOOD, 0, 0, 0},
    {NVME_STATUS_LBA_RANGE, SCSI_CHECK_CONDITION, 0x5, 0x21, 0x00},
    {NVME_STATUS_INVALID_OPCODE, SCSI_CHECK_CONDITION, 0x5, 0x20, 0x00},
    {NVME_STATUS_INVALID_NAMESPACE, SCSI_CHECK_CONDITION, 0x5, 0x25, 0x00},
    {NVME_STATUS_INVALID_FIELD, SCSI_CHECK_CONDITION, 0x5, 0x24, 0x00},
    {NVME_STATUS_READ_ERROR, SCSI_CHECK_CONDITION, 0x3, 0x11, 0x00},
    {NVME_STATUS_WRITE_FAULT, SCSI_CHECK_CONDITION, 0x3, 0x03, 0x00},
    {NVME_STATUS_COMPARE_FAILED, SCSI_CHECK_CONDITION, 0xE, 0x1D, 0x00},
    {NVME_STATUS_CAPACITY, SCSI_CHECK_CONDITION, 0x7, 0x27, 0x07},
    {NVME_STATUS_ANA_TRANSITION, SCSI_CHECK_CONDITION, 0x2, 0x04, 0x0A},
    {NVME_STATUS_ANA_INACCESSIBLE, SCSI_CHECK_CONDITION, 0x2, 0x04, 0x0C},
    {NVME_STATUS_ANA_PERSISTENT_LOSS, SCSI_CHECK_CONDITION, 0x2, 0x04, 0x03},
    {NVME_STATUS_DATA_TRANSFER, SCSI_CHECK_CONDITION, 0xB, 0x47, 0x03},
    {NVME_STATUS_INTERNAL, SCSI_CHECK_CONDITION, 0x4, 0x44, 0x00},
    {NVME_STATUS_ABORTED, SCSI_TASK_ABORTED, 0, 0, 0},
};

uint32_t scsi_put_status(uint8_t *status, unsigned char segment[SCSI_SENSE_SEGMENT], uint16_t nvme)
{
    const unsigned rows = sizeof senses / sizeof senses[0];
    const uint16_t code = nvme & NVME_STATUS_CODE;
    unsigned at = 0;
    while (at < rows && senses[at].nvme != code)
        at++;
    for (unsigned i = 0; at == rows; i++)
        if (senses[i].nvme == NVME_STATUS_INTERNAL)
            at = i;
    *status = senses[at].status;
    memset(segment, 0, SCSI_SENSE_SEGMENT);
    if (*status != SCSI_CHECK_CONDITION)
        return 0;
    big_put(segment, 2, SCSI_SENSE_BYTES);
    segment[2] = 0x70; /* current, fixed format */
    segment[4] = senses[at].key;
    segment[9] = SCSI_SENSE_LEAST - 8; /* additional length */
    segment[14] = senses[at].asc;
    segment[15] = senses[at].ascq;
    return SCSI_SENSE_SEGMENT;
}

/* What Linux retries keeps no Do Not Retry: a unit that is not ready, an aborted command, a busy
 * target. */
static uint16_t with_retry(uint16_t nvme, uint8_t status, uint8_t key)
{
    const bool retried = status != SCSI_CHECK_CONDITION || key == 0x2 || key == 0xB;
    return nvme == NVME_STATUS_OK || retried ? nvme : nvme | NVME_STATUS_DNR;
}

uint16_t scsi_take_status(uint8_t status, const unsigned char *segment, uint32_t length, bool out)
{
    if (status == SCSI_GOOD)
        return NVME_STATUS_OK;
    if (status == SCSI_TASK_ABORTED)
        return NVME_STATUS_ABORTED;
    if (status != SCSI_CHECK_CONDITION || length < 2 + SCSI_SENSE_LEAST)
        return NVME_STATUS_INTERNAL;
    const uint8_t key = segment[4] & 0xF, asc = segment[14], ascq = segment[15];
    for (unsigned i = 0; i < sizeof senses / sizeof senses[0]; i++)
        if (senses[i].status == status && senses[i].key == key && senses[i].asc == asc &&
            senses[i].ascq == ascq)
            return with_retry(senses[i].nvme, status, key);
    if (key == 0x3)
        return (uint16_t)((out ? NVME_STATUS_WRITE_FAULT : NVME_STATUS_READ_ERROR) |
                          NVME_STATUS_DNR);
    return with_retry(NVME_STATUS_INTERNAL, status, key);
}

/* ---- data ---- */

uint32_t scsi_put_luns(unsigned char *bytes, const unsigned char *list)
{
    uint32_t count = 0;
    memset(bytes, 0, SCSI_LUN_BYTES);
    for (uint32_t i = 0; i < SCSI_LUNS_MAX && wire_get32(list + (size_t)4 * i) != 0; i++)
        big_put(bytes + (size_t)SCSI_LUN_BYTES * ++count, SCSI_LUN_BYTES,
                scsi_lun(wire_get32(list + (size_t)4 * i)));
    big_put(bytes, 4, (uint64_t)count * SCSI_LUN_BYTES);
    return (count + 1) * SCSI_LUN_BYTES;
}

uint32_t scsi_put_capacity(unsigned char *bytes, const struct nvme_identify_namespace *ns)
{
    memset(bytes, 0, SCSI_CAPACITY_BYTES);
    big_put(bytes, 8, ns->blocks - 1); /* the last one */
    big_put(bytes + 8, 4, UINT32_C(1) << ns->block_shift);
    return SCSI_CAPACITY_BYTES;
}

static void take_words(char *text, const unsigned char *at, size_t bytes)
{
    while (bytes > 0 && at[bytes - 1] == ' ')
        bytes--;
    memcpy(text, at, bytes);
    text[bytes] = '\0';
}

bool scsi_take_inquiry(struct nvme_identify_controller *controller, const unsigned char *bytes,
                       uint32_t length)
{
    if (length < SCSI_INQUIRY_FIRST)
        return false;
    take_words(controller->model, bytes + 16, 16);
    take_words(controller->firmware, bytes + 32, 4);
    return true;
}

bool scsi_take_limits(struct nvme_identify_controller *controller, const unsigned char *bytes,
                      uint32_t length, uint8_t block_shift)
{
    if (length < SCSI_LIMITS_LEAST || bytes[1] != SCSI_PAGE_LIMITS || block_shift > 16)
        return false;
    const uint64_t pages = (big_get(bytes + 8, 4) << block_shift) / NVME_PAGE_BYTES;
    controller->mdts = 0; /* no limit */
    while (controller->mdts < 20 && pages >> controller->mdts > 1)
        controller->mdts++;
    return true;
}

bool scsi_take_luns(unsigned char *list, const unsigned char *bytes, uint32_t length)
{
    const uint32_t most = NVME_IDENTIFY_BYTES / 4 - 1;
    uint32_t count = 0;
    memset(list, 0, NVME_IDENTIFY_BYTES);
    if (length < SCSI_LUN_BYTES || big_get(bytes, 4) > length - SCSI_LUN_BYTES)
        return false;
    const uint32_t all = (uint32_t)big_get(bytes, 4) / SCSI_LUN_BYTES;
    for (uint32_t i = 1; i <= all && count < most; i++) {
        const uint32_t nsid = scsi_nsid(big_get(bytes + (size_t)i * SCSI_LUN_BYTES, 8));
        if (nsid > 0)
            wire_put32(list + (size_t)4 * count++, nsid);
    }
    return true;
}

bool scsi_take_capacity(struct nvme_identify_namespace *ns, const unsigned char *bytes,
                        uint32_t length)
{
    if (length < SCSI_CAPACITY_BYTES)
        return false;
    const uint32_t block = (uint32_t)big_get(bytes + 8, 4);
    *ns = (struct nvme_identify_namespace){.blocks = big_get(bytes, 8) + 1, .ana_group = 1};
    ns->used = ns->blocks;
    while (ns->block_shift < 31 && block >> ns->block_shift > 1)
        ns->block_shift++;
    return block >= 512 && block == UINT32_C(1) << ns->block_shift;
}

uint32_t scsi_announced(enum scsi_kind kind, const unsigned char *bytes, uint32_t length)
{
    uint32_t announced = 0;
    if (kind == SCSI_KIND_INQUIRY && length > 4)
        announced = bytes[4] + 5u;
    else if (kind == SCSI_KIND_PAGE && length > 3)
        announced = (uint32_t)big_get(bytes + 2, 2) + 4;
    else if (kind == SCSI_KIND_MODE && length > 0)
        announced = bytes[0] + 1u;
    return announced < SCSI_ANSWER_MAX ? announced : SCSI_ANSWER_MAX;
}
