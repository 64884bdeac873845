/* SPDX-License-Identifier: Apache-2.0
 * tool_template - a line that says the DSCP of CNPs: "template: 17". */
#include "replay/readings/tool.h"

#include <string.h>

static const char word[] = "template: ";

static void read(const struct tool_file *file)
{
    struct lines lines = {.file = file->file};
    while (lines_next(&lines, &file->readings->arena)) {
        const char *at = strstr(lines.text, word);
        int64_t dscp;
        if (at == NULL)
            continue;
        at += strlen(word);
        if (tool_count(at, 63, &dscp) > 0)
            tool_set(file, &lines, at, "rnic.cnp-dscp", "%lld", (long long)dscp);
        else
            tool_say(file, DIAG_ERROR, &lines, at, strlen(at), "expected a number up to 63");
    }
}

static const char *const marks[] = {word, NULL};

const struct tool tool_template = {
    .word = "template",
    .about = "a template's tool",
    .marks = marks,
    .read = read,
};
