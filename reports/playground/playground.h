/* SPDX-License-Identifier: Apache-2.0
 * playground - a page that runs scenarios in the browser.
 * The page contains the engine as WebAssembly, which runs in a worker, and all embedded cases and
 * lessons. It shows a run as page_write writes it, because the engine contains that function, too.
 * It works from a file without a network. */
#ifndef STORMGLASS_REPORTS_PLAYGROUND_PLAYGROUND_H
#define STORMGLASS_REPORTS_PLAYGROUND_PLAYGROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The two files that `make playground` builds. */
struct playground_engine {
    const char *script;          /* NUL-terminated JavaScript that loads the module */
    const unsigned char *module; /* WebAssembly, compressed by gzip */
    size_t module_length;
};

struct playground_file {
    const char *name, *text;
};

/* The scenario that is shown first, and the files that it reads. */
struct playground_scenario {
    const struct playground_file *files;
    uint32_t count;
};

/* Returns false if the output failed. */
bool playground_write(const struct playground_engine *engine,
                      const struct playground_scenario *scenario, FILE *out);

#endif
