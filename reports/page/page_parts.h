/* SPDX-License-Identifier: Apache-2.0
 * page_parts - parts of HTML that every page needs, also one that is not about a run. */
#ifndef STORMGLASS_REPORTS_PAGE_PAGE_PARTS_H
#define STORMGLASS_REPORTS_PAGE_PAGE_PARTS_H

#include <stdbool.h>
#include <stdio.h>

/* A file compiled into the program, without the reference to its source map, which the page does
 * not contain. */
void page_asset(FILE *out, const char *name);

/* A script element with the JSON text that `write` writes. Returns false if that failed. */
bool page_data(FILE *out, const char *id, bool (*write)(const void *self, FILE *out),
               const void *self);

#endif
