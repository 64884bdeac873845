/* SPDX-License-Identifier: Apache-2.0
 * cumulus_file - lines of /etc/cumulus/datapath/qos: "pfc.NAME.cos_list = [3]". */
#include "scenarios/device/cumulus_private.h"

#include <string.h>

/* Parts of a key, separated by dots, and the value. */
struct setting {
    const char *parts[6];
    int count;
    const char *value;
};

static bool is_part(const struct setting *setting, int index, const char *word)
{
    return index < setting->count && strcmp(setting->parts[index], word) == 0;
}

/* Number N of "cos_N" or "egr_queue_N", or QOS_UNSET. */
static int number_in(const struct setting *setting, int index, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (index >= setting->count || strncmp(setting->parts[index], prefix, length) != 0)
        return QOS_UNSET;
    return (int)qos_number(setting->parts[index] + length, QOS_QUEUES - 1);
}

static bool file_pfc(struct cumulus *cumulus, const struct setting *setting,
                     const struct command *command)
{
    struct profile *to = cumulus_profile(cumulus, KIND_PFC, setting->parts[1], command->place);
    to->is_set = true;
    uint64_t mask;
    if (is_part(setting, 2, "cos_list") && qos_mask(setting->value, QOS_QUEUES - 1, &mask))
        to->pfc = mask;
    else if (is_part(setting, 2, "port_set"))
        to->ports = cumulus_ports(setting->value);
    else if (is_part(setting, 2, "port_buffer_bytes"))
        to->buffer = qos_bytes(setting->value, NULL);
    else if (is_part(setting, 2, "xoff_size"))
        to->xoff = qos_bytes(setting->value, NULL);
    else if (is_part(setting, 2, "xon_delta"))
        to->xon_delta = qos_bytes(setting->value, NULL);
    else if (is_part(setting, 2, "tx_enable"))
        to->is_off = !cumulus_is_yes(setting->value);
    else if (is_part(setting, 2, "cable_length"))
        command_note(cumulus->device, command,
                     "not imported: a scenario sets the cable length at the link");
    else
        return is_part(setting, 2, "rx_enable");
    return true;
}

/* Reads an ECN setting whose name begins at part `at`. */
static bool file_ecn(struct profile *to, const struct setting *setting, int at)
{
    to->is_set = true;
    to->has_mark = true;
    if (is_part(setting, at, "egress_queue_list") || is_part(setting, at, "cos_list"))
        return qos_mask(setting->value, QOS_QUEUES - 1, &to->ecn);
    if (is_part(setting, at, "port_set"))
        to->ports = cumulus_ports(setting->value);
    else if (is_part(setting, at, "ecn_enable"))
        to->mark.ecn = cumulus_is_yes(setting->value);
    else if (is_part(setting, at, "min_threshold_bytes"))
        to->mark.kmin = qos_bytes(setting->value, NULL);
    else if (is_part(setting, at, "max_threshold_bytes"))
        to->mark.kmax = qos_bytes(setting->value, NULL);
    else if (is_part(setting, at, "probability"))
        to->mark.pmax = (int)qos_number(setting->value, 100);
    else
        return is_part(setting, at, "red_enable");
    return true;
}

static bool file_scheduler(struct profile *to, const struct setting *setting, int at)
{
    to->is_set = true;
    const int queue = number_in(setting, at, "egr_queue_");
    if (is_part(setting, at, "port_set")) {
        to->ports = cumulus_ports(setting->value);
        return true;
    }
    if (queue == QOS_UNSET || !is_part(setting, at + 1, "bw_percent"))
        return false;
    to->queues[queue].weight = (int)qos_number(setting->value, 100); /* 0: strict, the same as in
                                                                      * a scenario */
    return to->queues[queue].weight != QOS_UNSET;
}

