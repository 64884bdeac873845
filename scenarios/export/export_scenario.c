/* SPDX-License-Identifier: Apache-2.0
 * export_scenario - writes the changes of a scenario as a scenario that refers to the unchanged one
 * (scenarios/load/scenario_change.c).
 * A path that is set twice gets its last value. */
#include "scenarios/export/export.h"
#include "scenarios/format/tree.h"

#include <string.h>

/* True if YAML reads the same text without quotes, also inside brackets. */
static bool is_plain(const struct tree_node *node)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const char *text = node->text;
    return !node->quoted && *text != '\0' && strchr(letters, *text) != NULL &&
           text[strcspn(text, " \t\n\"'#:,[]{}&!|>@`\\?=")] == '\0';
}

static void put_flow(const struct tree_node *node, FILE *out)
{
    if (node->kind == TREE_SCALAR) {
        const bool plain = is_plain(node);
        fputs(plain ? "" : "\"", out);
        for (const char *at = node->text; *at != '\0'; at++)
            fprintf(out, "%s%c", !plain && strchr("\"\\", *at) != NULL ? "\\" : "", *at);
        fputs(plain ? "" : "\"", out);
        return;
    }
    fputs(node->kind == TREE_LIST ? "[" : "{", out);
    for (size_t i = 0; i < node->count; i++) {
        fputs(i == 0 ? "" : ", ", out);
        if (node->kind == TREE_MAP)
            fprintf(out, "%s: ", node->items[i].key);
        put_flow(node->items[i].value, out);
    }
    fputs(node->kind == TREE_LIST ? "]" : "}", out);
}

static size_t path_length(const char *set)
{
    return strcspn(set, "=");
}

/* True if a later setting of the same path replaces this one; each `[+]` adds an element and is
 * kept. */
static bool is_over(const struct scenario *scenario, uint32_t index)
{
    const char *set = scenario->sets[index];
    const size_t length = path_length(set);
    bool over = false;
    for (uint32_t i = index + 1; i < scenario->set_count; i++)
        over |= path_length(scenario->sets[i]) == length &&
                strncmp(scenario->sets[i], set, length) == 0;
    return over && strstr(set, "[+]") == NULL;
}

static void write_changes(const struct scenario *scenario, const char *other, FILE *out)
{
    struct arena arena = {0};
    struct diag diag = {0};
    fputs("stormglass: 1\nscenario: ", out);
    const struct tree_node name = {.kind = TREE_SCALAR, .text = other};
    put_flow(&name, out);
    fputs("\nset:", out);
    uint32_t count = 0;
    for (uint32_t i = 0; i < scenario->set_count; i++) {
        const char *set = scenario->sets[i];
        const size_t length = path_length(set);
        const struct tree_node *value =
            is_over(scenario, i) ? NULL
                                 : tree_parse(&arena, tree_hold(&arena, "--set", set, strlen(set)),
                                              length + 1, &diag);
        if (value == NULL)
            continue;
        fprintf(out, "\n  - %.*s: ", (int)length, set);
        put_flow(value, out);
        count++;
    }
    fputs(count == 0 ? " {}\n" : "\n", out);
    arena_free(&arena);
}

const struct export_kind export_scenario = {
    .name = "scenario",
    .about = "the changes of --set, as a scenario that refers to SCENARIO",
    .write_changes = write_changes};
