/* SPDX-License-Identifier: Apache-2.0
 * step - a debugger for a fabric: commands in, lines out.
 * Owner: none; everything that it starts ends with it.  Errors: see enum step_result. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_H
#define STORMGLASS_REPLAY_STEP_STEP_H

#include "replay/step/stepper.h"

#include <stdio.h>

struct step_session {
    const struct scenario *scenario;
    const struct step_checks *checks; /* of the stored run; NULL: there is none */
    time_ps until;                    /* where the stored run ended; TIME_NEVER */
    FILE *in, *out, *wrong;
    const char *name; /* of `in`, for messages */
    bool terminal;    /* a person types: a prompt, and a wrong line is not the end */
};

enum step_result {
    STEP_DONE,
    STEP_DIFFERENT, /* the run is not the stored one */
    STEP_WRONG,     /* a line of a script, or the scenario: it is said on `wrong` or in the diag */
    STEP_BROKEN     /* a process is gone */
};

enum step_result step_run(const struct step_session *session, struct diag *diag);

#endif
