/* SPDX-License-Identifier: Apache-2.0
 * How well the value that binds is known: the table of values matches the parameters, and errors
 * follow evidence and sources. */
#include "replay/explain/confidence.h"

#include "nvme/media/media.h"
#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/load/load.h"
#include "tcp/tcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct diag diag;

static struct scenario *load(const char *profile, const char *kind, const char *rest)
{
    char text[2400];
    snprintf(text, sizeof text,
             "stormglass: 1\nname: t\nduration: 300us\n"
             "fabric: {topology: {kind: single-switch, hosts: 2}, host-links: {rate: 200Gbps}}\n"
             "hosts: {defaults: {rnic: {profile: %s, congestion-control: none%s}}}\n"
             "workloads: [{name: w, kind: %s, from: host0, to: host1, message-size: 8B}]\n",
             profile, rest, kind);
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    return scenario;
}

static struct confidence find(const struct scenario *scenario, enum bottleneck_resource resource,
                              const char *station)
{
    struct confidence found;
    const struct confidence_place place = {resource, 0, station};
    confidence_find(scenario, &scenario->workloads[0], &place, &found);
    return found;
}

/* ------------------------------------------------------------------ the tables */

static bool has_row(const struct opt *rows, const char *name)
{
    return rows != NULL && opt_find(rows, name) != NULL;
}

static bool is_of_rnic(const char *name)
{
    return has_row(rnic_opts, name);
}

static bool is_of_nvme(const char *name)
{
    bool found = has_row(nvme_host_opts, name);
    for (int i = 0; i < NVME_CARRIERS; i++)
        found |= has_row(nvme_carriers[i]->host_opts, name);
    return found;
}

static bool is_of_target(const char *name)
{
    return has_row(nvme_target_opts, name);
}

static bool is_of_tcp(const char *name)
{
    return has_row(tcp_base_opts, name);
}

static bool is_of_media(const char *name)
{
    bool found = false;
    for (int i = 0; media_kinds[i] != NULL; i++)
        found |= has_row(media_kinds[i]->opts, name);
    return found;
}

static const struct {
    const char *name;
    bool (*exists)(const char *name);
} limit_values[] = {
#define IS_RNIC                                             is_of_rnic
#define IS_NVME                                             is_of_nvme
#define IS_TARGET                                           is_of_target
#define IS_TCP                                              is_of_tcp
#define IS_MEDIA                                            is_of_media
#define LIMIT_VALUE(resource, station, section, name, when) {name, IS_##section},
#include "replay/explain/limit_value.def"
};

static void each_value_is_a_parameter_of_its_section(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof limit_values / sizeof limit_values[0]; i++)
        if (!limit_values[i].exists(limit_values[i].name))
            fail_msg("no parameter %s", limit_values[i].name);
}

static void more_sources_have_no_larger_error(void **state)
{
    (void)state;
    static const char *const kinds[] = {"documented", "measured", "inferred", "assumed"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (uint32_t sources = 0; sources < 5; sources++) {
            const int64_t error = confidence_error(kinds[i], sources);
            assert_true(error > 0);
            assert_true(confidence_error(kinds[i], sources + 1) <= error);
        }
    assert_true(confidence_error("inferred", 2) < confidence_error("assumed", 0));
    assert_int_equal(confidence_error("scenario", 0), 0);
}

/* ------------------------------------------------------------------ the value that binds */

static void the_value_of_the_station_binds(void **state)
{
    (void)state;
    struct scenario *scenario = load("connectx-6-200g", "rdma-write", "");
    struct confidence found = find(scenario, BOTTLENECK_RNIC, "messages");
    assert_true(found.binds);
    assert_string_equal(found.path, "hosts.defaults.rnic.message-cost");
    assert_string_equal(found.value, "8.13ns");
    assert_string_equal(found.evidence, "inferred");
    assert_int_equal(found.sources, 1);
    assert_int_equal(found.error, confidence_error("inferred", 1));
    assert_true(strstr(found.source, "123 million") != NULL);
    scenario_free(scenario);

    scenario = load("connectx-6-200g", "rdma-read", "");
    found = find(scenario, BOTTLENECK_RNIC, "messages");
    assert_string_equal(found.path, "hosts.defaults.rnic.read-cost");
    assert_int_equal(found.sources, 2);
    scenario_free(scenario);
}

static void a_link_and_a_card_without_limits_bind_nothing(void **state)
{
    (void)state;
    struct scenario *scenario = load("ideal", "rdma-write", "");
    assert_false(find(scenario, BOTTLENECK_LINK, NULL).binds);
    assert_false(find(scenario, BOTTLENECK_RNIC, "messages").binds);
    assert_false(find(scenario, BOTTLENECK_MEDIA, "dies").binds); /* host0 is no target */
    scenario_free(scenario);
}

static void a_value_of_the_scenario_has_no_interval(void **state)
{
    (void)state;
    char text[CONFIDENCE_SENTENCE_BYTES];
    struct scenario *scenario = load("connectx-6-200g", "rdma-write", ", message-cost: 20ns");
    const struct confidence found = find(scenario, BOTTLENECK_RNIC, "messages");
    assert_true(found.binds);
    assert_string_equal(found.evidence, "scenario");
    assert_int_equal(found.error, 0);
    confidence_words(&found, 1e6, text, sizeof text);
    assert_string_equal(text, "");
    scenario_free(scenario);
}

static void the_sentence_has_the_interval(void **state)
{
    (void)state;
    char text[CONFIDENCE_SENTENCE_BYTES];
    struct confidence found = {.binds = true,
                               .path = "hosts.defaults.rnic.message-cost",
                               .value = "8ns",
                               .evidence = "inferred",
                               .source = "",
                               .sources = 1,
                               .error = 250000};
    confidence_words(&found, 5e6, text, sizeof text);
    assert_string_equal(text,
                        "5.00 M IOPS, likely 4.00 M to 6.25 M on hardware: the limit, "
                        "hosts.defaults.rnic.message-cost 8ns, is inferred (1 source); 4 of 5 "
                        "results that depend on an inferred value were within 25% of a "
                        "measurement");
    confidence_words(&found, 0, text, sizeof text);
    assert_string_equal(text, "");
    found.sources = 0;
    found.evidence = "assumed";
    confidence_words(&found, 5e6, text, sizeof text);
    assert_true(strstr(text, " 8ns, is assumed; 4 of 5") != NULL);
    assert_null(strstr(text, "this run"));
    found.causes = 2;
    confidence_words(&found, 5e6, text, sizeof text);
    assert_non_null(strstr(text, "5.00 M IOPS (with the confirmed causes), likely "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_value_is_a_parameter_of_its_section),
        cmocka_unit_test(more_sources_have_no_larger_error),
        cmocka_unit_test(the_value_of_the_station_binds),
        cmocka_unit_test(a_link_and_a_card_without_limits_bind_nothing),
        cmocka_unit_test(a_value_of_the_scenario_has_no_interval),
        cmocka_unit_test(the_sentence_has_the_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
