/* SPDX-License-Identifier: Apache-2.0
 * scsi - the SCSI commands, data and sense that carry NVMe commands over iSCSI.
 *   Read, Write            READ(10) or READ(16), WRITE(10) or WRITE(16)
 *   Compare                VERIFY(16) with BYTCHK 01b
 *   Flush                  SYNCHRONIZE CACHE(10)
 *   Write Zeroes           WRITE SAME(16) with NDOB
 *   Deallocate             UNMAP with one descriptor
 *   Identify Controller    INQUIRY, and its Block Limits page (B0h), or unit_scan.def
 *   active namespaces      REPORT LUNS; logical unit 0 is namespace 1
 *   Identify Namespace     READ CAPACITY(16)
 * NVMe status and SCSI status with sense data correspond by one table.
 * The 10-byte CDBs serve where they reach; Linux 6.1 (sd_setup_read_write_cmnd) uses the 16-byte
 * ones for every block of a disk with more than 2^32 blocks.
 * Source: SPC-4, SBC-3, SAM-5. Errors: a reading function returns false. */
#ifndef STORMGLASS_NVME_ISCSI_SCSI_H
#define STORMGLASS_NVME_ISCSI_SCSI_H

#include "nvme/iscsi/bhs.h"
#include "nvme/wire/capsule.h"
#include "nvme/wire/identify.h"

enum scsi_opcode {
    SCSI_TEST_UNIT_READY = 0x00,
    SCSI_INQUIRY = 0x12,
    SCSI_MODE_SENSE_6 = 0x1A,
    SCSI_READ_10 = 0x28,
    SCSI_WRITE_10 = 0x2A,
    SCSI_SYNCHRONIZE_10 = 0x35,
    SCSI_UNMAP = 0x42,
    SCSI_READ_16 = 0x88,
    SCSI_WRITE_16 = 0x8A,
    SCSI_VERIFY_16 = 0x8F,
    SCSI_WRITE_SAME_16 = 0x93,
    SCSI_SERVICE_IN_16 = 0x9E, /* READ CAPACITY(16): service action 10h */
    SCSI_REPORT_LUNS = 0xA0,
    SCSI_MAINTENANCE_IN = 0xA3, /* REPORT SUPPORTED OPERATION CODES: service action 0Ch */
};

enum scsi_status {
    SCSI_GOOD = 0x00,
    SCSI_CHECK_CONDITION = 0x02,
    SCSI_BUSY = 0x08,
    SCSI_TASK_ABORTED = 0x40,
};

enum {
    SCSI_CAPACITY_BYTES = 32, /* READ CAPACITY(16) */
    SCSI_INQUIRY_BYTES = 96,  /* standard data */
    SCSI_INQUIRY_FIRST = 36,  /* of them, those that Linux takes first */
    SCSI_LIMITS_BYTES = 64,   /* VPD page B0h */
    SCSI_LIMITS_LEAST = 16,   /* the same of a unit without UNMAP, of an older standard */
    SCSI_PAGE_SERIAL = 0x80,
    SCSI_PAGE_NAMES = 0x83,
    SCSI_PAGE_LIMITS = 0xB0,
    SCSI_PAGE_DEVICE = 0xB1,
    SCSI_PAGE_PROVISIONING = 0xB2,
    SCSI_PAGE_MAX = 1024, /* bytes of any page */
    SCSI_MODE_CACHING = 0x08,
    SCSI_MODE_ALL = 0x3F,
    SCSI_LUN_BYTES = 8,
    SCSI_LUNS_MAX = 1024,
    SCSI_REPORT_BYTES = SCSI_LUN_BYTES * (SCSI_LUNS_MAX + 1),
    SCSI_UNMAP_BYTES = 24, /* header and one descriptor */
    SCSI_SENSE_LEAST = 18, /* of fixed format */
    SCSI_SENSE_BYTES = 96, /* TRANSPORT_SENSE_BUFFER of LIO: the rest is 0 */
    /* SenseLength and sense, RFC 7143 11.4.7.1 */
    SCSI_SENSE_SEGMENT = 2 + SCSI_SENSE_BYTES,
    SCSI_ANSWER_MAX = SCSI_REPORT_BYTES,
};

