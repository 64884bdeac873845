/* SPDX-License-Identifier: Apache-2.0
 * profile_switch - a switch's parameters from a profile, without a scenario. */
#ifndef STORMGLASS_SCENARIOS_LOAD_PROFILE_SWITCH_H
#define STORMGLASS_SCENARIOS_LOAD_PROFILE_SWITCH_H

#include "net/switch/switch.h"
#include "scenarios/format/diag.h"

#include <stdbool.h>

/* `name`: an embedded profile or a path. `said_by`: source of the name, for messages. Parameters
 * that the profile does not set have their defaults. False, with messages, on errors. */
bool profile_switch(const char *name, const char *said_by, struct switch_params *params,
                    struct diag *diag);

#endif
