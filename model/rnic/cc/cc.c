/* SPDX-License-Identifier: Apache-2.0
 * cc - the list of congestion controls. */
#include "rnic/cc/cc_kinds.h"

#include <string.h>

const struct cc_preset cc_list[] = {
#define ALGORITHM(stem, gbps, about) {#stem, about, &cc_##stem, NULL, gbps * INT64_C(1000000000)},
#define PRESET(stem, settings, gbps, name, about) \
    {name, about, &cc_##stem, cc_##settings, gbps * INT64_C(1000000000)},
#include "rnic/cc/cc.def"
#undef ALGORITHM
#undef PRESET
    {0},
};

const struct cc_preset *cc_find(const char *name)
{
    for (const struct cc_preset *preset = cc_list; preset->name != NULL; preset++)
        if (strcmp(preset->name, name) == 0)
            return preset;
    return NULL;
}

void cc_presets(const struct cc_preset *preset, void *params)
{
    opt_presets_onto(preset->ops->opts, params);
    for (const struct cc_setting *set = preset->settings; set != NULL && set->opt != NULL; set++) {
        char why[OPT_WHY_BYTES];
        const struct opt *row = opt_find(preset->ops->opts, set->opt);
        CHECK(row != NULL);
        CHECK(opt_parse(row, set->value, opt_field(row, params), why));
    }
}

bool cc_is_same(const struct cc_preset *a, const struct cc_preset *b)
{
    if (a == b || a->ops != b->ops)
        return a == b;
    int64_t of_a[CC_PARAMS_MAX / 8] = {0}, of_b[CC_PARAMS_MAX / 8] = {0};
    cc_presets(a, of_a);
    cc_presets(b, of_b);
    return memcmp(of_a, of_b, sizeof of_a) == 0;
}
