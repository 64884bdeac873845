/* SPDX-License-Identifier: Apache-2.0
 * deduced_profile - writes the resulting profile. */
#include "base/memory.h"
#include "base/plural.h"
#include "base/quantity.h"
#include "reports/text/deduced.h"
#include "reports/text/deduced_words.h"
#include "reports/text/json.h"

#include <stdlib.h>
#include <string.h>

/* `sources` is written unless it is the default of the evidence. */
static void profile_row(const char *key, const char *value, const char *evidence, uint32_t sources,
                        const char *source, FILE *out)
{
    fprintf(out, "  %s: {value: \"%s\", evidence: %s, ", key, value, evidence);
    if (sources != (strcmp(evidence, "assumed") == 0 ? 0 : 1))
        fprintf(out, "sources: %u, ", sources);
    fputs("source: ", out);
    json_string(out, source == NULL ? "" : source);
    fputs("}\n", out);
}

/* Omits values that are only the base's presets. */
static void profile_parameter(const struct deduced_parameter *parameter, const char *key, FILE *out)
{
    char value[QUANTITY_TEXT_BYTES], source[DEDUCED_WORDS_BYTES];
    const bool own = parameter->state == DEDUCE_KNOWN || parameter->value != parameter->base;
    if (!own && !parameter->written)
        return;
    opt_format(parameter->row, parameter->value, value, sizeof value);
    deduced_source_words(parameter, source);
    const char *evidence = own ? parameter->evidence : parameter->base_evidence;
    const uint32_t own_sources = strcmp(evidence, "assumed") == 0 ? 0 : 1;
    profile_row(key, value, evidence, own ? own_sources : parameter->base_sources,
                own ? source : parameter->source, out);
}

/* The part of the key within a section such as "rnic.". */
static const char *key_in(const char *path, const char *section)
{
    const size_t length = strlen(section);
    return strncmp(path, section, length) == 0 ? path + length : NULL;
}

static void profile_section(const struct deduced *deduced, const char *section, FILE *out)
{
    for (size_t i = 0; i < deduced->kept_count; i++) {
        const struct deduced_kept *kept = &deduced->kept[i];
        if (key_in(kept->path, section) != NULL)
            profile_row(key_in(kept->path, section), kept->value, kept->evidence, kept->sources,
                        kept->source, out);
    }
    for (int i = 0; i < DEDUCE_COUNT; i++) {
        const struct deduced_parameter *parameter = &deduced->parameters[i];
        if (!parameter->absent && key_in(parameter->path, section) != NULL)
            profile_parameter(parameter, key_in(parameter->path, section), out);
    }
}

/* The section with its heading, if it has rows; `always`: a heading with an empty mapping. */
static void profile_part(const struct deduced *deduced, const char *heading, const char *of,
                         bool always, FILE *out)
{
    char *text, section[16];
    size_t size;
    snprintf(section, sizeof section, "%s.", of);
    FILE *part = memory_stream(&text, &size);
    profile_section(deduced, section, part);
    memory_stream_end(part);
    if (size > 0)
        fprintf(out, "%s:\n%s", heading, text);
    else if (always)
        fprintf(out, "%s: {}\n", heading);
    free(text);
}

bool deduced_profile(const struct deduced *deduced, const char *name, FILE *out)
{
    static const char *const software[] = {"nvme", "target"};
    const char *kind = deduced->tcp ? "tcp" : "rnic";
    fprintf(out, "# Written by stormglass calibrate.\nstormglass-profile: 1\nname: ");
    json_string(out, name);
    fprintf(out, "\nabout: \"%zu %s of %zu %s, over %s.\"\nkind: %s\n", deduced->readings->count,
            plural(deduced->readings->count, "reading", "readings"), deduced->readings->files,
            plural(deduced->readings->files, "file", "files"), deduced->base, kind);
    profile_part(deduced, "values", kind, true, out);
    for (size_t i = 0; i < sizeof software / sizeof software[0]; i++)
        profile_part(deduced, software[i], software[i], false, out);
    return fflush(out) == 0 && ferror(out) == 0;
}
