/* SPDX-License-Identifier: Apache-2.0
 * test_counters_text - SONiC's tables are as wide as the longest chosen port of each switch. */
#include "reports/tools/counters.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PORTS = 7 };

static const struct {
    const char *node, *equipment; /* NULL: its name is "p" and its number */
} given[PORTS] = {{"leaf0", "Ethernet0"}, {"leaf0", "Ethernet100"}, {"leaf0", "Ethernet12"},
                  {"leaf1", "Ethernet4"}, {"leaf1", "Ethernet8"},   {"leaf2", NULL},
                  {"leaf2", NULL}};

static char *printed(const bool *chosen)
{
    static char *text;
    static size_t length;
    struct port_counters_port ports[PORTS];
    char names[PORTS][40], numbered[PORTS][40];
    for (int i = 0; i < PORTS; i++) {
        snprintf(numbered[i], sizeof numbered[i], "%s:p%d", given[i].node, i);
        snprintf(names[i], sizeof names[i], "%s:%s", given[i].node,
                 given[i].equipment != NULL ? given[i].equipment : strchr(numbered[i], ':') + 1);
        ports[i] = (struct port_counters_port){.name = names[i],
                                               .node = (char *)(uintptr_t)given[i].node,
                                               .numbered = numbered[i],
                                               .equipment = given[i].equipment,
                                               .of_switch = true};
    }
    const struct port_counters counters = {.ports = ports, .port_count = PORTS};
    FILE *out = memory_stream(&text, &length);
    counters_print(&counters, chosen, COUNTERS_SONIC, out);
    memory_stream_end(out);
    return text;
}

/* Whether a switch has a chosen port. */
static bool is_of(const bool *chosen, int port, const char *node)
{
    return chosen[port] && strcmp(given[port].node, node) == 0;
}

static void tables_have_the_width_of_their_names(void **state)
{
    (void)state;
    static const char *const nodes[] = {"leaf0", "leaf1", "leaf2"};
    for (unsigned set = 1; set < 1u << PORTS; set++) {
        bool chosen[PORTS];
        int switches = 0;
        for (int i = 0; i < PORTS; i++)
            chosen[i] = (set >> i & 1) != 0;
        for (int n = 0; n < 3; n++)
            for (int i = 0; i < PORTS; i++)
                if (is_of(chosen, i, nodes[n])) {
                    switches++;
                    break;
                }
        char *text = printed(chosen);
        for (int n = 0; n < 3; n++) {
            int widest = 7; /* "Port Rx" */
            char line[160], wanted[4096];
            int used = 0;
            for (int i = 0; i < PORTS; i++) {
                char name[24];
                snprintf(name, sizeof name, "%sp%d", switches > 1 ? "" : "leaf2:", i);
                const char *shown = given[i].equipment != NULL ? given[i].equipment : name;
                if (is_of(chosen, i, nodes[n]) && (int)strlen(shown) > widest)
                    widest = (int)strlen(shown);
            }
            for (int i = 0; i < PORTS; i++) {
                char name[24];
                snprintf(name, sizeof name, "%sp%d", switches > 1 ? "" : "leaf2:", i);
                if (!is_of(chosen, i, nodes[n]))
                    continue;
                used += snprintf(wanted + used, sizeof wanted - (size_t)used, "%*s", widest,
                                 given[i].equipment != NULL ? given[i].equipment : name);
                for (int k = 0; k < 8; k++)
                    used += snprintf(wanted + used, sizeof wanted - (size_t)used, "  %15d", 0);
                used += snprintf(wanted + used, sizeof wanted - (size_t)used, "\n");
            }
            if (used == 0)
                continue;
            snprintf(line, sizeof line, "%*s  %15s", widest, "Port Rx", "PFC0");
            assert_non_null(strstr(text, line));
            assert_non_null(strstr(text, wanted));
            snprintf(line, sizeof line, "%*s    TxQ  %15s", widest, "Port", "Counter/pkts");
            assert_non_null(strstr(text, line));
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables_have_the_width_of_their_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