/* "traffic.cos_3.priority_source.dscp"; with "source.NAME" before it for a port group. */
static bool file_map(struct cumulus *cumulus, struct profile *to, const struct setting *setting,
                     int at, const struct command *command)
{
    to->is_set = true;
    const int priority = number_in(setting, at, "cos_");
    uint64_t mask;
    if (is_part(setting, at, "packet_priority_source_set")) {
        to->trusts_dscp = strstr(setting->value, "dscp") != NULL;
        to->trusts_pcp = !to->trusts_dscp && strstr(setting->value, "802.1p") != NULL;
        if (to->trusts_pcp)
            command_note(
                cumulus->device, command,
                "trust in 802.1p (the VLAN tag's priority): the scenario uses the DSCP instead");
        return true;
    }
    if (is_part(setting, at, "port_set")) {
        to->ports = cumulus_ports(setting->value);
        return true;
    }
    if (priority == QOS_UNSET || !is_part(setting, at + 1, "priority_source"))
        return is_part(setting, at, "port_default_priority") && strcmp(setting->value, "0") == 0;
    if (is_part(setting, at + 2, "8021p"))
        return true; /* for packets with a VLAN tag */
    if (!is_part(setting, at + 2, "dscp") || !qos_mask(setting->value, QOS_DSCPS - 1, &mask))
        return false;
    for (int i = 0; i < QOS_DSCPS; i++)
        if (mask >> i & 1)
            to->priority_of_dscp[i] = priority;
    to->has_dscps |= mask != 0;
    return true;
}

static bool take_setting(struct cumulus *cumulus, const struct setting *setting,
                         const struct command *command)
{
    struct diag_place place = command->place;
    const char *name = setting->count > 1 ? setting->parts[1] : CUMULUS_PRESET;
    if (is_part(setting, 1, "port_group_list"))
        return true;
    if (is_part(setting, 0, "pfc") && setting->count == 3)
        return file_pfc(cumulus, setting, command);
    if (is_part(setting, 0, "ecn_red") || is_part(setting, 0, "ecn"))
        return file_ecn(cumulus_profile(cumulus, KIND_ECN, name, place), setting, 2);
    if (is_part(setting, 0, "default_ecn_red_conf") || is_part(setting, 0, "default_ecn_conf"))
        return file_ecn(cumulus_profile(cumulus, KIND_ECN, CUMULUS_PRESET, place), setting, 1);
    if (is_part(setting, 0, "default_egress_sched"))
        return file_scheduler(cumulus_profile(cumulus, KIND_SCHEDULER, CUMULUS_PRESET, place),
                              setting, 1);
    if (is_part(setting, 0, "egress_sched"))
        return file_scheduler(cumulus_profile(cumulus, KIND_SCHEDULER, name, place), setting, 2);
    if (is_part(setting, 0, "traffic"))
        return file_map(cumulus, cumulus_profile(cumulus, KIND_MAP, CUMULUS_PRESET, place), setting,
                        1, command);
    if (is_part(setting, 0, "source"))
        return file_map(cumulus, cumulus_profile(cumulus, KIND_MAP, name, place), setting, 2,
                        command);
    const int priority = number_in(setting, 1, "cos_");
    const int queue = (int)qos_number(setting->value, QOS_QUEUES - 1);
    if (!is_part(setting, 0, "cos_egr_queue") || priority == QOS_UNSET || queue == QOS_UNSET)
        return false;
    if (is_part(setting, 2, "uc")) {
        cumulus->queue_of[priority] = queue;
        cumulus->has_queues = true;
    }
    return true;
}

/* "pfc.roce.cos_list = [3]" */
void cumulus_setting(struct cumulus *cumulus, const char *equals, const struct command *command)
{
    struct arena *arena = &cumulus->device->arena;
    struct setting setting = {.count = 0};
    const char *at = cumulus->device->text + strspn(cumulus->device->text, " \t");
    while (at < equals && setting.count < 6) {
        const size_t length = strcspn(at, ". \t=");
        if (length == 0)
            break;
        setting.parts[setting.count++] = arena_text(arena, at, length);
        at += length + (at[length] == '.');
    }
    const char *value = equals + 1 + strspn(equals + 1, " \t");
    size_t length = strcspn(value, "#");
    while (length > 0 && strchr(" \t\r", value[length - 1]) != NULL)
        length--;
    setting.value = arena_text(arena, value, length);
    cumulus->is_file = true;
    cumulus->read++;
    if (!take_setting(cumulus, &setting, command))
        command_unknown(cumulus->device, command);
}
