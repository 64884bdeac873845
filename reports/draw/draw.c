/* SPDX-License-Identifier: Apache-2.0
 * draw - the table of drawings. */
#include "reports/draw/draw.h"

const struct draw_view *const draw_views[] = {
#define VIEW(stem) &draw_##stem,
#include "reports/draw/view.def"
#undef VIEW
    NULL,
};
