/* SPDX-License-Identifier: Apache-2.0
 * admin_list - parameters of an admin command, and their encoding in command dwords. */
#include "scenarios/trace/admin_list.h"

#include "nvme/wire/spec.h"
#include "scenarios/format/block.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define COMMANDS(X)                                                                                \
    X(IDENTIFY, "identify", NVME_ADMIN_IDENTIFY)                                                   \
    X(GET_LOG, "get-log", NVME_ADMIN_GET_LOG)                                                      \
    X(GET_FEATURES, "get-features", NVME_ADMIN_GET_FEATURES)                                       \
    X(SET_FEATURES, "set-features", NVME_ADMIN_SET_FEATURES)                                       \
    X(KEEP_ALIVE, "keep-alive", NVME_ADMIN_KEEP_ALIVE)                                             \
    X(OTHER, "other", 0)

#define X(name, word, opcode) name,
enum command { COMMANDS(X) };
#undef X
#define X(name, word, opcode) X_(name, word)
#define X_(name, word)        "|" word

struct written {
    int64_t at, command, nsid, cns, csi, log, offset, bytes, retain, feature, value, select, save;
    int64_t opcode, cdw[6];
};

#define FIELD(name) offsetof(struct written, name)
#define CDW(number)                                                                                \
    {                                                                                              \
        "cdw" #number, OPT_INT, FIELD(cdw[number - 10]), "0", "0", "4294967295", NULL,             \
            "Command double word " #number " if command is other.",                                \
            "nvme admin-passthru --cdw" #number, OPT_ACTS(ASKED, ANY, TRACE)                       \
    }

const struct opt admin_list_opts[] = {
    {"at", OPT_TIME, FIELD(at), "0s", "0s", "100000s", NULL,
     "Earliest time of the command, counted from the start of the workload. The command also "
     "waits until the controller is connected and the commands before it have completed.",
     "own", OPT_ACTS(ASKED, ANY, TRACE)},
    {"command", OPT_CHOICE, FIELD(command), "identify", NULL, NULL, &(COMMANDS(X))[1],
     "The admin command; other: the command with the opcode in `opcode`.",
     "NVMe base 1.4, 5; nvme-cli", OPT_ACTS(ASKED, ANY, TRACE)},
    {"nsid", OPT_INT, FIELD(nsid), "0", "0", "4294967294", "all",
     "Namespace identifier (NSID) of the command; all: FFFFFFFFh.", "nvme-cli --namespace-id",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"cns", OPT_INT, FIELD(cns), "1", "0", "255", NULL,
     "For identify: the data structure to return (CNS). 0: a namespace; 1: the controller; 2: the "
     "list of active namespaces.",
     "NVMe base 1.4, 5.15; nvme id-ctrl, nvme id-ns", OPT_ACTS(ASKED, ANY, TRACE)},
    {"csi", OPT_INT, FIELD(csi), "0", "0", "255", NULL,
     "For identify: identifier of the I/O command set (CSI).", "NVMe base 2.0, 5.17",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"log", OPT_INT, FIELD(log), "2", "0", "255", NULL,
     "For get-log: the log page to return (LID). 1: errors; 2: SMART; 5: supported commands and "
     "their effects; 12: ANA; 112: discovery.",
     "NVMe base 1.4, 5.14; nvme get-log --log-id", OPT_ACTS(ASKED, ANY, TRACE)},
    {"offset", OPT_SIZE, FIELD(offset), "0B", "0B", "1PiB", NULL,
     "For get-log: offset in the log page at which the returned data start.", "nvme get-log --lpo",
     .step = "4B", OPT_ACTS(ASKED, ANY, TRACE)},
    {"bytes", OPT_SIZE, FIELD(bytes), "auto", "0B", "16KiB", "auto",
     "Number of bytes that the command returns; auto: 4096B for identify, 512B for get-log, 16B "
     "for get-features with feature 129, otherwise 0B.",
     "nvme get-log --log-len; nvme admin-passthru --data-len", .step = "4B",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"retain", OPT_BOOL, FIELD(retain), "false", NULL, NULL, NULL,
     "For get-log: true: the command does not clear the asynchronous event of the log page (RAE); "
     "false: it clears the event.",
     "nvme get-log --rae", OPT_ACTS(ASKED, ANY, TRACE)},
    {"feature", OPT_INT, FIELD(feature), "7", "0", "255", NULL,
     "For get-features and set-features: identifier of the feature (FID).",
     "nvme get-feature --feature-id", OPT_ACTS(ASKED, ANY, TRACE)},
    {"value", OPT_INT, FIELD(value), "0", "0", "4294967295", NULL,
     "For get-features and set-features: value of command double word 11.",
     "nvme set-feature --value", OPT_ACTS(ASKED, ANY, TRACE)},
    {"select", OPT_INT, FIELD(select), "0", "0", "7", NULL,
     "For get-features: which value to return (SEL). 0: the current value.",
     "nvme get-feature --sel", OPT_ACTS(ASKED, ANY, TRACE)},
    {"save", OPT_BOOL, FIELD(save), "false", NULL, NULL, NULL,
     "For set-features: true: the value persists across resets (SV).", "nvme set-feature --save",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"opcode", OPT_INT, FIELD(opcode), "24", "0", "255", NULL,
     "Opcode of the command if command is other.", "nvme admin-passthru --opcode",
     OPT_ACTS(ASKED, ANY, TRACE)},
    CDW(10),
    CDW(11),
    CDW(12),
    CDW(13),
    CDW(14),
    CDW(15),
    {0}};

