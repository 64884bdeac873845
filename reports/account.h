/* SPDX-License-Identifier: Apache-2.0
 * account - what stormglass explain prints: text for people, one object for programs.
 * `prove` NULL: nothing was proved. */
#ifndef STORMGLASS_REPORTS_ACCOUNT_H
#define STORMGLASS_REPORTS_ACCOUNT_H

#include "replay/account.h"

#include <stdio.h>

/* False: the output could not be written. */
bool account_text(const struct account *account, FILE *out);
bool account_json(const struct account *account, FILE *out);

#endif
