/* SPDX-License-Identifier: Apache-2.0
 * lazy - loads libraries with dlopen, all functions or none. */
#include "replay/files/lazy.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_NOT_CARRIED_OUT = 3 };

bool lazy_load(const char *file, const struct lazy_function *functions, size_t count,
               char why[LAZY_WHY_BYTES])
{
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    bool whole = library != NULL;
    for (size_t i = 0; whole && i < count; i++)
        whole = dlsym(library, functions[i].name) != NULL;
    if (!whole) {
        const char *said = dlerror();
        snprintf(why, LAZY_WHY_BYTES, "%s cannot be loaded: %.200s", file,
                 said == NULL ? "unknown error" : said);
        if (library != NULL)
            dlclose(library);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, functions[i].name);
        memcpy(functions[i].at, &function, sizeof function);
    }
    return true;
}

void lazy_need(const char *file, const struct lazy_function *functions, size_t count)
{
    char why[LAZY_WHY_BYTES];
    if (lazy_load(file, functions, count, why))
        return;
    fprintf(stderr, "stormglass: %s\n", why);
    exit(EXIT_NOT_CARRIED_OUT);
}
