/* SPDX-License-Identifier: Apache-2.0
 * counter - the names of the counters of a run. */
#include "replay/database/counter.h"
#include "base/drop.h"

#include <stdio.h>
#include <string.h>

const struct counter_about counters_about[COUNTER_COUNT] = {
#define COUNTER(scope, id, name, sai, unit) {COUNTER_OF_##scope, name, sai, unit},
#include "replay/database/counter.def"
#undef COUNTER
};

const enum counter_id counters_of_drops[PROBE_DROP_CAUSE_COUNT] = {
#define DROP(NAME, name, side, word, about) [PROBE_DROP_##NAME] = COUNTER_RX_DROPPED_##NAME,
#define DROP_ROOM(NAME, side, word, about)  [PROBE_DROP_##NAME] = COUNTER_RX_DROPPED_##NAME,
#include "base/drop.def"
#undef DROP
#undef DROP_ROOM
};

enum { PRIORITY_LAST = 7 };

void counter_text(char text[COUNTER_NAME_BYTES], const char *name, int priority)
{
    const char *digit = strstr(name, "%d");
    if (digit == NULL)
        snprintf(text, COUNTER_NAME_BYTES, "%s", name);
    else
        snprintf(text, COUNTER_NAME_BYTES, "%.*s%d%s", (int)(digit - name), name, priority,
                 digit + 2);
}

bool counter_has_priority(enum counter_id id)
{
    return strstr(counters_about[id].name, "%d") != NULL;
}

bool counter_find(const char *text, enum counter_id *id, int *priority)
{
    for (int i = 0; i < COUNTER_COUNT; i++) {
        const char *name = counters_about[i].name, *digit = strstr(name, "%d");
        const size_t head = digit == NULL ? strlen(name) : (size_t)(digit - name);
        if (strncmp(text, name, head) != 0)
            continue;
        const bool fits = digit == NULL ? text[head] == '\0'
                                        : text[head] >= '0' && text[head] <= '0' + PRIORITY_LAST &&
                                              strcmp(text + head + 1, digit + 2) == 0;
        if (!fits)
            continue;
        *id = (enum counter_id)i;
        *priority = digit == NULL ? -1 : text[head] - '0';
        return true;
    }
    return false;
}