enum { AUTO = -1, ALL = -1, EVERY = 0xFF };

/* Mask of the commands that a parameter belongs to. */
static unsigned commands_of(const char *row)
{
    static const struct {
        const char *row;
        unsigned commands;
    } rows[] = {
        {"cns", 1 << IDENTIFY},
        {"csi", 1 << IDENTIFY},
        {"log", 1 << GET_LOG},
        {"offset", 1 << GET_LOG},
        {"retain", 1 << GET_LOG},
        {"feature", 1 << GET_FEATURES | 1 << SET_FEATURES},
        {"value", 1 << GET_FEATURES | 1 << SET_FEATURES},
        {"select", 1 << GET_FEATURES},
        {"save", 1 << SET_FEATURES},
        {"bytes", 1 << IDENTIFY | 1 << GET_LOG | 1 << GET_FEATURES | 1 << OTHER},
        {"opcode", 1 << OTHER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].row, row) == 0)
            return rows[i].commands;
    return strncmp(row, "cdw", 3) == 0 ? 1 << OTHER : EVERY;
}

static const char *word_of(int64_t command)
{
#undef X
#define X(name, word, opcode) word,
    static const char *const words[] = {COMMANDS(X)};
#undef X
    return words[command];
}

/* False, with a message, if a parameter is set that the command does not have. */
static bool is_used(const struct block *block, const struct tree_node *map, int64_t command,
                    struct diag *diag)
{
    for (size_t i = 0; i < block->row_count; i++) {
        const char *name = block->rows[i].name;
        if (block->origins[i].where.file == NULL || (commands_of(name) >> command & 1) != 0)
            continue;
        tree_error(diag, tree_get(map, name), "%s: command %s has no such value", name,
                   word_of(command));
        return false;
    }
    return true;
}

static uint32_t bytes_of(const struct written *written)
{
    if (written->bytes != AUTO)
        return (uint32_t)written->bytes;
    switch (written->command) {
    case IDENTIFY:
        return NVME_IDENTIFY_BYTES;
    case GET_LOG:
        return 512;
    case GET_FEATURES:
        return written->feature == NVME_FEATURE_HOST_ID ? 16 : 0;
    default:
        return 0;
    }
}

