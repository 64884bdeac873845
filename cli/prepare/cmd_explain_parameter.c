/* SPDX-License-Identifier: Apache-2.0
 * cmd_explain_parameter - stormglass explain-parameter. */
#include "base/nearest.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "cli/parameters.h"
#include "cli/prepare/parameter_json.h"
#include "reports/text/json_members.h"
#include "scenarios/embedded.h"
#include "scenarios/format/block.h"
#include "scenarios/load/load.h"
#include "scenarios/load/profile.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct cli_option explain_parameter_options[] = {
    {"json", 0, NULL, "one JSON object with a list instead of text"},
    {0},
};

/* Format of the values of a type: its name, an example, and other notations. */
static const struct {
    const char *name, *example, *others;
} type_words[] = {
    [OPT_INT] = {"a whole number such as ", "32", ""},
    [OPT_BOOL] = {"true or false", "", ""},
    [OPT_TIME] = {"a time such as ", "55us", ""},
    [OPT_SIZE] = {"a size such as ", "64KiB", ""},
    [OPT_RATE] = {"a rate such as ", "100Gbps", ""},
    [OPT_LENGTH] = {"a length such as ", "3m", ""},
    [OPT_PERCENT] = {"a percentage such as ", "20%",
                     ", a ratio such as 1/16, or a power such as 2^-4"},
    [OPT_RATIO] = {"a ratio such as ", "1/256", ", 5% or 1e-12"},
    [OPT_DECIMAL] = {"a number such as ", "1250", " or 0.5"},
    [OPT_CHOICE] = {"one of ", "", ""},
    [OPT_MASK] = {"a list of numbers such as ", "[3, 4]", ""},
    [OPT_DSCP] = {"a DSCP such as ", "26", ", tos 104 or af31"},
};

typedef bool meant(const struct parameter *parameter, const char *path, const char *wanted);

/* Where explanations go; `count`: how many were written. */
struct explained {
    struct json *json; /* NULL: text */
    int count;
};

struct search {
    const char *wanted;
    meant *is_this;
    struct nearest nearest;
    struct explained *out;
};

/* Other notations for the row, or an empty list. */
static const struct block_word *words_of(const struct parameter *parameter)
{
    static const struct block_word none[] = {{0}};
    if (strcmp(parameter->where, "fabric.switch") == 0)
        return scenario_switch_words;
    return parameter->row->type == OPT_DSCP ? scenario_tos_words : none;
}

/* A value that the parameter may have: the example of its type, or else its default or a bound. */
static const char *example_of(const struct opt *row)
{
    const char *const candidates[] = {type_words[row->type].example, row->preset, row->max,
                                      row->min};
    int64_t value;
    char why[OPT_WHY_BYTES];
    if (candidates[0][0] == '\0' || row->type == OPT_MASK)
        return candidates[0];
    for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
        if (candidates[i] != NULL && opt_parse(row, candidates[i], &value, why) && value > 0)
            return candidates[i];
    return candidates[0];
}

static void format_value(const struct opt *row, char *text, size_t size)
{
    const char *between = row->type == OPT_CHOICE || row->choices == NULL ? "" : ", or ";
    snprintf(text, size, "%s%s%s%s%s", type_words[row->type].name, example_of(row),
             type_words[row->type].others, between, row->choices == NULL ? "" : row->choices);
}

static void print_words(const struct parameter *parameter)
{
    const char *between = "  also     ";
    for (const struct block_word *word = words_of(parameter); word->path != NULL; word++) {
        if (strcmp(word->row, parameter->row->name) != 0)
            continue;
        printf("%s%s", between, word->path);
        between = ", ";
    }
    fputs(between[0] == ',' ? "\n" : "", stdout);
}

static void print_effect(const struct opt *row)
{
    char text[512];
    printf("  acts on  %s\n", opt_part_words(row));
    if (opt_effect_words(row, text, sizeof text))
        printf("  effect   %s\n", text);
    if (opt_needs_words(row, text, sizeof text))
        printf("  only if  %s\n", text);
}

static void print_range(const struct opt *row)
{
    char range[32];
    if (row->type == OPT_MASK && row->max != NULL) {
        opt_mask_range(row, range, sizeof range);
        printf("  range    %s\n", range);
    } else if (row->min != NULL && row->max != NULL)
        printf("  range    %s to %s\n", row->min, row->max);
    else if (row->min != NULL)
        printf("  range    at least %s\n", row->min);
    else if (row->max != NULL)
        printf("  range    at most %s\n", row->max);
}

static void print_profile(void *self, const struct profile_value *value)
{
    const uint32_t sources = value->origin.sources;
    (void)self;
    printf("  profile  %s: %s (%s", value->profile, value->value, value->origin.evidence);
    if (sources > 0)
        printf(", %u %s", sources, plural(sources, "source", "sources"));
    puts(")");
}

