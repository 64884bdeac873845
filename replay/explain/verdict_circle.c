/* SPDX-License-Identifier: Apache-2.0
 * verdict_circle - a cyclic pause dependency: the walk never leaves it, and no port started it. */
#include "replay/explain/verdict.h"

#include "replay/database/words.h"

#include <stdio.h>

static bool fits(const struct explain_end *end)
{
    return !end->at_host && end->went_round;
}

static void words(const struct explain_place *place, char *text, size_t size)
{
    snprintf(text, size,
             "%s to %s: cyclic pause dependency (it caused %s of pause time, summed over ports%s)",
             place->port, place->peer_node, words_time(place->held_ps).text, place->spread);
}

static void short_words(const struct explain_place *place, char *text, size_t size)
{
    snprintf(text, size, "a cyclic pause dependency at %s to %s", place->port, place->peer_node);
}

const struct verdict verdict_circle = {
    .name = "circle",
    .about = "Switches pause each other in a cycle.",
    .is_guess = true,
    .fits = fits,
    .words = words,
    .short_words = short_words,
};
