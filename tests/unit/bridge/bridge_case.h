/* SPDX-License-Identifier: Apache-2.0
 * bridge_case - scenarios from text, played by the bridge on fake_rdma. */
#ifndef STORMGLASS_TESTS_BRIDGE_CASE_H
#define STORMGLASS_TESTS_BRIDGE_CASE_H

#include "bridge/run/live_run.h"

#define CASE_HOST_IP   0x0A000001u
#define CASE_TARGET_IP 0x0A000002u
#define CASE_SECOND_IP 0x0A000003u

/* Dies with the messages of a text that is wrong. */
struct scenario *bridge_case_load(const char *text);
/* Loads a text that has the file `file` beside it, "jobs.fio". */
struct scenario *bridge_case_load_with(const char *text, const char *file);

/* Both roles, everything checked; the fabric is fake_rdma with three nodes. */
struct live_options bridge_case_options(void);
void bridge_case_begin(void);
/* Nothing is left behind. */
void bridge_case_end(void);

#endif
