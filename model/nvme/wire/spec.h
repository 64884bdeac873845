/* SPDX-License-Identifier: Apache-2.0
 * spec - the numbers of NVMe and NVMe over Fabrics.
 * Source: NVM Express base specification 1.4 (base), NVMe over Fabrics 1.1 (fabrics); the names
 * follow include/linux/nvme.h and nvme-rdma.h of Linux 6.1.  Layouts are in capsule.h,
 * fabrics.h and identify.h. */
#ifndef STORMGLASS_NVME_WIRE_SPEC_H
#define STORMGLASS_NVME_WIRE_SPEC_H

#include <stdint.h>

enum {
    NVME_RDMA_PORT = 4420,      /* IANA: nvme */
    NVME_ADMIN_QUEUE_SIZE = 32, /* fabrics 7.3.2 minimum, NVME_AQ_DEPTH */
    NVME_NQN_BYTES = 256,       /* with its final NUL, base 7.9 */
    NVME_PAGE_BYTES = 4096,     /* CC.MPS 0 */
    NVME_SQE_BYTES = 64,
    NVME_CQE_BYTES = 16,
    NVME_CONNECT_BYTES = 1024,
    NVME_IDENTIFY_BYTES = 4096,
};

/* The subsystem that every target offers. */
#define NVME_SUBSYSTEM_NQN "nqn.2014-08.org.nvmexpress:stormglass"

/* NVM command set, base 6. */
enum nvme_opcode {
    NVME_FLUSH = 0x00,
    NVME_WRITE = 0x01,
    NVME_READ = 0x02,
    NVME_COMPARE = 0x05,
    NVME_WRITE_ZEROES = 0x08,
    NVME_DATASET = 0x09, /* Dataset Management */
};

static inline const char *nvme_opcode_word(uint8_t opcode)
{
    switch (opcode) {
    case NVME_FLUSH:
        return "flush";
    case NVME_WRITE:
        return "write";
    case NVME_READ:
        return "read";
    case NVME_COMPARE:
        return "compare";
    case NVME_WRITE_ZEROES:
        return "write-zeroes";
    case NVME_DATASET:
        return "deallocate";
    default:
        return "other";
    }
}

/* Dataset Management, base 6.7: CDW11, and the ranges of its data. */
enum {
    NVME_DATASET_DEALLOCATE = 1 << 2,
    NVME_DATASET_RANGE_BYTES = 16,
    NVME_DATASET_LENGTH_AT = 4,
    NVME_DATASET_LBA_AT = 8,
};

/* Admin command set, base 5. */
enum nvme_admin_opcode {
    NVME_ADMIN_GET_LOG = 0x02,
    NVME_ADMIN_IDENTIFY = 0x06,
    NVME_ADMIN_ABORT = 0x08,
    NVME_ADMIN_SET_FEATURES = 0x09,
    NVME_ADMIN_GET_FEATURES = 0x0A,
    NVME_ADMIN_ASYNC_EVENT = 0x0C,
    NVME_ADMIN_KEEP_ALIVE = 0x18,
    NVME_FABRICS = 0x7F, /* fabrics 3; on either kind of queue */
};

/* Byte 4 of a Fabrics command, fabrics 3. */
enum nvme_fctype { NVME_FCTYPE_SET = 0x00, NVME_FCTYPE_CONNECT = 0x01, NVME_FCTYPE_GET = 0x04 };

/* Bit 0 of an opcode, or of an FCTYPE: data goes to the controller; bit 1: to the host. */
enum { NVME_DATA_OUT = 1, NVME_DATA_IN = 2 };

enum {
    NVME_FLAGS_FUSE = 0x03,
    NVME_FLAGS_PSDT = 0xC0,
    NVME_FLAGS_SGL = 0x40, /* PSDT 01b: what every Fabrics command carries */
};

/* SGL descriptor type and subtype, base 4.4 and fabrics 2.4: byte 15 of the descriptor. */
enum nvme_sgl_type {
    NVME_SGL_IN_CAPSULE = 0x01,       /* data block at an offset in the capsule */
    NVME_SGL_KEYED = 0x40,            /* keyed data block */
    NVME_SGL_KEYED_INVALIDATE = 0x4F, /* and the response invalidates the key */
};