static void fill_words(const struct written *written, struct admin_call *call)
{
    const uint32_t dwords = call->bytes / 4 - 1;
    switch (written->command) {
    case IDENTIFY:
        call->cdw[0] = (uint32_t)written->cns;
        call->cdw[1] = (uint32_t)written->csi << 24;
        break;
    case GET_LOG:
        call->cdw[0] = (uint32_t)written->log |
                       (written->retain != 0 ? (uint32_t)NVME_LOG_RETAIN_EVENT : 0) | dwords << 16;
        call->cdw[1] = dwords >> 16;
        call->cdw[2] = (uint32_t)written->offset;
        call->cdw[3] = (uint32_t)(written->offset >> 32);
        break;
    case GET_FEATURES:
    case SET_FEATURES:
        call->cdw[0] = (uint32_t)written->feature | (uint32_t)written->select << 8 |
                       (written->save != 0 ? UINT32_C(1) << 31 : 0);
        call->cdw[1] = (uint32_t)written->value;
        break;
    case OTHER:
        for (int i = 0; i < 6; i++)
            call->cdw[i] = (uint32_t)written->cdw[i];
        break;
    default:
        break;
    }
}

static uint8_t opcode_of(const struct written *written)
{
#define X(name, word, opcode) opcode,
    static const uint8_t opcodes[] = {COMMANDS(X)};
#undef X
    return written->command == OTHER ? (uint8_t)written->opcode : opcodes[written->command];
}

/* Reason to reject an opcode: its data go to the controller, or it ends or creates objects that the
 * host owns. */
static const char *refusal(uint8_t opcode)
{
    if ((opcode & NVME_DATA_OUT) != 0 && opcode != NVME_ADMIN_SET_FEATURES)
        return "data to the controller are not modeled";
    if (opcode == NVME_ADMIN_ASYNC_EVENT)
        return "the host itself sends Asynchronous Event Requests";
    return NULL;
}

static bool read_call(struct arena *arena, const struct tree_node *map, time_ps most,
                      struct diag *diag, struct admin_call *call)
{
    if (map->kind != TREE_MAP) {
        tree_error(diag, map, "expected a command, such as {at: 1ms, command: identify}");
        return false;
    }
    struct block *block = block_new(arena, "admin", admin_list_opts, sizeof(struct written));
    const struct block_load load = {.arena = arena, .diag = diag, .map = map};
    if (!block_load(block, &load))
        return false;
    const struct written *written = block->params;
    if (!is_used(block, map, written->command, diag))
        return false;
    *call = (struct admin_call){
        .at = written->at,
        .opcode = opcode_of(written),
        .nsid = written->nsid == ALL ? NVME_NSID_ALL : (uint32_t)written->nsid,
        .bytes = bytes_of(written),
        .place = map->place,
    };
    const char *why = refusal(call->opcode);
    if (why != NULL)
        tree_error(diag, tree_get(map, "opcode"), "opcode: %s", why);
    else if (written->command == GET_LOG && call->bytes == 0)
        tree_error(diag, tree_get(map, "bytes"), "bytes: expected 4B or more for get-log");
    else if (call->at >= most)
        tree_error(diag, tree_get(map, "at") == NULL ? map : tree_get(map, "at"),
                   "at: expected a moment before the workload stops, %" PRId64
                   " us after its start",
                   most / PS_PER_US);
    else {
        fill_words(written, call);
        return true;
    }
    return false;
}

bool admin_list_read(struct arena *arena, const struct tree_node *written, time_ps most,
                     struct diag *diag, struct admin_list *list)
{
    if (written->kind != TREE_LIST || written->count > ADMIN_LIST_MAX) {
        tree_error(diag, written,
                   "admin: expected a list of at most %d commands, such as "
                   "[{at: 1ms, command: identify, cns: 1}]",
                   ADMIN_LIST_MAX);
        return false;
    }
    struct admin_call *calls = arena_array(arena, written->count, sizeof *calls);
    bool good = true;
    for (size_t i = 0; i < written->count; i++) {
        const struct tree_node *map = written->items[i].value;
        good &= read_call(arena, map, most, diag, &calls[i]);
        if (!good || i == 0 || calls[i].at >= calls[i - 1].at)
            continue;
        tree_error(diag, tree_get(map, "at") == NULL ? map : tree_get(map, "at"),
                   "at: expected the commands in order: this one is due before the one above it");
        good = false;
    }
    *list = (struct admin_list){calls, written->count};
    return good;
}
