/* SPDX-License-Identifier: Apache-2.0
 * profile_switch - a switch's parameters by its profile, without a scenario. */
#ifndef STORMGLASS_SCENARIOS_LOAD_PROFILE_SWITCH_H
#define STORMGLASS_SCENARIOS_LOAD_PROFILE_SWITCH_H

#include "net/switch/switch.h"
#include "scenarios/format/diag.h"

#include <stdbool.h>

/* `name`: of a profile that travels in the program, or a path.  `said_by`: who named it, for
 * messages.  Presets where the profile says nothing.  False and messages when it cannot be had. */
bool profile_switch(const char *name, const char *said_by, struct switch_params *params,
                    struct diag *diag);

#endif
