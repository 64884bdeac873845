/* SPDX-License-Identifier: Apache-2.0
 * cumulus_private - what NVUE's commands and the lines of qos_features.conf both fill. */
#ifndef STORMGLASS_SCENARIOS_DEVICE_CUMULUS_PRIVATE_H
#define STORMGLASS_SCENARIOS_DEVICE_CUMULUS_PRIVATE_H

#include "scenarios/device/switch_qos.h"

#define CUMULUS_PRESET "default-global" /* the profile that all ports have */

enum profile_kind { KIND_PFC, KIND_ECN, KIND_SCHEDULER, KIND_MAP, KINDS };

struct profile {
    enum profile_kind kind;
    const char *name;
    size_t ports;
    bool is_set;                          /* the file says what it is, not only who has it */
    uint64_t pfc;                         /* mask of switch priorities */
    int64_t buffer, xoff, xon, xon_delta; /* bytes, or QOS_UNSET */
    bool is_off;                          /* PFC is not sent */
    struct qos_queue queues[QOS_QUEUES];  /* ECN and weights */
    uint64_t ecn;                         /* of a file: the queues that it is for */
    struct qos_queue mark;                /* ... and its values */
    bool has_mark, trusts_dscp, trusts_pcp;
    int priority_of_dscp[QOS_DSCPS];
    bool has_dscps;
    struct diag_place place;
};

struct cumulus {
    struct device *device;
    struct switch_qos qos;
    struct profile *profiles;
    size_t count;
    int queue_of[QOS_QUEUES]; /* egress queue of a switch priority */
    bool has_queues;
    bool roce, roce_off, lossy_roce;
    bool is_file; /* a line "key = value" was read */
    size_t read;
};

/* The profile of that name, a new one if need be. */
struct profile *cumulus_profile(struct cumulus *cumulus, enum profile_kind kind, const char *name,
                                struct diag_place place);

/* How many ports "swp1-4,swp6", "swp1-swp4" or "allports" are. */
size_t cumulus_ports(const char *text);

/* "enable", "enabled", "on", "true", "yes" */
bool cumulus_is_yes(const char *word);

/* "nv set qos .." or "nv set interface PORTS qos .."; others are about something else. */
void cumulus_command(struct cumulus *cumulus, const struct command *command);

/* A file of `nv config show`, and its leaves as commands (cumulus_yaml.c). */
bool cumulus_is_yaml(const struct tree_file *file);
void cumulus_yaml(struct cumulus *cumulus);

/* A line "pfc.roce.cos_list = [3]" with its '=' (cumulus_file.c). */
void cumulus_setting(struct cumulus *cumulus, const char *equals, const struct command *command);

#endif
