/* SPDX-License-Identifier: Apache-2.0
 * check_private - what the parts of check share. */
#ifndef STORMGLASS_SCENARIOS_CHECK_PRIVATE_H
#define STORMGLASS_SCENARIOS_CHECK_PRIVATE_H

#include "scenarios/check.h"

void check_add(struct check_report *report, enum diag_level level, struct diag_place place,
               const char *format, ...) __attribute__((format(printf, 4, 5)));

void check_paths(const struct scenario *scenario, struct check_report *report);
void check_classes(const struct scenario *scenario, struct check_report *report);
void check_buffers(const struct scenario *scenario, struct check_report *report);
void check_deadlock(const struct scenario *scenario, struct check_report *report);
void check_fan_in(const struct scenario *scenario, struct check_report *report);

#endif