static void print_parameter(const struct parameter *parameter, const char *path)
{
    const struct opt *row = parameter->row;
    printf("%s\n  %s\n", path, row->about);
    char value[512];
    format_value(row, value, sizeof value);
    printf("  value    %s\n", value);
    print_words(parameter);
    printf("  default  %s\n", row->preset);
    print_range(row);
    char series[64];
    if (opt_series(row, series, sizeof series))
        printf("  legal    %s\n", series);
    print_effect(row);
    const bool own = strncmp(row->source, "own", 3) == 0 && !isalpha((unsigned char)row->source[3]);
    printf("  source   %s%s\n", own ? "chosen for stormglass" : "", row->source + (own ? 3 : 0));
    profile_each_value(parameter->where, row->name, print_profile, NULL);
}

static void explain(struct explained *out, const struct parameter *parameter, const char *path)
{
    char value[512];
    if (out->json != NULL) {
        format_value(parameter->row, value, sizeof value);
        parameter_write_json(out->json, out->count++, parameter, path, value, words_of(parameter));
        return;
    }
    fputs(out->count++ > 0 ? "\n" : "", stdout);
    print_parameter(parameter, path);
}

/* A parameter is identified by its whole path, by the end of the path, or by its own name. */
static bool is_end(const char *path, const char *wanted)
{
    const size_t whole = strlen(path), end = strlen(wanted);
    if (end > whole || strcmp(path + whole - end, wanted) != 0)
        return false;
    return end == whole || path[whole - end - 1] == '.';
}

/* Keys nest at a dash of a row's name: ecn: {kmin: ..} is ecn-kmin. */
static bool is_nested(const char *where, const char *name, const char *wanted)
{
    char joined[160];
    const size_t head = where[0] == '\0' ? 0 : strlen(where) + 1;
    const bool whole = head > 0 && strncmp(wanted, where, head - 1) == 0 && wanted[head - 1] == '.';
    snprintf(joined, sizeof joined, "%s", whole ? wanted + head : wanted);
    for (char *at = joined; *at != '\0'; at++)
        *at = *at == '.' ? '-' : *at;
    return strcmp(name, joined) == 0;
}

static bool is_word(const struct parameter *parameter, const char *wanted)
{
    char path[160];
    for (const struct block_word *word = words_of(parameter); word->path != NULL; word++) {
        snprintf(path, sizeof path, "%s.%s", parameter->where, word->path);
        if (strcmp(word->row, parameter->row->name) == 0 && is_end(path, wanted))
            return true;
    }
    return false;
}

/* Removes members and kinds from a path in the syntax of --set or of the summary, such as
 * "faults[0].drain", "workloads.oltp.read" and "faults{kind: slow-receiver}.drain". */
static void make_plain(const char *path, char *text, size_t size)
{
    size_t used = 0;
    for (const char *at = path; *at != '\0' && used + 1 < size;) {
        const size_t step = strcspn(at, ".");
        const bool member = strspn(at, "0123456789") == step && step > 0;
        const bool named =
            used == strlen("workloads") && at[step] == '.' && strncmp(text, "workloads", used) == 0;
        const size_t word = strcspn(at, ".[{");
        if (!member && !named)
            used += (size_t)snprintf(text + used, size - used, "%s%.*s", used > 0 ? "." : "",
                                     (int)word, at);
        at += word;
        at += *at == '[' || *at == '{' ? strcspn(at, "]}") : 0;
        at += *at == ']' || *at == '}';
        at += *at == '.';
    }
    text[used < size ? used : size - 1] = '\0';
}

/* A section for some nodes, as printed by a run, and the section under which its parameters are
 * listed. A star matches one word. */
static const struct {
    const char *printed, *listed;
} sections[] = {
    {"fabric.fabric-links", "fabric.host-links"},
    {"fabric.*.host-links", "fabric.host-links"},
    {"fabric.*.fabric-links", "fabric.host-links"},
    {"fabric.*.switch", "fabric.switch"},
    {"fabric.topology.links", "fabric.host-links"},
    {"fabric.overrides", "fabric.switch"},
    {"fabric.overrides", "fabric.host-links"},
    {"fabric.overrides", "hosts.defaults"},
    {"hosts.*", "hosts.defaults"},
    {"hosts.*", "hosts.targets"},
};

enum { SECTIONS = sizeof sections / sizeof sections[0] };

