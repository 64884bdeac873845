/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/device/switch_qos.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { STRANGE_MAX = 100 };

static const int64_t bytes_max = INT64_C(1) << 40;

/* ---- words ---- */

/* "leaf1(config-if)#", "cumulus@leaf1:~$", "user@leaf1>" */
static bool is_prompt(const char *word, size_t length)
{
    return length > 1 && strchr("#>$", word[length - 1]) != NULL;
}

void command_read(struct device *device, struct command *command)
{
    static const char blanks[] = " \t\r";
    const char *at = device->text + strspn(device->text, blanks);
    *command = (struct command){0};
    if (is_prompt(at, strcspn(at, blanks))) {
        at += strcspn(at, blanks);
        at += strspn(at, blanks);
    }
    command->place = lines_place(&device->lines, at, 1);
    while (*at != '\0' && command->count < QOS_WORDS_MAX) {
        const size_t length = strcspn(at, blanks);
        if (command->count > 0 && (*at == '!' || *at == '#')) /* begins a comment */
            break;
        command->words[command->count++] = arena_text(&device->arena, at, length);
        at += length;
        at += strspn(at, blanks);
    }
    command->words[command->count] = NULL;
}

bool command_is(const struct command *command, int from, const char *words)
{
    for (int i = from; *words != '\0'; i++) {
        const size_t length = strcspn(words, " ");
        const bool any = length == 1 && words[0] == '*';
        if (i >= command->count || (!any && (strncmp(command->words[i], words, length) != 0 ||
                                             command->words[i][length] != '\0')))
            return false;
        words += length + (words[length] == ' ');
    }
    return true;
}

bool command_has(const struct command *command, const char *word)
{
    for (int i = 0; i < command->count; i++)
        if (strcmp(command->words[i], word) == 0)
            return true;
    return false;
}

const char *command_after(const struct command *command, const char *word)
{
    for (int i = 0; i < command->count; i++)
        if (strcmp(command->words[i], word) == 0)
            return command->words[i + 1];
    return NULL;
}

bool command_is_plain(const struct command *command)
{
    static const char *const words[] = {"description",
                                        "mtu",
                                        "ip",
                                        "ipv6",
                                        "no",
                                        "switchport",
                                        "vrf",
                                        "speed",
                                        "duplex",
                                        "spanning-tree",
                                        "channel-group",
                                        "lldp",
                                        "cdp",
                                        "shutdown",
                                        "vpc",
                                        "fec",
                                        "bandwidth",
                                        "delay",
                                        "encapsulation",
                                        "udld",
                                        "lacp",
                                        "logging",
                                        "load-interval",
                                        "negotiate",
                                        "mac-address",
                                        "mac",
                                        "snmp",
                                        "link",
                                        "hsrp",
                                        "storm-control",
                                        "medium",
                                        "beacon",
                                        "port-channel",
                                        "bfd",
                                        "ptp",
                                        "flowcontrol",
                                        "error-correction",
                                        "phy",
                                        "dcbx",
                                        "isis",
                                        "sflow",
                                        "traffic-loopback",
                                        "l2",
                                        "mpls",
                                        "arp",
                                        "service-policy",
                                        "evpn",
                                        "transceiver",
                                        "unidirectional",
                                        "pim",
                                        NULL};
    for (size_t i = 0; words[i] != NULL; i++)
        if (strcmp(command->words[0], words[i]) == 0)
            return true;
    return false;
}

bool command_is_of_qos(const struct command *command)
{
    static const char *const words[] = {"qos",   "queu", "pfc",    "ecn",           "wred",
                                        "pause", "dscp", "buffer", "priority-flow", NULL};
    if (strcmp(command->words[0], "description") == 0)
        return false;
    for (int i = 0; i < command->count; i++)
        for (size_t k = 0; words[k] != NULL; k++)
            if (strncmp(command->words[i], words[k], strlen(words[k])) == 0)
                return true;
    return false;
}

void command_note(struct device *device, const struct command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    notes_add_list(&device->notes, command->place, format, args);
    va_end(args);
}

void command_unknown(struct device *device, const struct command *command)
{
    enum { SHOWN = 6 };
    const char *text = "";
    for (int i = 0; i < command->count && i < SHOWN; i++)
        text = arena_format(&device->arena, "%s%s%s", text, i == 0 ? "" : " ", command->words[i]);
    command_note(device, command, "'%s%s': not understood, left out",
                 notes_clean(&device->arena, text), command->count > SHOWN ? " ..." : "");
}

void command_strange(struct device *device, const struct command *command)
{
    const char **slot;
    for (size_t i = 0; i < device->strange_count; i++)
        if (strcmp(device->strange[i], command->words[0]) == 0)
            return;
    if (device->strange_count == STRANGE_MAX)
        return;
    slot = arena_push(&device->arena, (void **)(void *)&device->strange, &device->strange_count,
                      sizeof *slot);
    *slot = command->words[0];
    command_unknown(device, command);
}

/* ---- values ---- */

int64_t qos_number(const char *word, int64_t most)
{
    const size_t digits = word == NULL ? 0 : strspn(word, "0123456789");
    if (digits == 0 || digits > 15 || word[digits] != '\0')
        return QOS_UNSET;
    const int64_t value = strtoll(word, NULL, 10);
    return value <= most ? value : QOS_UNSET;
}