/* SCT<<8 | SC, base 4.6.1. */
enum nvme_status {
    NVME_STATUS_OK = 0x000,
    NVME_STATUS_INVALID_OPCODE = 0x001,
    NVME_STATUS_INVALID_FIELD = 0x002,
    NVME_STATUS_ID_CONFLICT = 0x003, /* of the command */
    NVME_STATUS_DATA_TRANSFER = 0x004,
    NVME_STATUS_INTERNAL = 0x006,
    NVME_STATUS_ABORTED = 0x007, /* by request */
    NVME_STATUS_INVALID_NAMESPACE = 0x00B,
    NVME_STATUS_SEQUENCE = 0x00C,
    NVME_STATUS_SGL_LENGTH = 0x00F,
    NVME_STATUS_SGL_TYPE = 0x011,
    NVME_STATUS_SGL_OFFSET = 0x016,
    NVME_STATUS_KEEP_ALIVE_INVALID = 0x01A,
    NVME_STATUS_LBA_RANGE = 0x080,
    NVME_STATUS_CAPACITY = 0x081,
    NVME_STATUS_INVALID_QUEUE = 0x101,
    NVME_STATUS_ABORT_LIMIT = 0x103,
    NVME_STATUS_ASYNC_LIMIT = 0x105,
    NVME_STATUS_INVALID_LOG_PAGE = 0x109,
    NVME_STATUS_NOT_SAVEABLE = 0x10D, /* a feature */
    NVME_STATUS_NOT_CHANGEABLE = 0x10E,
    NVME_STATUS_NOT_OF_NAMESPACE = 0x10F,
    NVME_STATUS_CONNECT_FORMAT = 0x180,
    NVME_STATUS_CONNECT_BUSY = 0x181, /* no controller is left */
    NVME_STATUS_CONNECT_PARAMETERS = 0x182,
    NVME_STATUS_CONNECT_HOST = 0x184,       /* the host is not allowed */
    NVME_STATUS_INVALID_PROTECTION = 0x181, /* of a read or a write: protection information */
    NVME_STATUS_WRITE_FAULT = 0x280,        /* media errors */
    NVME_STATUS_READ_ERROR = 0x281,
    NVME_STATUS_GUARD_CHECK = 0x282, /* end-to-end checks of protection information */
    NVME_STATUS_APPLICATION_CHECK = 0x283,
    NVME_STATUS_REFERENCE_CHECK = 0x284,
    NVME_STATUS_COMPARE_FAILED = 0x285,
    NVME_STATUS_ANA_PERSISTENT_LOSS = 0x301, /* path errors: 300h to 3FFh */
    NVME_STATUS_ANA_INACCESSIBLE = 0x302,
    NVME_STATUS_ANA_TRANSITION = 0x303,
    NVME_STATUS_HOST_PATH = 0x370, /* the host's own: it could not be sent by this path */
    NVME_STATUS_CODE = 0x7FF,      /* the bits above */
    NVME_STATUS_SCT = 0x700,
    NVME_STATUS_PATH = 0x300,           /* SCT of path errors */
    NVME_STATUS_MORE = 0x2000,          /* in the error log */
    NVME_STATUS_DNR = 0x4000,           /* do not retry */
    NVME_STATUS_TRANSPORT = UINT16_MAX, /* no response will come; never on the wire */
};

/* A compare that finds other data has completed: its answer is the difference. */
static inline int nvme_status_is_completion(uint16_t status)
{
    return status == NVME_STATUS_OK || status == NVME_STATUS_COMPARE_FAILED;
}

/* A command that another path may carry out (nvme_is_path_error of Linux). */
static inline int nvme_status_is_path_error(uint16_t status)
{
    return status != NVME_STATUS_TRANSPORT && (status & NVME_STATUS_SCT) == NVME_STATUS_PATH;
}

/* Asynchronous Event Request, base 5.2: the result's type, information and log page. */
enum nvme_event {
    NVME_EVENT_NOTICE = 2, /* type */
    NVME_EVENT_NAMESPACES = 0x00,
    NVME_EVENT_ANA = 0x03,
    NVME_EVENT_DISCOVERY = 0xF0,
    /* Bits of OAES and of the feature that asks for them. */
    NVME_EVENT_BIT_NAMESPACES = 8,
    NVME_EVENT_BIT_ANA = 11,
    NVME_EVENT_BIT_DISCOVERY = 31,
};

/* Connect, CATTR in bits 23:16 of CDW11, fabrics 3.3. */
enum { NVME_CONNECT_NO_FLOW_CONTROL = 1 << 18 };

