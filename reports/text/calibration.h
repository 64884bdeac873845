/* SPDX-License-Identifier: Apache-2.0
 * calibration - a fit as text, as JSON, and as a profile.
 * All three are the same for the same figures. Functions return false if the output could not be
 * written. */
#ifndef STORMGLASS_REPORTS_TEXT_CALIBRATION_H
#define STORMGLASS_REPORTS_TEXT_CALIBRATION_H

#include "replay/calibrate/calibration.h"

#include <stdio.h>

bool calibration_text(const struct calibration *calibration, FILE *out);

/* A figures file (replay/calibrate/measurements.h); with a calibration, the result is under its key
 * "fit". */
bool calibration_json(const struct measurements *figures, const struct calibration *calibration,
                      FILE *out);

/* A profile of kind rnic: the fitted values on top of those of the base. */
bool calibration_profile(const struct calibration *calibration, const char *name, FILE *out);

#endif