/* Converts the plain path to the listed section; false: it is in another section. */
static bool in_section(const char *plain, size_t section, char *text, size_t size)
{
    const char *at = plain;
    for (const char *word = sections[section].printed; *word != '\0';) {
        const size_t step = strcspn(word, "."), here = strcspn(at, ".");
        if (at[here] != '.' || (*word != '*' && (step != here || strncmp(word, at, here) != 0)))
            return false;
        word += step + (word[step] == '.');
        at += here + 1;
    }
    return snprintf(text, size, "%s.%s", sections[section].listed, at) < (int)size;
}

static bool is_named(const struct parameter *parameter, const char *path, const char *wanted)
{
    return is_end(path, wanted) || is_word(parameter, wanted) ||
           is_nested(parameter->where, parameter->row->name, wanted);
}

static bool is_of_section(const struct parameter *parameter, const char *path, const char *wanted)
{
    char plain[160], there[160], text[160];
    make_plain(wanted, plain, sizeof plain);
    make_plain(path, there, sizeof there);
    for (size_t i = 0; i < SECTIONS; i++)
        if (in_section(plain, i, text, sizeof text) &&
            (strcmp(there, text) == 0 || is_named(parameter, path, text)))
            return true;
    return false;
}

/* Keys of a scenario that select something and are not parameters. */
static const struct choice {
    const char *path, *about, *value;
} choices[] = {
    {"fabric.topology.kind", "The nodes and links of the fabric.",
     "a name from stormglass list topologies"},
    {"fabric.switch.profile", "Profile with the switches' values that the scenario does not set.",
     "a name from stormglass list profiles"},
    {"fabric.switch.dscp",
     "Map from DSCP to priority at the switches; DSCPs not in the map have priority DSCP / 8.",
     "a mapping such as {26: 3} or {tos 104: 3}"},
    {"fabric.routes", "Static routes, in place of computed routes.",
     "a list such as [{where: leaf0, to: host9, via: spine1}]"},
    {"hosts.defaults.rnic.profile",
     "Profile with the RNIC's values that the scenario does not set.",
     "a name from stormglass list profiles"},
    {"hosts.defaults.rnic.congestion-control", "Congestion control algorithm of the senders.",
     "a name from stormglass list congestion-controls, or {kind: ..} with its parameters"},
    {"hosts.defaults.rnic.dscp-to-priority", "Map from DSCP to priority at the host's own port.",
     "a mapping such as {26: 3} or {tos 104: 3}"},
    {"hosts.defaults.target.profile",
     "Profile with the target's values that the scenario does not set.",
     "a name from stormglass list profiles"},
    {"hosts.defaults.tcp.profile", "Profile with the values of TCP that the scenario does not set.",
     "a name from stormglass list profiles"},
    {"hosts.targets.namespaces.media", "Medium of a namespace.",
     "a name from stormglass list media, or {kind: ..} with its parameters"},
    {"hosts.targets.namespaces.media.profile",
     "Profile with the medium's values that the scenario does not set.",
     "a name from stormglass list profiles"},
    {"workloads.kind", "Kind of the workload.", "a name from stormglass list workloads"},
    {"faults.kind", "Kind of the fault.", "a name from stormglass list faults"},
};

static bool is_choice(const struct choice *choice, const char *plain)
{
    char text[160];
    if (is_end(choice->path, plain))
        return true;
    for (size_t i = 0; i < SECTIONS; i++)
        if (in_section(plain, i, text, sizeof text) && strcmp(choice->path, text) == 0)
            return true;
    return false;
}

static void explain_choice(struct explained *out, const struct choice *choice)
{
    char path[JSON_PATH_BYTES];
    const size_t at = (size_t)out->count++;
    if (out->json == NULL) {
        printf("%s%s\n  %s\n  value    %s\n", at > 0 ? "\n" : "", choice->path, choice->about,
               choice->value);
        return;
    }
    json_text(out->json, json_member(path, "parameters", at, "name"), choice->path);
    json_text(out->json, json_member(path, "parameters", at, "about"), choice->about);
    json_text(out->json, json_member(path, "parameters", at, "value"), choice->value);
}

static void explain_choices(const char *wanted, struct explained *out)
{
    char plain[160];
    make_plain(wanted, plain, sizeof plain);
    for (size_t i = 0; plain[0] != '\0' && i < sizeof choices / sizeof choices[0]; i++)
        if (is_choice(&choices[i], plain))
            explain_choice(out, &choices[i]);
}

/* Whether a sentence contains the abbreviation, such as ADQ, however `word` is written. */
static bool has_abbreviation(const char *sentence, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = sentence; *at != '\0'; at++)
        if (isupper((unsigned char)at[0]) && isupper((unsigned char)at[1]) && length > 2 &&
            strncasecmp(at, word, length) == 0 &&
            (at == sentence || !isalnum((unsigned char)at[-1])) &&
            !isalnum((unsigned char)at[length]))
            return true;
    return false;
}