/* Controller properties, base 3.1: offset and, below, fields. */
enum nvme_property {
    NVME_PROPERTY_CAP = 0x00,
    NVME_PROPERTY_VS = 0x08,
    NVME_PROPERTY_CC = 0x14,
    NVME_PROPERTY_CSTS = 0x1C,
};

#define NVME_CAP_MQES_MASK UINT64_C(0xFFFF)       /* 0's based */
#define NVME_CAP_CQR       (UINT64_C(1) << 16)    /* contiguous queues required */
#define NVME_CAP_TO(cap)   (((cap) >> 24) & 0xFF) /* units of 500 ms */
#define NVME_CAP_CSS_NVM   (UINT64_C(1) << 37)
#define NVME_CAP_CSS_CSI   (UINT64_C(1) << 43)

enum {
    NVME_CC_ENABLE = 1,
    NVME_CC_CSS_SHIFT = 4,
    NVME_CC_CSS_MASK = 7 << 4,
    NVME_CC_CSS_CSI = 6 << 4,
    NVME_CC_MPS_MASK = 0xF << 7,
    NVME_CC_AMS_MASK = 7 << 11,
    NVME_CC_SHN_MASK = 3 << 14,
    NVME_CC_SHN_NORMAL = 1 << 14,
    NVME_CC_IOSQES_MASK = 0xF << 16,
    NVME_CC_IOSQES = 6 << 16, /* 64 bytes */
    NVME_CC_IOCQES_MASK = 0xF << 20,
    NVME_CC_IOCQES = 4 << 20, /* 16 bytes */
    NVME_CSTS_READY = 1,
    NVME_CSTS_FATAL = 2,
    NVME_CSTS_SHST_MASK = 3 << 2,
    NVME_CSTS_SHST_DONE = 2 << 2,
};

/* Identify, CNS in CDW10, base 5.15. */
enum nvme_cns {
    NVME_CNS_NAMESPACE = 0x00,
    NVME_CNS_CONTROLLER = 0x01,
    NVME_CNS_ACTIVE_LIST = 0x02,
    NVME_CNS_DESCRIPTORS = 0x03,
    NVME_CNS_CSI_NAMESPACE = 0x05,
    NVME_CNS_CSI_CONTROLLER = 0x06,
    NVME_CNS_CSI_ACTIVE_LIST = 0x07,
    NVME_CNS_COMMAND_SETS = 0x1C,
};

enum { NVME_LOG_RETAIN_EVENT = 1 << 15 }; /* RAE, in CDW10 */

/* Log pages, LID in CDW10, base 5.14. */
enum nvme_log {
    NVME_LOG_ERROR = 0x01,
    NVME_LOG_SMART = 0x02,
    NVME_LOG_FIRMWARE = 0x03,
    NVME_LOG_CHANGED = 0x04,
    NVME_LOG_EFFECTS = 0x05,
    NVME_LOG_ANA = 0x0C,
    NVME_LOG_DISCOVERY = 0x70,
};

/* Features, FID in CDW10, base 5.21. */
enum nvme_feature {
    NVME_FEATURE_ARBITRATION = 0x01,
    NVME_FEATURE_POWER = 0x02,
    NVME_FEATURE_TEMPERATURE = 0x04,
    NVME_FEATURE_ERROR_RECOVERY = 0x05,
    NVME_FEATURE_WRITE_CACHE = 0x06,
    NVME_FEATURE_QUEUES = 0x07,
    NVME_FEATURE_COALESCING = 0x08,
    NVME_FEATURE_VECTOR = 0x09,
    NVME_FEATURE_ATOMICITY = 0x0A,
    NVME_FEATURE_ASYNC_EVENT = 0x0B,
    NVME_FEATURE_KEEP_ALIVE = 0x0F,
    NVME_FEATURE_HOST_ID = 0x81,
};

#define NVME_NSID_ALL UINT32_C(0xFFFFFFFF)

/* The tag of data that is not one write's: parts of several, or no longer remembered.  Writers
 * do not use it. */
#define NVME_CONTENT_MIXED UINT32_C(0xFFFFFFFE)
/* What a host's buffer is marked with before a read, so that data that never came cannot pass
 * for data. */
#define NVME_CONTENT_NONE UINT32_C(0xFFFFFFFF)

#endif
