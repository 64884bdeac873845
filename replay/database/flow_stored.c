/* SPDX-License-Identifier: Apache-2.0
 * flow_stored - the words for the flow control of the fabric of a run database. */
#include "replay/database/flow_words.h"

#include <string.h>

/* A database without nodes is of a run that did not begin. */
const struct flow_words *flow_words(struct store *store)
{
    char list[64];
    uint8_t kinds = 0;
    store_ask_text(store, "SELECT group_concat(DISTINCT link_layer) FROM node", list, sizeof list);
#define X(name, word) kinds |= (uint8_t)(strstr(list, word) != NULL ? 1u << SCENARIO_##name : 0);
    SCENARIO_KINDS(X)
#undef X
    return flow_words_of_kinds(kinds == 0 ? 1u << SCENARIO_ETHERNET : kinds);
}
