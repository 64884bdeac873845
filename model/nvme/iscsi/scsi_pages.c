/* SPDX-License-Identifier: Apache-2.0
 * scsi_pages - what a logical unit says about itself: INQUIRY data and pages, mode pages.
 * The pages and their lengths are those of LIO (drivers/target/target_core_spc.c of Linux 6.1),
 * except that limits of UNMAP follow the controller's commands. */
#include "nvme/iscsi/scsi.h"

#include "nvme/wire/wire.h"

#include <stdio.h>
#include <string.h>

enum {
    PAGE_HEADER = 4,
    VENDOR_BYTES = 8,
    DESCRIPTOR_HEADER = 4,
    NAA_BYTES = 16,
    PORT_BYTES = 4,
    NAME_ROUND = 4,
    NAME_MAX_BYTES = 256,
    LIMITS_SHORT = 20, /* without UNMAP */
    MODE_HEADER = 4,
    MODE_BLOCKS = 8, /* one block descriptor */
};

static const char vendor[] = "NVMe"; /* as drivers/nvme's SCSI translation named it */

static void put_words(unsigned char *at, size_t bytes, const char *text)
{
    const size_t length = strlen(text);
    memset(at, ' ', bytes);
    memcpy(at, text, length < bytes ? length : bytes);
}

/* there: the logical unit exists (peripheral qualifier). */
uint32_t scsi_put_inquiry(unsigned char *bytes, const struct nvme_identify_controller *controller,
                          bool there)
{
    static const uint16_t versions[] = {0x00A0, 0x0960, 0x0460, 0x04C0}; /* SAM-5 to SBC-3 */
    memset(bytes, 0, SCSI_INQUIRY_BYTES);
    bytes[0] = there ? 0 : 0x7F;
    bytes[2] = 6;                      /* SPC-4 */
    bytes[3] = 2;                      /* response data format */
    bytes[4] = SCSI_INQUIRY_BYTES - 5; /* additional length */
    bytes[7] = 2;                      /* CMDQUE */
    put_words(bytes + 8, VENDOR_BYTES, vendor);
    put_words(bytes + 16, 16, controller->model);
    put_words(bytes + 32, 4, controller->firmware);
    for (unsigned i = 0; i < sizeof versions / sizeof versions[0]; i++)
        big_put(bytes + 58 + (size_t)2 * i, 2, versions[i]);
    return SCSI_INQUIRY_BYTES;
}

/* ---- pages of INQUIRY: each writes what follows the header, and returns its length ---- */

static uint32_t put_serial(unsigned char *at, const struct scsi_unit *unit)
{
    const size_t length = strlen(unit->controller->serial) + 1;
    memcpy(at, unit->controller->serial, length);
    return (uint32_t)length;
}

static void put_digit(unsigned char *at, unsigned index, unsigned digit)
{
    at[index / 2] = (unsigned char)(index % 2 == 0 ? digit << 4 : at[index / 2] | digit);
}

static uint32_t put_descriptor(unsigned char *at, unsigned code, unsigned type, uint32_t length)
{
    at[0] = (unsigned char)code;
    at[1] = (unsigned char)type;
    at[3] = (unsigned char)length;
    return DESCRIPTOR_HEADER + length;
}

/* A name in UTF-8, with at least one NUL, in units of four bytes. */
static uint32_t put_name(unsigned char *at, unsigned type, const char *name)
{
    const uint32_t length = (uint32_t)strlen(name);
    memcpy(at + DESCRIPTOR_HEADER, name, length);
    return put_descriptor(at, 0x53, type, length + NAME_ROUND - length % NAME_ROUND);
}

/* Names of the unit (NAA, of the digits of its serial number; T10), its port and the target. */
static uint32_t put_names(unsigned char *bytes, const struct scsi_unit *unit)
{
    const struct nvme_identify_controller *controller = unit->controller;
    char name[NAME_MAX_BYTES + sizeof ",t,0x0001"];
    unsigned char *at = bytes;
    at[DESCRIPTOR_HEADER] = 0x60; /* NAA IEEE registered extended */
    for (unsigned i = 0; i < 2 * NAA_BYTES - 1 && controller->serial[i] != '\0'; i++) {
        const unsigned digit = (unsigned char)controller->serial[i] & 0xF;
        put_digit(at + DESCRIPTOR_HEADER, i + 1, digit);
    }
    at += put_descriptor(at, 0x01, 0x03, NAA_BYTES);
    put_words(at + DESCRIPTOR_HEADER, VENDOR_BYTES, vendor);
    const int words = snprintf((char *)at + DESCRIPTOR_HEADER + VENDOR_BYTES,
                               NVME_MODEL_BYTES + NVME_SERIAL_BYTES + 2, "%s:%s", controller->model,
                               controller->serial);
    at += put_descriptor(at, 0x02, 0x01, VENDOR_BYTES + (uint32_t)words + 1);
    at[DESCRIPTOR_HEADER + 3] = 1; /* relative target port, target port group, unit group */
    at += put_descriptor(at, 0x51, 0x94, PORT_BYTES);
    at[DESCRIPTOR_HEADER + 3] = 1;
    at += put_descriptor(at, 0x51, 0x95, PORT_BYTES);
    at += put_descriptor(at, 0x01, 0x06, PORT_BYTES);
    snprintf(name, sizeof name, "%.223s,t,0x0001", unit->target);
    at += put_name(at, 0x98, name);
    snprintf(name, sizeof name, "%.223s", unit->target);
    at += put_name(at, 0xA8, name);
    return (uint32_t)(at - bytes);
}

