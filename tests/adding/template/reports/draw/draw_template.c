/* SPDX-License-Identifier: Apache-2.0
 * draw_template - a line of text. */
#include "reports/draw/draw.h"

static bool draw(struct store *store, const char *format, FILE *out, char why[DRAW_WHY_BYTES])
{
    char name[80];
    (void)format, (void)why;
    store_ask_text(store, "SELECT scenario FROM meta", name, sizeof name);
    return fprintf(out, "<svg xmlns='http://www.w3.org/2000/svg'><text>%s</text></svg>\n", name) >
           0;
}

const struct draw_view draw_template = {
    .name = "template",
    .of_scenario = true,
    .draw = draw,
};