/* The choice whose last but one key is the kind of a profile: hosts.defaults.tcp.profile. */
static const struct choice *choice_of_kind(const char *kind)
{
    char key[64];
    snprintf(key, sizeof key, ".%.32s.profile", kind);
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++)
        if (strstr(choices[i].path, key) != NULL)
            return &choices[i];
    return NULL;
}

/* Profiles of that name, or whose sentence has that abbreviation. */
static void explain_profiles(const char *wanted, struct explained *out)
{
    struct arena arena = {0};
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        char name[64] = "";
        if (sscanf(file->name, "profiles/%63[^.]", name) != 1 || wanted[0] == '\0')
            continue;
        const struct tree_node *root = profile_tree(&arena, name);
        const struct tree_node *about = root == NULL ? NULL : tree_get(root, "about");
        const struct choice *where =
            about == NULL ? NULL : choice_of_kind(tree_get(root, "kind")->text);
        if (where != NULL && (strcmp(name, wanted) == 0 || has_abbreviation(about->text, wanted)))
            explain_choice(out, &(struct choice){where->path, about->text, name});
    }
    arena_free(&arena);
}

static bool is_written(const struct parameter *parameter, const char *path, const char *wanted)
{
    (void)parameter;
    char there[160], plain[160];
    make_plain(path, there, sizeof there);
    make_plain(wanted, plain, sizeof plain);
    return plain[0] != '\0' && is_end(there, plain);
}

/* True for a group of rows: ecn of ecn-kmin and ecn-kmax. */
static bool is_of_group(const struct parameter *parameter, const char *path, const char *wanted)
{
    (void)path;
    const size_t length = strlen(wanted);
    const char *name = parameter->row->name;
    return length > 0 && strncmp(name, wanted, length) == 0 && name[length] == '-';
}

static bool is_named_or_of_group(const struct parameter *parameter, const char *path,
                                 const char *wanted)
{
    return is_named(parameter, path, wanted) || is_of_group(parameter, path, wanted);
}

static bool match_parameter(void *self, const struct parameter *parameter)
{
    struct search *search = self;
    char path[160];
    parameters_path(parameter, path, sizeof path);
    if (search->is_this(parameter, path, search->wanted))
        explain(search->out, parameter, path);
    nearest_offer(&search->nearest, parameter->row->name);
    return true;
}

static int explain_name(const char *wanted, struct explained *out)
{
    struct search search = {.wanted = wanted, .out = out};
    const int before = out->count;
    const char *dot = strrchr(search.wanted, '.');
    search.nearest = nearest_to(dot == NULL ? search.wanted : dot + 1);
    /* Each criterion is tried only if the previous ones found nothing.  A name that also begins the
     * names of a group, as ecn does, means both. */
    static meant *const by[] = {is_named_or_of_group, is_written, is_of_section};
    for (size_t i = 0; i < sizeof by / sizeof *by && out->count == before; i++) {
        search.is_this = by[i];
        parameters_each(match_parameter, &search);
    }
    if (out->count == before)
        explain_choices(wanted, out);
    if (out->count == before)
        explain_profiles(wanted, out);
    if (out->count > before)
        return CLI_DONE;
    const bool near = search.nearest.best[0] != '\0';
    cli_error("unknown parameter '%s'%s", search.wanted,
              near ? nearest_hint(&search.nearest).text : "; see stormglass list parameters");
    return CLI_USAGE;
}

static int run_explain_parameter(const struct cli_args *args)
{
    int code = CLI_DONE;
    struct json json;
    struct explained out = {.json = cli_given(args, "json") ? &json : NULL};
    if (out.json != NULL)
        json_begin(&json, stdout);
    for (int i = 0; i < args->operand_count; i++)
        code = explain_name(args->operands[i], &out) == CLI_DONE ? code : CLI_USAGE;
    if (out.json != NULL && out.count == 0)
        json_empty(&json, "parameters");
    if (out.json != NULL)
        json_end(&json);
    return code;
}

const struct cli_command cmd_explain_parameter = {
    .name = "explain-parameter",
    .operands = "NAME...",
    .about = "show a parameter's meaning, unit, range, default, effect and source",
    .examples =
        (const struct cli_example[]){
            {"The ECN threshold of switches", "stormglass explain-parameter ecn-kmin"},
            {"By its path in a scenario",
             "stormglass explain-parameter fabric.switch.pfc.headroom"},
            {"For a program", "stormglass explain-parameter --json ecn-kmin"},
            {0}},
    .exit_codes = (const struct cli_exit_code[]){{0, "all parameters were found"},
                                                 {2, "unknown parameter"},
                                                 {3, "the output could not be written"},
                                                 {0}},
    .options = explain_parameter_options,
    .operands_min = 1,
    .operands_max = -1,
    .run = run_explain_parameter,
};
