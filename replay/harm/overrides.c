/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/harm/overrides.h"

#include "base/hash.h"
#include "base/memory.h"
#include "replay/harm/name_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct override_class class_of(const struct scenario *scenario, const char *links,
                                      const char *row)
{
    char path[160];
    snprintf(path, sizeof path, "fabric.%s-links.%.60s", links, row);
    for (uint32_t i = 0; i < scenario->setting_count; i++)
        if (strcmp(scenario->settings[i].path, path) == 0)
            return (struct override_class){true, scenario->settings[i].value};
    return (struct override_class){0};
}

struct wanted {
    const struct overrides *overrides;
    const struct scenario_setting *setting;
};

static bool is_same(const void *self, uint32_t entry)
{
    const struct wanted *wanted = self;
    const struct scenario_setting *listed = wanted->overrides->list[entry].setting;
    return listed->row == wanted->setting->row && listed->value == wanted->setting->value;
}

void overrides_find(struct overrides *overrides, const struct scenario *scenario)
{
    struct name_index index = {0};
    *overrides = (struct overrides){0};
    for (uint32_t i = scenario->setting_count; i-- > 0;) {
        const struct scenario_setting *setting = &scenario->settings[i];
        const struct wanted wanted = {overrides, setting};
        if (strncmp(setting->path, "fabric.overrides[", 17) != 0 ||
            opt_find(port_opts, setting->row->name) != setting->row)
            continue;
        const uint64_t hash = hash_text(setting->row->name, (uint64_t)setting->value);
        if (name_index_find(&index, hash, is_same, &wanted) != NAME_INDEX_NONE)
            continue;
        name_index_add(&index, hash);
        overrides->list = memory_grown(overrides->list, overrides->count, &overrides->room,
                                       sizeof *overrides->list);
        overrides->list[overrides->count++] =
            (struct override){setting, class_of(scenario, "host", setting->row->name),
                              class_of(scenario, "fabric", setting->row->name)};
    }
    name_index_free(&index);
}

void overrides_free(struct overrides *overrides)
{
    free(overrides->list);
    *overrides = (struct overrides){0};
}
