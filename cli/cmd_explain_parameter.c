/* SPDX-License-Identifier: Apache-2.0
 * cmd_explain_parameter - stormglass explain-parameter. */
#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/parameters.h"

#include <stdio.h>
#include <string.h>

static const struct cli_option options[] = {{0}};

/* What the range of a type is written like. */
static const char *const type_words[] = {
    [OPT_INT] = "a whole number such as 32",
    [OPT_BOOL] = "true or false",
    [OPT_TIME] = "a time such as 55us",
    [OPT_SIZE] = "a size such as 64KiB",
    [OPT_RATE] = "a rate such as 100Gbps",
    [OPT_LENGTH] = "a length such as 3m",
    [OPT_PERCENT] = "a percentage such as 20%",
    [OPT_RATIO] = "a ratio such as 1/256, 5% or 1e-12",
    [OPT_CHOICE] = "one of ",
};

struct search {
    const char *wanted;
    struct nearest nearest;
    char best[160];
    int found;
};

static void explain(const struct parameter *parameter, const char *path)
{
    const struct opt *row = parameter->row;
    printf("%s\n  %s\n", path, row->about);
    printf("  value    %s%s\n", type_words[row->type], row->type == OPT_CHOICE ? row->choices : "");
    printf("  default  %s\n", row->preset);
    if (row->min != NULL || row->max != NULL)
        printf("  range    %s to %s\n", row->min != NULL ? row->min : "the least",
               row->max != NULL ? row->max : "the greatest");
    printf("  source   %s\n", row->source);
}

/* A parameter is meant by its whole path, by the path's end, or by its own name. */
static bool is_meant(const char *path, const char *wanted)
{
    const size_t whole = strlen(path), end = strlen(wanted);
    if (end > whole || strcmp(path + whole - end, wanted) != 0)
        return false;
    return end == whole || path[whole - end - 1] == '.';
}

static bool look(void *self, const struct parameter *parameter)
{
    struct search *search = self;
    char path[160];
    parameters_path(parameter, path, sizeof path);
    if (is_meant(path, search->wanted)) {
        fputs(search->found++ > 0 ? "\n" : "", stdout);
        explain(parameter, path);
    }
    const unsigned before = search->nearest.distance;
    nearest_offer(&search->nearest, parameter->row->name);
    if (search->nearest.distance < before)
        snprintf(search->best, sizeof search->best, "%s", parameter->row->name);
    return true;
}

static int run(const struct cli_args *args)
{
    struct search search = {.wanted = args->operands[0]};
    const char *dot = strrchr(search.wanted, '.');
    search.nearest = nearest_to(dot == NULL ? search.wanted : dot + 1);
    parameters_each(look, &search);
    if (search.found > 0)
        return CLI_DONE;
    if (search.best[0] != '\0')
        cli_error("there is no parameter '%s'; did you mean '%s'?", search.wanted, search.best);
    else
        cli_error("there is no parameter '%s'; see stormglass list parameters", search.wanted);
    return CLI_USAGE;
}

const struct cli_command cmd_explain_parameter = {
    .name = "explain-parameter",
    .operands = "NAME",
    .about = "says what a parameter means, its unit, range, default and source",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};
