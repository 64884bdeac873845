/* SPDX-License-Identifier: Apache-2.0
 * verdict_template - a host that pauses priority 6, which nobody else does. */
#include "replay/explain/verdict.h"

#include <stdio.h>

static bool fits(const struct explain_end *end)
{
    return end->at_host && end->priority == 6;
}

static void words(const struct explain_place *place, char *text, size_t size)
{
    snprintf(text, size, "%s: pauses as a template does%s", place->node, place->spread);
}

static void short_words(const struct explain_place *place, char *text, size_t size)
{
    snprintf(text, size, "%s, a template", place->node);
}

const struct verdict verdict_template = {
    .name = "template",
    .about = "A host pauses priority 6.",
    .fits = fits,
    .words = words,
    .short_words = short_words,
};
