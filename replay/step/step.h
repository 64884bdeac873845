/* SPDX-License-Identifier: Apache-2.0
 * step - an interactive debugger for a fabric: commands in, text out.
 * Owner: none; everything that it starts ends with it. Errors: see enum step_result. */
#ifndef STORMGLASS_REPLAY_STEP_STEP_H
#define STORMGLASS_REPLAY_STEP_STEP_H

#include "replay/step/stepper.h"

#include <stdio.h>

struct step_session {
    const struct scenario *scenario;
    const struct step_checks *checks; /* of the stored run; NULL: none */
    time_ps until;                    /* end of the stored run, or TIME_NEVER */
    FILE *in, *out, *wrong;
    const char *name; /* name of `in`, for messages */
    bool terminal;    /* interactive: prompts, and errors do not end the session */
};

enum step_result {
    STEP_DONE,
    STEP_DIFFERENT, /* the run differs from the stored one */
    STEP_WRONG,     /* invalid script line or scenario: message on `wrong` or in the diag */
    STEP_BROKEN     /* a process is gone */
};

enum step_result step_run(const struct step_session *session, struct diag *diag);

#endif
