/* SPDX-License-Identifier: Apache-2.0
 * step_show_private - internal interface of `show`.
 * Included only by step_*.c. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_SHOW_PRIVATE_H
#define STORMGLASS_REPLAY_STEP_STEP_SHOW_PRIVATE_H

#include "replay/step/step_say_private.h"

enum { STEP_SHOWN_MOST = 12 }; /* maximum commands or queue pairs in one list */

/* Iteration state of one controller's commands. */
struct step_commands_of {
    const struct stepper *stepper;
    const struct nvme_host *controller;
    uint32_t host_ip, target; /* host_ip: address; target: node */
    uint32_t shown;
    FILE *out;
};

void step_show_controller(const struct stepper *stepper, uint32_t from,
                          const struct nvme_host *controller, FILE *out);

/* The host of a workload's instance. */
uint32_t step_instance_from(const struct stepper *stepper, uint32_t workload, uint32_t instance);

/* step_show_net.c; `busy`: only if it is in use */
void step_show_buffer(const struct stepper *stepper, uint32_t node, bool busy, FILE *out);
void step_show_stops(const struct stepper *stepper, uint32_t node, FILE *out);
void step_show_port(const struct stepper *stepper, const struct step_subject *subject, FILE *out);
void step_show_switch(const struct stepper *stepper, const struct step_subject *subject, FILE *out);
void step_show_prios(const struct stepper *stepper, const struct step_subject *subject, FILE *out);

/* step_show_host.c */
void step_show_rx_buffers(const struct stepper *stepper, uint32_t node, bool busy, FILE *out);
void step_show_host(const struct stepper *stepper, const struct step_subject *subject, FILE *out);
void step_show_qp(const struct stepper *stepper, uint32_t node, uint32_t qpn, FILE *out);

/* step_tcp.c: the host's TCP connections, in the words of `ss -ti`. */
void step_show_tcp(const struct stepper *stepper, uint32_t node, FILE *out);

#endif