/* What a CDB asks for. */
enum scsi_kind {
    SCSI_KIND_IO,      /* blocks of the logical unit */
    SCSI_KIND_INQUIRY, /* standard data */
    SCSI_KIND_PAGE,    /* of INQUIRY: vital product data */
    SCSI_KIND_LUNS,
    SCSI_KIND_CAPACITY,
    SCSI_KIND_READY,  /* TEST UNIT READY */
    SCSI_KIND_MODE,   /* MODE SENSE(6) */
    SCSI_KIND_OPCODE, /* REPORT SUPPORTED OPERATION CODES, of one; a target has no answer */
    SCSI_KIND_UNKNOWN,
};

struct scsi_request {
    enum scsi_kind kind;
    uint8_t opcode; /* NVMe, of SCSI_KIND_IO */
    uint8_t page;   /* of SCSI_KIND_PAGE and SCSI_KIND_MODE */
    uint64_t lba;
    uint32_t blocks;     /* 0 of a READ or WRITE: nothing to do */
    uint32_t allocation; /* of data that is no blocks: most bytes that the initiator takes */
};

/* LUN field of a namespace: peripheral device addressing below 256, flat above. */
uint64_t scsi_lun(uint32_t nsid);
/* 0: no namespace has it. */
uint32_t scsi_nsid(uint64_t lun);

/* CDB of an NVMe I/O command. False: it has none. */
bool scsi_of_command(unsigned char cdb[ISCSI_CDB_BYTES], const struct nvme_command *command);
/* page: also the operation code of SCSI_KIND_OPCODE. */
void scsi_cdb(unsigned char cdb[ISCSI_CDB_BYTES], enum scsi_kind kind, uint8_t page,
              uint32_t allocation);
void scsi_read_cdb(struct scsi_request *request, const unsigned char cdb[ISCSI_CDB_BYTES]);
/* The NVMe command of an I/O request; its SGL and identifier are the caller's. */
void scsi_to_command(struct nvme_command *command, const struct scsi_request *request,
                     uint32_t nsid);

/* Parameter list of UNMAP, from and to the range of Dataset Management. */
void scsi_put_unmap(unsigned char bytes[SCSI_UNMAP_BYTES], const unsigned char *range);
bool scsi_take_unmap(unsigned char *range, const unsigned char bytes[SCSI_UNMAP_BYTES]);

/* Status and sense of an NVMe status. Returns the length of the response's data segment. */
uint32_t scsi_put_status(uint8_t *status, unsigned char segment[SCSI_SENSE_SEGMENT], uint16_t nvme);
uint16_t scsi_take_status(uint8_t status, const unsigned char *segment, uint32_t length, bool out);

/* Data of the target's answers. They return its length. */
uint32_t scsi_put_inquiry(unsigned char *bytes, const struct nvme_identify_controller *controller,
                          bool there);
bool scsi_has_page(uint8_t page);
/* What its pages describe. */
struct scsi_unit {
    const struct nvme_identify_controller *controller;
    const char *target; /* its iSCSI name */
    uint8_t block_shift;
};
uint32_t scsi_put_page(unsigned char bytes[SCSI_PAGE_MAX], uint8_t page,
                       const struct scsi_unit *unit);
bool scsi_has_mode(uint8_t page);
uint32_t scsi_put_mode(unsigned char bytes[SCSI_PAGE_MAX], uint8_t page,
                       const struct nvme_identify_namespace *ns);
uint32_t scsi_put_luns(unsigned char *bytes, const unsigned char *list);
uint32_t scsi_put_capacity(unsigned char *bytes, const struct nvme_identify_namespace *ns);

/* The host's reading of the answers. */
/* Bytes of the whole answer, by its first ones. 0: it does not say. */
uint32_t scsi_announced(enum scsi_kind kind, const unsigned char *bytes, uint32_t length);
bool scsi_take_inquiry(struct nvme_identify_controller *controller, const unsigned char *bytes,
                       uint32_t length);
bool scsi_take_limits(struct nvme_identify_controller *controller, const unsigned char *bytes,
                      uint32_t length, uint8_t block_shift);
bool scsi_take_luns(unsigned char *list, const unsigned char *bytes, uint32_t length);
bool scsi_take_capacity(struct nvme_identify_namespace *ns, const unsigned char *bytes,
                        uint32_t length);

#endif
