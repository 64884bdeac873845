/* SPDX-License-Identifier: Apache-2.0
 * SCSI commands of the iSCSI transport: CDBs by SBC-3 and SPC-4, parameter data, status. */
#include "nvme/iscsi/scsi.h"
#include "nvme/wire/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct nvme_command command_of(uint8_t opcode, uint64_t lba, uint32_t blocks)
{
    return (struct nvme_command){.opcode = opcode,
                                 .nsid = 1,
                                 .cdw10 = (uint32_t)lba,
                                 .cdw11 = (uint32_t)(lba >> 32),
                                 .cdw12 = blocks - 1};
}

static void each_command_has_its_cdb(void **state)
{
    static const struct {
        uint8_t opcode;
        uint64_t lba;
        uint32_t blocks;
        unsigned char cdb[ISCSI_CDB_BYTES];
    } cases[] = {
        {NVME_READ, 0x01020304, 0x80, {0x28, 0, 1, 2, 3, 4, 0, 0, 0x80}},
        {NVME_WRITE, 0xFFFFFFFF, 1, {0x2A, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 1}},
        {NVME_WRITE, 0xFFFFFFFF, 2, {0x8A, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 2}},
        {NVME_READ, 0, 65536, {0x88, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {NVME_READ, UINT64_C(0x0102030405060708), 8, {0x88, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 8}},
        {NVME_READ,
         UINT64_MAX,
         0x80,
         {0x88, 0, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0x80}},
        {NVME_COMPARE, 16, 8, {0x8F, 0x02, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 8}},
        {NVME_WRITE_ZEROES, 16, 8, {0x93, 0x01, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 8}},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct nvme_command command = command_of(cases[i].opcode, cases[i].lba, cases[i].blocks);
        unsigned char cdb[ISCSI_CDB_BYTES];
        struct scsi_request request;
        assert_true(scsi_of_command(cdb, &command));
        assert_memory_equal(cdb, cases[i].cdb, sizeof cdb);
        scsi_read_cdb(&request, cdb);
        assert_int_equal(request.kind, SCSI_KIND_IO);
        scsi_to_command(&command, &request, 1);
        assert_int_equal(command.opcode, cases[i].opcode);
        assert_int_equal(nvme_capsule_lba(&command), cases[i].lba);
        assert_int_equal(nvme_capsule_blocks(&command), cases[i].blocks);
    }
}

static void flush_and_unmap(void **state)
{
    static const unsigned char list[SCSI_UNMAP_BYTES] = {0, 22, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0,
                                                         1, 2,  3, 4,  0, 0, 0, 8, 0, 0, 0, 0};
    struct nvme_command flush = {.opcode = NVME_FLUSH}, unmap = {.opcode = NVME_DATASET};
    struct scsi_request request;
    unsigned char cdb[ISCSI_CDB_BYTES], bytes[SCSI_UNMAP_BYTES], range[16] = {0}, back[16];
    (void)state;
    assert_true(scsi_of_command(cdb, &flush));
    assert_memory_equal(cdb, ((unsigned char[16]){0x35}), 16);
    scsi_read_cdb(&request, cdb);
    scsi_to_command(&flush, &request, 3);
    assert_int_equal(flush.opcode, NVME_FLUSH);
    assert_int_equal(flush.nsid, 3);
    assert_true(scsi_of_command(cdb, &unmap));
    assert_memory_equal(cdb, ((unsigned char[16]){0x42, [8] = 24}), 16);
    wire_put32(range + NVME_DATASET_LENGTH_AT, 8);
    wire_put64(range + NVME_DATASET_LBA_AT, 0x01020304);
    scsi_put_unmap(bytes, range);
    assert_memory_equal(bytes, list, sizeof list);
    assert_true(scsi_take_unmap(back, bytes));
    assert_memory_equal(back, range, sizeof range);
    bytes[3] = 32; /* two descriptors */
    assert_false(scsi_take_unmap(back, bytes));
    struct nvme_command other = {.opcode = 0x0D};
    assert_false(scsi_of_command(cdb, &other));
}

/* SAM-5, 4.7.7.4 (peripheral) and 4.7.7.3 (flat space). */
static void luns_are_namespaces(void **state)
{
    static const struct {
        uint32_t nsid;
        uint64_t lun;
    } cases[] = {{1, 0},
                 {2, UINT64_C(1) << 48},
                 {256, UINT64_C(0xFF) << 48},
                 {257, UINT64_C(0x4100) << 48},
                 {1024, UINT64_C(0x43FF) << 48}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(scsi_lun(cases[i].nsid), cases[i].lun);
        assert_int_equal(scsi_nsid(cases[i].lun), cases[i].nsid);
    }
    assert_int_equal(scsi_nsid(1), 0);
    assert_int_equal(scsi_nsid(UINT64_C(0xC101) << 48), 0); /* extended: a well known one */
}

static void answers_are_read_back(void **state)
{
    unsigned char bytes[SCSI_REPORT_BYTES], list[NVME_IDENTIFY_BYTES] = {0},
                                            back[NVME_IDENTIFY_BYTES];
    struct nvme_identify_controller controller = {.mdts = 8}, other = {0};
    struct nvme_identify_namespace ns = {.blocks = 0x100000000, .block_shift = 12}, same;
    (void)state;
    strcpy(controller.model, "Linux");
    strcpy(controller.firmware, "6.1");
    assert_int_equal(scsi_put_inquiry(bytes, &controller, true), 96);
    assert_memory_equal(bytes, ((unsigned char[8]){0, 0, 6, 2, 91, 0, 0, 2}), 8);
    assert_memory_equal(bytes + 16, "Linux           6.1 ", 20);
    assert_true(scsi_take_inquiry(&other, bytes, 36));
    assert_string_equal(other.model, "Linux");
    assert_string_equal(other.firmware, "6.1");
    assert_false(scsi_take_inquiry(&other, bytes, 35));
    const struct scsi_unit unit = {&controller, "iqn.2026-01.lab.stormglass:target", 9};
    assert_int_equal(scsi_put_page(bytes, SCSI_PAGE_LIMITS, &unit), 20);
    controller.oncs = NVME_ONCS_DATASET;
    assert_int_equal(scsi_put_page(bytes, SCSI_PAGE_LIMITS, &unit), 64);
    assert_int_equal(big_get(bytes + 8, 4), 2048); /* 1 MiB in blocks of 512 B */
    assert_true(scsi_take_limits(&other, bytes, 64, 9));
    assert_int_equal(other.mdts, 8);
    assert_int_equal(scsi_put_capacity(bytes, &ns), 32);
    assert_memory_equal(bytes,
                        ((unsigned char[12]){0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 16, 0}), 12);
    assert_true(scsi_take_capacity(&same, bytes, 32));
    assert_int_equal(same.blocks, ns.blocks);
    assert_int_equal(same.block_shift, 12);
    big_put(bytes + 8, 4, 520);
    assert_false(scsi_take_capacity(&same, bytes, 32));
    wire_put32(list, 1);
    wire_put32(list + 4, 300);
    assert_int_equal(scsi_put_luns(bytes, list), 24);
    assert_int_equal(big_get(bytes, 4), 16);
    assert_true(scsi_take_luns(back, bytes, 24));
    assert_memory_equal(back, list, sizeof list);
    assert_false(scsi_take_luns(back, bytes, 16));
}

/* Lengths and bytes of LIO's answers in a capture of Linux 6.1, with the same names. */
static void pages_are_those_of_lio(void **state)
{
    static const struct {
        enum scsi_kind kind;
        uint8_t page;
        uint32_t length;
    } cases[] = {{SCSI_KIND_PAGE, 0x00, 12},
                 {SCSI_KIND_PAGE, SCSI_PAGE_SERIAL, 21},
                 {SCSI_KIND_PAGE, SCSI_PAGE_NAMES, 177},
                 {SCSI_KIND_PAGE, SCSI_PAGE_LIMITS, 20},
                 {SCSI_KIND_PAGE, SCSI_PAGE_DEVICE, 64},
                 {SCSI_KIND_PAGE, SCSI_PAGE_PROVISIONING, 8},
                 {SCSI_KIND_MODE, SCSI_MODE_CACHING, 32},
                 {SCSI_KIND_MODE, SCSI_MODE_ALL, 0x43 + 1}};
    static const unsigned char caching[32] = {0x1F, 0, 0, 8,    0,    1, 0xFF, 0xFF, 0,   0,
                                              2,    0, 8, 0x12, [24] = 0x20};
    static const unsigned char port[] = {0x51, 0x94, 0, 4, 0, 0, 0, 1, 0x51, 0x95, 0, 4,
                                         0,    0,    0, 1, 1, 6, 0, 4, 0,    0,    0, 0};
    unsigned char bytes[SCSI_PAGE_MAX], cdb[ISCSI_CDB_BYTES];
    struct nvme_identify_controller controller = {.serial = "0123456789abcdef",
                                                  .model = "RAMDISK-MCP"};
    const struct nvme_identify_namespace ns = {.blocks = 0x20000, .block_shift = 9};
    const struct scsi_unit unit = {&controller, "iqn.2026-01.lab.stormglass:target", 9};
    struct scsi_request request;
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint8_t page = cases[i].page;
        scsi_cdb(cdb, cases[i].kind, page, 32);
        scsi_read_cdb(&request, cdb);
        assert_int_equal(request.kind, cases[i].kind);
        assert_int_equal(request.page, page);
        assert_int_equal(request.allocation, 32);
        const uint32_t length = cases[i].kind == SCSI_KIND_MODE ? scsi_put_mode(bytes, page, &ns)
                                                                : scsi_put_page(bytes, page, &unit);
        assert_int_equal(length, cases[i].length);
        assert_int_equal(scsi_announced(cases[i].kind, bytes, 4), length);
        if (page == SCSI_MODE_CACHING)
            assert_memory_equal(bytes, caching, sizeof caching);
        if (page == SCSI_PAGE_NAMES) {
            assert_memory_equal(bytes + 4 + 20 + 41, port, sizeof port);
            assert_memory_equal(bytes + 89, "\x53\x98\0\x2Ciqn.2026-01", 15);
            assert_memory_equal(bytes + 137, "\x53\xA8\0\x24iqn.2026-01", 15);
        }
    }
    assert_int_equal(scsi_put_page(bytes, 0xC0, &unit), 0);
}

static void status_goes_both_ways(void **state)
{
    static const struct {
        uint16_t nvme, back;
        uint8_t status, key, asc, ascq;
    } cases[] = {
        {NVME_STATUS_OK, NVME_STATUS_OK, 0, 0, 0, 0},
        {NVME_STATUS_LBA_RANGE | NVME_STATUS_DNR, NVME_STATUS_LBA_RANGE | NVME_STATUS_DNR, 2, 5,
         0x21, 0},
        {NVME_STATUS_READ_ERROR, NVME_STATUS_READ_ERROR | NVME_STATUS_DNR, 2, 3, 0x11, 0},
        {NVME_STATUS_WRITE_FAULT, NVME_STATUS_WRITE_FAULT | NVME_STATUS_DNR, 2, 3, 3, 0},
        {NVME_STATUS_COMPARE_FAILED, NVME_STATUS_COMPARE_FAILED | NVME_STATUS_DNR, 2, 0xE, 0x1D, 0},
        {NVME_STATUS_ANA_TRANSITION, NVME_STATUS_ANA_TRANSITION, 2, 2, 4, 0x0A},
        {NVME_STATUS_ABORTED, NVME_STATUS_ABORTED, 0x40, 0, 0, 0},
        {NVME_STATUS_INVALID_NAMESPACE, NVME_STATUS_INVALID_NAMESPACE | NVME_STATUS_DNR, 2, 5, 0x25,
         0},
        {NVME_STATUS_SGL_LENGTH, NVME_STATUS_INTERNAL | NVME_STATUS_DNR, 2, 4, 0x44, 0},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char segment[SCSI_SENSE_SEGMENT];
        uint8_t status = 0xFF;
        const uint32_t length = scsi_put_status(&status, segment, cases[i].nvme);
        assert_int_equal(status, cases[i].status);
        assert_int_equal(length, status == 2 ? 98 : 0); /* as LIO sends it */
        if (length > 0) {
            assert_memory_equal(segment, ((unsigned char[3]){0, 96, 0x70}), 3);
            assert_int_equal(segment[9], 10); /* additional length of fixed format */
            assert_int_equal(segment[4], cases[i].key);
            assert_int_equal(segment[14], cases[i].asc);
            assert_int_equal(segment[15], cases[i].ascq);
        }
        assert_int_equal(scsi_take_status(status, segment, length, false), cases[i].back);
        if (length > 0) /* other targets send the 18 bytes alone */
            assert_int_equal(scsi_take_status(status, segment, 20, false), cases[i].back);
    }
    static const unsigned char unknown[20] = {0, 18, 0x70, 0, 3, [14] = 0x31};
    assert_int_equal(scsi_take_status(2, unknown, 20, true),
                     NVME_STATUS_WRITE_FAULT | NVME_STATUS_DNR);
    assert_int_equal(scsi_take_status(2, unknown, 20, false),
                     NVME_STATUS_READ_ERROR | NVME_STATUS_DNR);
    assert_int_equal(scsi_take_status(2, unknown, 4, false), NVME_STATUS_INTERNAL);
    assert_int_equal(scsi_take_status(8, unknown, 0, false), NVME_STATUS_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_command_has_its_cdb), cmocka_unit_test(flush_and_unmap),
        cmocka_unit_test(luns_are_namespaces),      cmocka_unit_test(answers_are_read_back),
        cmocka_unit_test(pages_are_those_of_lio),
        cmocka_unit_test(status_goes_both_ways),
    };
    return cmocka_run_group_tests_name("iscsi_scsi", tests, NULL, NULL);
}
