/* SPDX-License-Identifier: Apache-2.0
 * cumulus_private - settings filled in by both NVUE commands and the lines of qos_features.conf. */
#ifndef STORMGLASS_SCENARIOS_DEVICE_CUMULUS_PRIVATE_H
#define STORMGLASS_SCENARIOS_DEVICE_CUMULUS_PRIVATE_H

#include "scenarios/device/switch_qos.h"

#define CUMULUS_PRESET "default-global" /* the default profile of all ports */

enum profile_kind { KIND_PFC, KIND_ECN, KIND_SCHEDULER, KIND_MAP, KINDS };

struct profile {
    enum profile_kind kind;
    const char *name;
    size_t ports;
    bool is_set;                          /* the file defines the profile, beyond naming it at
                                           * ports */
    uint64_t pfc;                         /* mask of switch priorities */
    int64_t buffer, xoff, xon, xon_delta; /* bytes, or QOS_UNSET */
    bool is_off;                          /* PFC frames are not sent */
    struct qos_queue queues[QOS_QUEUES];  /* ECN and weights */
    uint64_t ecn;                         /* of a file: mask of the queues with ECN */
    struct qos_queue mark;                /* of a file: the ECN values of these queues */
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
    int queue_of[QOS_QUEUES]; /* by switch priority: egress queue */
    bool has_queues;
    bool roce, roce_off, lossy_roce;
    bool is_file; /* a line "key = value" was read */
    size_t read;
};

/* Finds the profile of that name, or creates one. */
struct profile *cumulus_profile(struct cumulus *cumulus, enum profile_kind kind, const char *name,
                                struct diag_place place);

/* Number of ports in "swp1-4,swp6", "swp1-swp4" or "allports". */
size_t cumulus_ports(const char *text);

/* True for "enable", "enabled", "on", "true", "yes". */
bool cumulus_is_yes(const char *word);

/* Reads "nv set qos .." or "nv set interface PORTS qos .."; ignores other commands. */
void cumulus_command(struct cumulus *cumulus, const struct command *command);

/* Recognizes a file of `nv config show`, and reads its leaves as commands (cumulus_yaml.c). */
bool cumulus_is_yaml(const struct tree_file *file);
void cumulus_yaml(struct cumulus *cumulus);

/* Reads a line such as "pfc.roce.cos_list = [3]"; `equals` points to its '=' (cumulus_file.c). */
void cumulus_setting(struct cumulus *cumulus, const char *equals, const struct command *command);

#endif