/* Reads the number at `at` and moves `at` behind it. */
static int next_number(const char **at, int most)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return QOS_UNSET;
    const long value = strtol(*at, &end, 10);
    *at = end;
    return value <= most ? (int)value : QOS_UNSET;
}

bool qos_mask(const char *word, int most, uint64_t *mask)
{
    const char *at = word == NULL ? "" : word + strspn(word, "[ ");
    *mask = 0;
    while (*at != '\0' && *at != ']') {
        const int from = next_number(&at, most);
        int to = from;
        if (*at == '-') {
            at++;
            to = next_number(&at, most);
        }
        if (from == QOS_UNSET || to < from)
            return false;
        for (int i = from; i <= to; i++)
            *mask |= UINT64_C(1) << i;
        at += strspn(at, ", ");
    }
    return word != NULL;
}

int qos_dscp(const char *word)
{
    const int number = (int)qos_number(word, QOS_DSCPS - 1);
    if (number != QOS_UNSET || word == NULL)
        return number;
    const bool one = word[0] != '\0' && word[1] != '\0' && word[2] >= '0' && word[2] <= '7';
    if (strncasecmp(word, "cs", 2) == 0 && one && word[3] == '\0')
        return (word[2] - '0') * 8;
    if (strncasecmp(word, "af", 2) == 0 && one && word[2] >= '1' && word[2] <= '4' &&
        word[3] >= '1' && word[3] <= '3' && word[4] == '\0') /* RFC 2597 (AF classes) */
        return (word[2] - '0') * 8 + (word[3] - '0') * 2;
    if (strcasecmp(word, "ef") == 0)
        return 46;
    return strcasecmp(word, "default") == 0 || strcasecmp(word, "be") == 0 ? 0 : QOS_UNSET;
}

int64_t qos_bytes(const char *number, const char *unit)
{
    static const struct {
        const char *name;
        int64_t bytes;
    } units[] = {{"bytes", 1},           {"byte", 1},       {"b", 1},
                 {"kbytes", 1000},       {"kb", 1000},      {"k", 1000},
                 {"mbytes", 1000000},    {"mb", 1000000},   {"m", 1000000},
                 {"gbytes", 1000000000}, {"gb", 1000000000}};
    char digits[16];
    const size_t length = number == NULL ? 0 : strspn(number, "0123456789");
    if (length == 0 || length > 12)
        return QOS_UNSET;
    memcpy(digits, number, length);
    digits[length] = '\0';
    const char *word = number[length] != '\0' ? number + length : unit;
    int64_t scale = word == NULL || word[0] == '\0' ? 1 : 0;
    for (size_t i = 0; scale == 0 && i < sizeof units / sizeof units[0]; i++)
        if (strcasecmp(units[i].name, word) == 0)
            scale = units[i].bytes;
    const int64_t value = strtoll(digits, NULL, 10);
    return scale > 0 && value <= bytes_max / scale ? value * scale : QOS_UNSET;
}

/* ---- the switch ---- */

void qos_begin(struct switch_qos *qos, const char *vendor)
{
    *qos = (struct switch_qos){.vendor = vendor,
                               .lossy_percent = QOS_UNSET,
                               .detection = QOS_UNSET,
                               .restoration = QOS_UNSET,
                               .poll = QOS_UNSET};
    for (int q = 0; q < QOS_QUEUES; q++)
        qos->queues[q] = (struct qos_queue){.pfc_priority = QOS_UNSET,
                                            .weight = QOS_UNSET,
                                            .kmin = QOS_UNSET,
                                            .kmax = QOS_UNSET,
                                            .pmax = QOS_UNSET,
                                            .xoff = QOS_UNSET,
                                            .xon = QOS_UNSET,
                                            .xon_offset = QOS_UNSET,
                                            .headroom = QOS_UNSET};
    for (int i = 0; i < QOS_DSCPS; i++)
        qos->queue_of_dscp[i] = QOS_UNSET;
}

bool command_marks(const struct command *command, const char *probability, struct qos_queue *queue)
{
    int at[2] = {0, 0};
    for (int i = 0; i < command->count; i++) {
        at[0] = strcmp(command->words[i], "minimum-threshold") == 0 ? i : at[0];
        at[1] = strcmp(command->words[i], "maximum-threshold") == 0 ? i : at[1];
    }
    if (at[0] == 0 || at[1] <= at[0] || at[1] + 1 >= command->count)
        return false;
    /* A word behind the number that is not a unit is the next keyword. */
    const char *units[2];
    for (int i = 0; i < 2; i++) {
        const char *word = command->words[at[i] + 2];
        const bool keyword = word == NULL || strchr(word, '-') != NULL ||
                             strcmp(word, "ecn") == 0 || strcmp(word, "weight") == 0;
        units[i] = keyword ? NULL : word;
    }
    queue->kmin = qos_bytes(command->words[at[0] + 1], units[0]);
    queue->kmax = qos_bytes(command->words[at[1] + 1], units[1]);
    if (queue->kmin == QOS_UNSET || queue->kmax == QOS_UNSET)
        queue->kmin = queue->kmax = QOS_UNSET;
    queue->pmax = (int)qos_number(command_after(command, probability), 100);
    queue->place = command->place;
    return true;
}

void qos_map(struct switch_qos *qos, uint64_t dscps, int queue)
{
    for (int i = 0; i < QOS_DSCPS; i++)
        if (dscps >> i & 1)
            qos->queue_of_dscp[i] = queue;
    qos->has_dscps |= dscps != 0;
}
