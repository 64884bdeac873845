/* SPDX-License-Identifier: Apache-2.0
 * offers - the command `offers` of the playground: what a user can change in a scenario. */
#ifndef STORMGLASS_CLI_PLAYGROUND_OFFERS_H
#define STORMGLASS_CLI_PLAYGROUND_OFFERS_H

extern const struct cli_command cmd_offers;

#endif
