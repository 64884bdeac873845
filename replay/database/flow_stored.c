/* SPDX-License-Identifier: Apache-2.0
 * flow_stored - the words for the flow control of the fabric of a run database. */
#include "replay/database/flow_words.h"

#include <string.h>

/* Ethernet is the default and then no setting. */
const struct flow_words *flow_words(struct store *store)
{
    char kind[32];
    store_ask_text(store, "SELECT value FROM setting WHERE path='fabric.kind'", kind, sizeof kind);
#define X(name, word)                                                                              \
    if (strcmp(kind, word) == 0)                                                                   \
        return flow_words_of_kind(SCENARIO_##name);
    SCENARIO_KINDS(X)
#undef X
    return flow_words_of_kind(SCENARIO_ETHERNET);
}
