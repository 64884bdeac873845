/* SPDX-License-Identifier: Apache-2.0
 * identify - Identify data structures: the fields that a fabrics host uses.
 * Source: base 5.15.2 (figures for CNS 00h and 01h), Fabrics 4.1. Fields not listed here are 0 on
 * the wire. Errors: none; any 4096 bytes decode. */
#ifndef STORMGLASS_NVME_WIRE_IDENTIFY_H
#define STORMGLASS_NVME_WIRE_IDENTIFY_H

#include "nvme/wire/spec.h"

#include <stdbool.h>
#include <stdint.h>

enum { NVME_SERIAL_BYTES = 20, NVME_MODEL_BYTES = 40, NVME_FIRMWARE_BYTES = 8 };

/* CMIC, CTRATT, LPA, ONCS, SGLS, DLFEAT bits. */
enum {
    NVME_CMIC_MULTI_PORT = 1,
    NVME_CMIC_MULTI_CTRL = 2,
    NVME_CMIC_ANA = 8,
    NVME_CTRATT_HOST_ID_128 = 1,
    NVME_CTRATT_TBKAS = 1 << 6, /* traffic-based keep-alive */
    NVME_LPA_EFFECTS = 2,
    NVME_LPA_PARTS = 4, /* Get Log Page supports an offset and extended lengths */
    NVME_ONCS_COMPARE = 1,
    NVME_ONCS_DATASET = 1 << 2,
    NVME_ONCS_WRITE_ZEROES = 1 << 3,
    NVME_ONCS_RESERVATIONS = 1 << 5,
    NVME_FUSES_COMPARE_WRITE = 1,
    NVME_SGLS_SUPPORTED = 1,
    NVME_SGLS_KEYED = 1 << 2,
    NVME_SGLS_OFFSET = 1 << 20, /* in-capsule data */
    NVME_DLFEAT_ZEROS = 1,      /* deallocated blocks read as zeros */
};

struct nvme_identify_controller {
    char serial[NVME_SERIAL_BYTES + 1],
        model[NVME_MODEL_BYTES + 1]; /* padded with blanks on the wire */
    char firmware[NVME_FIRMWARE_BYTES + 1];
    bool serial_of_nuls; /* the serial number is padded with NULs, other targets use blanks */
    bool names_of_nuls;  /* serial number and model are empty (all NULs) */
    uint16_t vendor, subsystem_vendor;
    uint32_t ieee; /* OUI, 24 bits */
    uint8_t rab, cmic, mdts, type;
    uint16_t cntlid;
    uint32_t version, oaes, ctratt;
    uint8_t acl, aerl, frmw, lpa, elpe;
    uint16_t crdt1, crdt2, crdt3; /* units of 100 ms; command retry delays */
    uint16_t kas;                 /* units of 100 ms */
    uint8_t anatt, anacap;
    uint32_t ana_groups;
    uint8_t sqes, cqes, vwc;
    uint16_t max_commands, oncs, fuses, acwu;
    uint8_t nwpc;
    uint16_t power_max;               /* of power state 0: centiwatts */
    uint32_t power_entry, power_exit; /* microseconds */
    uint32_t namespaces, sgls;
    char subsystem_nqn[NVME_NQN_BYTES];
    uint32_t ioccsz, iorcsz; /* units of 16 bytes */
    uint16_t icdoff;
    uint8_t msdbd;
};

struct nvme_identify_namespace {
    uint64_t blocks; /* NSZE and NCAP */
    uint64_t used;   /* NUSE */
    uint8_t nsfeat, nmic, dlfeat;
    uint8_t flbas, mc, dpc, dps; /* protection information: wire/pi.h */
    uint16_t metadata;           /* MS of the one format: bytes */
    uint32_t ana_group;
    uint8_t block_shift; /* LBADS of the one format */
};

void nvme_identify_encode_controller(const struct nvme_identify_controller *controller,
                                     unsigned char bytes[NVME_IDENTIFY_BYTES]);
void nvme_identify_decode_controller(struct nvme_identify_controller *controller,
                                     const unsigned char bytes[NVME_IDENTIFY_BYTES]);
void nvme_identify_encode_namespace(const struct nvme_identify_namespace *ns,
                                    unsigned char bytes[NVME_IDENTIFY_BYTES]);
void nvme_identify_decode_namespace(struct nvme_identify_namespace *ns,
                                    const unsigned char bytes[NVME_IDENTIFY_BYTES]);

#endif
