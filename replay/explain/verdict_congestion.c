/* SPDX-License-Identifier: Apache-2.0
 * verdict_congestion - an egress that was free to send but had a queue: more arrived than it
 * carries. */
#include "replay/explain/verdict.h"

#include "replay/database/words.h"

#include <stdio.h>

static bool fits(const struct explain_end *end)
{
    return !end->at_host && !end->went_round;
}

static void words(const struct explain_place *place, char *text, size_t size)
{
    snprintf(text, size,
             "%s to %s is offered more traffic than the %s of this link (it caused %s of pause "
             "time, summed over ports%s)",
             place->port, place->peer_node, words_rate((double)place->rate_bps).text,
             words_time(place->held_ps).text, place->spread);
}

static void short_words(const struct explain_place *place, char *text, size_t size)
{
    snprintf(text, size, "congestion at %s to %s", place->port, place->peer_node);
}

const struct verdict verdict_congestion = {
    .name = "congestion",
    .about = "The traffic offered to an egress port exceeds the rate of its link.",
    .fits = fits,
    .words = words,
    .short_words = short_words,
};
