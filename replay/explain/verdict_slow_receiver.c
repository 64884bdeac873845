/* SPDX-License-Identifier: Apache-2.0
 * verdict_slow_receiver - a host drains frames more slowly than they arrive and has to pause. */
#include "replay/explain/verdict.h"

#include "replay/database/words.h"

#include <stdio.h>

static bool fits(const struct explain_end *end)
{
    return end->at_host && end->full;
}

static void words(const struct explain_place *place, char *text, size_t size)
{
    snprintf(
        text, size,
        "the receive buffer of %s drains slower than the link delivers (%s paused %s for %s%s)",
        place->node, place->node, place->peer_port, words_time(place->direct_ps).text,
        place->spread);
}

static void short_words(const struct explain_place *place, char *text, size_t size)
{
    snprintf(text, size, "%s, which drains slowly", place->node);
}

const struct verdict verdict_slow_receiver = {
    .name = "slow-receiver",
    .about = "A host drains its receive buffer slower than its link delivers.",
    .fits = fits,
    .words = words,
    .short_words = short_words,
};
