/* SPDX-License-Identifier: Apache-2.0
 * verdict_pause_storm - a host pauses without need: a faulty NIC or driver. */
#include "replay/explain/verdict.h"

#include "replay/database/words.h"

#include <stdio.h>

static bool fits(const struct explain_end *end)
{
    return end->at_host && !end->full;
}

static void words(const struct explain_place *place, char *text, size_t size)
{
    snprintf(text, size,
             "%s sends PAUSE although its receive buffer is not full (it paused %s for %s%s)",
             place->node, place->peer_port, words_time(place->direct_ps).text, place->spread);
}

static void short_words(const struct explain_place *place, char *text, size_t size)
{
    snprintf(text, size, "%s, which sends PAUSE with room to spare", place->node);
}

const struct verdict verdict_pause_storm = {
    .name = "pause-storm",
    .about = "A host sends PAUSE although its receive buffer has room.",
    .fits = fits,
    .words = words,
    .short_words = short_words,
};