/* MAXIMUM TRANSFER LENGTH counts blocks, the controller's limit is 2^MDTS pages. */
static uint32_t put_limits(unsigned char *at, const struct scsi_unit *unit)
{
    const struct nvme_identify_controller *controller = unit->controller;
    if (controller->mdts > 0 && controller->mdts < 16)
        big_put(at + 4, 4, ((uint64_t)NVME_PAGE_BYTES << controller->mdts) >> unit->block_shift);
    if ((controller->oncs & NVME_ONCS_DATASET) == 0)
        return LIMITS_SHORT - PAGE_HEADER;
    big_put(at + 16, 4, UINT32_MAX); /* blocks of one UNMAP */
    big_put(at + 20, 4, 1);          /* its descriptors */
    return SCSI_LIMITS_BYTES - PAGE_HEADER;
}

/* Extended INQUIRY data: queues of simple, ordered and head-of-queue tasks. */
static uint32_t put_extended(unsigned char *at, const struct scsi_unit *unit)
{
    (void)unit;
    at[1] = 7;
    return 60;
}

static uint32_t put_device(unsigned char *at, const struct scsi_unit *unit)
{
    (void)unit;
    at[1] = 1; /* non-rotating medium */
    return 60;
}

/* LBPU: UNMAP deallocates. */
static uint32_t put_provisioning(unsigned char *at, const struct scsi_unit *unit)
{
    if ((unit->controller->oncs & NVME_ONCS_DATASET) != 0)
        at[1] = 0x80;
    return 4;
}

/* Referrals: none. */
static uint32_t put_referrals(unsigned char *at, const struct scsi_unit *unit)
{
    (void)at;
    (void)unit;
    return 12;
}

static uint32_t put_supported(unsigned char *at, const struct scsi_unit *unit);

static const struct page_row {
    uint8_t page;
    uint32_t (*put)(unsigned char *at, const struct scsi_unit *unit);
} pages[] = {
    {0x00, put_supported},
    {SCSI_PAGE_SERIAL, put_serial},
    {SCSI_PAGE_NAMES, put_names},
    {0x86, put_extended},
    {SCSI_PAGE_LIMITS, put_limits},
    {SCSI_PAGE_DEVICE, put_device},
    {SCSI_PAGE_PROVISIONING, put_provisioning},
    {0xB3, put_referrals},
};

enum { PAGES = sizeof pages / sizeof pages[0] };

static uint32_t put_supported(unsigned char *at, const struct scsi_unit *unit)
{
    (void)unit;
    for (unsigned i = 0; i < PAGES; i++)
        at[i] = pages[i].page;
    return PAGES;
}

bool scsi_has_page(uint8_t page)
{
    for (unsigned i = 0; i < PAGES; i++)
        if (pages[i].page == page)
            return true;
    return false;
}

uint32_t scsi_put_page(unsigned char bytes[SCSI_PAGE_MAX], uint8_t page,
                       const struct scsi_unit *unit)
{
    memset(bytes, 0, SCSI_PAGE_MAX);
    for (unsigned i = 0; i < PAGES; i++) {
        if (pages[i].page != page)
            continue;
        const uint32_t length = pages[i].put(bytes + PAGE_HEADER, unit);
        bytes[1] = page;
        big_put(bytes + 2, 2, length);
        return PAGE_HEADER + length;
    }
    return 0;
}

/* ---- mode pages ---- */

/* Their settings are 0, except that the cache is not read ahead (DISC). */
static const struct mode_row {
    uint8_t page, length;
} modes[] = {{0x01, 12}, {SCSI_MODE_CACHING, 20}, {0x0A, 12}, {0x1C, 12}};

enum { MODES = sizeof modes / sizeof modes[0] };

bool scsi_has_mode(uint8_t page)
{
    for (unsigned i = 0; i < MODES; i++)
        if (modes[i].page == page)
            return true;
    return page == SCSI_MODE_ALL;
}

uint32_t scsi_put_mode(unsigned char bytes[SCSI_PAGE_MAX], uint8_t page,
                       const struct nvme_identify_namespace *ns)
{
    uint32_t length = MODE_HEADER + MODE_BLOCKS;
    memset(bytes, 0, SCSI_PAGE_MAX);
    big_put(bytes + 4, 4, ns->blocks > UINT32_MAX ? UINT32_MAX : ns->blocks - 1); /* as LIO */
    big_put(bytes + 8, 4, UINT32_C(1) << ns->block_shift);
    for (unsigned i = 0; i < MODES; i++) {
        if (page != SCSI_MODE_ALL && page != modes[i].page)
            continue;
        bytes[length] = modes[i].page;
        bytes[length + 1] = (unsigned char)(modes[i].length - 2);
        if (modes[i].page == SCSI_MODE_CACHING)
            bytes[length + 12] = 0x20;
        length += modes[i].length;
    }
    bytes[0] = (unsigned char)(length - 1);
    bytes[3] = MODE_BLOCKS;
    return length;
}
