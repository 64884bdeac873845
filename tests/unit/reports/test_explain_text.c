/* SPDX-License-Identifier: Apache-2.0
 * test_explain_text - what `explain` prints of further runs: none, one and several. */
#include "reports/explain/account.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct paint paint = {"<b>", "<dim>", "<good>", "<bad>", "</>"};

/* A stream for text, and what was written. */
struct written {
    char *text;
    size_t length;
    FILE *out;
};

static FILE *begin(struct written *written)
{
    written->out = memory_stream(&written->text, &written->length);
    return written->out;
}

static void assert_written(struct written *written, const char *wanted)
{
    memory_stream_end(written->out);
    assert_string_equal(written->text, wanted);
    free(written->text);
}

/* ------------------------------------------------------------------ assumed values */

static void assert_assumed(const struct assumed *of, const char *wanted)
{
    struct written written;
    assumed_text(of, begin(&written), &paint);
    assert_written(&written, wanted);
}

static void no_assumed_value(void **state)
{
    (void)state;
    struct assumed none = {.runs = 1, .felt_count = 1, .verdict = {.cause = "nobody"}};
    none.verdict.limit.resource = BOTTLENECK_LINK;
    assert_assumed(
        &none,
        "\n<b>Assumed values</>\n  the scenario uses no assumed or inferred value\n"
        "  with the unchanged values: bottleneck link; cause none\n"
        "  tested with 1 run: each assumed value halved and doubled, each inferred value 10% less "
        "and 10% more\n  1 value has an effect on the run\n");
    struct written written;
    struct json json;
    json_begin(&json, begin(&written));
    assumed_json(&none, &json);
    json_end(&json);
    assert_written(
        &written,
        "{\n \"schema\": 1,\n \"assumed\": {\"sentence\": \"the scenario uses no assumed or "
        "inferred "
        "value\", \"runs\": 1, \"left_out\": 0, \"expectations_left_out\": 0, \"verdict\": "
        "{\"bottleneck\": \"link\", \"cause\": \"nobody\", \"expectations\": []}, \"values\": "
        "[]}}\n");
}

static const char tested[] = "each assumed value halved and doubled, each inferred value 10% less "
                             "and 10% more";
static struct assumed_value values[2];
static struct assumed assumed;

/* Two values: the first flips everything when halved, and only an expectation when doubled. */
static void give_values(void)
{
    const struct assumed_value given[2] = {
        {.path = "a.b",
         .evidence = "assumed",
         .value = "2",
         .trial_count = 2,
         .flips = true,
         .felt = true},
        {.path = "c", .evidence = "inferred", .source = "a book", .value = "3", .trial_count = 1},
    };
    memcpy(values, given, sizeof values);
    assumed = (struct assumed){.expectations = {"x > 1", "y > 2"},
                               .expectation_count = 2,
                               .unjudged = 1,
                               .verdict = {.cause = "host1", .held = 1},
                               .values = values,
                               .value_count = 2,
                               .flip_count = 1,
                               .felt_count = 0,
                               .left_out = 1,
                               .runs = 5};
    assumed.verdict.limit.resource = BOTTLENECK_ASKED;
    values[0].trials[0] = (struct assumed_trial){
        .value = "1", .played = true, .flips = true, .verdict = {.cause = "host2", .held = 2}};
    values[0].trials[0].verdict.limit.resource = BOTTLENECK_LINK;
    values[0].trials[1] = (struct assumed_trial){
        .value = "4", .played = true, .flips = true, .verdict = {.cause = "host1", .held = 3}};
    values[0].trials[1].verdict.limit.resource = BOTTLENECK_ASKED;
    values[1].trials[0] = (struct assumed_trial){.value = "2.7"};
}

/* The first flips the cause alone, the second an expectation. */
static void give_others(void)
{
    give_values();
    assumed.flip_count = 2;
    values[0].trials[0].verdict = assumed.verdict;
    snprintf(values[0].trials[0].verdict.cause, MEASURE_CAUSE_BYTES, "host3");
    values[1].trials[0].flips = true;
    values[1].trials[0].verdict = assumed.verdict;
    values[1].trials[0].verdict.held = 0;
    assumed.left_out = assumed.unjudged = 2;
}

/* Expectations alone, each parted from the one before. */
static void expectations_alone_are_parted(void **state)
{
    (void)state;
    give_values();
    values[0].trials[0].verdict = assumed.verdict;
    values[0].trials[0].verdict.held = 2;
    struct written written;
    assumed_text(&assumed, begin(&written), &paint);
    memory_stream_end(written.out);
    assert_non_null(
        strstr(written.text, "a.b is 2 (assumed): with 1, x > 1 fails, y > 2 passes\n"));
    free(written.text);
}

static void flips_are_listed(void **state)
{
    (void)state;
    char wanted[2048];
    give_values();
    snprintf(wanted, sizeof wanted,
             "\n<b>Assumed values</>\n  1 of 2 assumed or inferred values changes the bottleneck, "
             "the cause or the result of an expectation\n"
             "  with the unchanged values: bottleneck offered load; cause host1\n"
             "  tested with 5 runs: %s\n  0 values have an effect on the run\n"
             "  a.b is 2 (assumed): with 1, the bottleneck is link, the cause is host2, x > 1 "
             "fails, y > 2 passes\n"
             "  a.b is 2 (assumed): with 4, y > 2 passes\n"
             "  1 more value was not tested\n"
             "  the last 1 expectation of the scenario was not evaluated\n",
             tested);
    assert_assumed(&assumed, wanted);

    give_others();
    snprintf(wanted, sizeof wanted,
             "\n<b>Assumed values</>\n  2 of 2 assumed or inferred values change the bottleneck, "
             "the cause or the result of an expectation\n"
             "  with the unchanged values: bottleneck offered load; cause host1\n"
             "  tested with 5 runs: %s\n  0 values have an effect on the run\n"
             "  a.b is 2 (assumed): with 1, the cause is host3\n"
             "  a.b is 2 (assumed): with 4, y > 2 passes\n"
             "  c is 3 (inferred): with 2.7, x > 1 fails\n"
             "  2 more values were not tested\n"
             "  the last 2 expectations of the scenario were not evaluated\n",
             tested);
    assert_assumed(&assumed, wanted);

    assumed.flip_count = assumed.left_out = assumed.unjudged = 0;
    snprintf(wanted, sizeof wanted,
             "\n<b>Assumed values</>\n  none of 2 assumed or inferred values changes the "
             "bottleneck, the cause or the result of an expectation\n"
             "  with the unchanged values: bottleneck offered load; cause host1\n"
             "  tested with 5 runs: %s\n  0 values have an effect on the run\n",
             tested);
    assert_assumed(&assumed, wanted);
}

static void values_are_objects(void **state)
{
    (void)state;
    char wanted[2048];
    give_others();
    assumed.flip_count = assumed.left_out = assumed.unjudged = 0;
    struct written written;
    struct json json;
    json_begin(&json, begin(&written));
    assumed_json(&assumed, &json);
    json_end(&json);
    char offered[64];
    snprintf(offered, sizeof offered, "%s", bottleneck_word(BOTTLENECK_ASKED));
    snprintf(
        wanted, sizeof wanted,
        "{\n \"schema\": 1,\n \"assumed\": {\"sentence\": \"none of 2 assumed or inferred "
        "values changes the bottleneck, the cause or the result of an expectation\", \"runs\": "
        "5, \"left_out\": 0, \"expectations_left_out\": 0, \"verdict\": {\"bottleneck\": "
        "\"%s\", \"cause\": \"host1\", \"expectations\": [{\"held\": true}, {\"held\": "
        "false}]}, \"values\": [{\"path\": \"a.b\", \"value\": \"2\", \"evidence\": "
        "\"assumed\", \"sources\": 0, \"error\": null, \"source\": \"\", \"matters\": true, "
        "\"flips\": true, \"trials\": "
        "[{\"value\": \"1\", \"played\": true, \"flips\": true, \"bottleneck\": \"%s\", "
        "\"cause\": \"host3\", \"expectations\": [{\"held\": true}, {\"held\": false}]}, "
        "{\"value\": \"4\", \"played\": true, \"flips\": true, \"bottleneck\": \"%s\", "
        "\"cause\": \"host1\", \"expectations\": [{\"held\": true}, {\"held\": true}]}]}, "
        "{\"path\": \"c\", \"value\": \"3\", \"evidence\": \"inferred\", \"sources\": 0, "
        "\"error\": null, \"source\": \"a "
        "book\", \"matters\": false, \"flips\": false, \"trials\": [{\"value\": \"2.7\", "
        "\"played\": false, \"flips\": true}]}]}}\n",
        offered, offered, offered);
    assert_written(&written, wanted);
}

/* ------------------------------------------------------------------ what if */

static void assert_whatif(const struct whatif *of, const char *wanted)
{
    struct written written;
    whatif_text(of, begin(&written), &paint);
    assert_written(&written, wanted);
}

static void assert_whatif_json(const struct whatif *of, const char *wanted)
{
    struct written written;
    struct json json;
    json_begin(&json, begin(&written));
    whatif_json(of, &json);
    json_end(&json);
    assert_written(&written, wanted);
}

static void nothing_gains(void **state)
{
    (void)state;
    struct whatif none = {.seeds = 1, .runs = 1, .judged = "j"};
    assert_whatif(&none,
                  "\n<b>What if</>\n  change of goodput if one resource had 10% more capacity (1 "
                  "run with up to 1 seed)\n  no resource gains anything: the offered load is the "
                  "limit\n");
    char wanted[1024];
    snprintf(wanted, sizeof wanted,
             "{\n \"schema\": 1,\n \"what_if\": {\"of\": \"goodput_bps\", \"seeds\": 1, \"runs\": "
             "1, \"bottleneck\": \"j\", \"limit\": \"%s\", \"next\": null, \"reliefs\": [], "
             "\"expectations\": []}}\n",
             bottleneck_word(BOTTLENECK_ASKED));
    assert_whatif_json(&none, wanted);
    none.open = true;
    none.runs = none.seeds = 2;
    assert_whatif(&none,
                  "\n<b>What if</>\n  change of mean latency if one resource had 10% more capacity "
                  "(2 runs with up to 2 seeds)\n  no resource gains anything: the offered load is "
                  "the limit\n");
}

static struct whatif_row rows[4];
static struct whatif whatif;

static void give_rows(void)
{
    static const char *names[] = {"w", "v"};
    static struct whatif_gain gains[4][2] = {{{0.5, 0, true}, {0.004, 0, false}},
                                             {{0.005, 0, false}, {-0.02, 0, false}},
                                             {{0, 0, false}, {0.1, 0, true}},
                                             {{0, 0, false}, {0, 0, false}}};
    const struct whatif_row given[4] = {
        {.resource = BOTTLENECK_LINK,
         .other = BOTTLENECK_RESOURCES,
         .words = "rate 110 Gb/s",
         .seeds = 2,
         .gain = {0.091, 0.0123, true},
         .without_limit = {0.5, 0, true},
         .played_limitless = true,
         .workloads = gains[0]},
        {.resource = BOTTLENECK_DEPTH,
         .other = BOTTLENECK_RESOURCES,
         .words = "not shown",
         .seeds = 1,
         .gain = {0.0099, 0, false},
         .workloads = gains[1]},
        {.resource = BOTTLENECK_LINK,
         .other = BOTTLENECK_DEPTH,
         .words = "",
         .seeds = 2,
         .gain = {0.01, 0, false},
         .workloads = gains[2]},
        {.resource = BOTTLENECK_MEDIA,
         .other = BOTTLENECK_RESOURCES,
         .words = "",
         .seeds = 2,
         .gain = {-0.0101, 0, false},
         .workloads = gains[3]},
    };
    memcpy(rows, given, sizeof rows);
    whatif = (struct whatif){.seeds = 2,
                             .runs = 9,
                             .rows = rows,
                             .row_count = 4,
                             .judged = "judged",
                             .next = "the next one",
                             .needs = {{.text = "w.goodput > 1",
                                        .resource = BOTTLENECK_LINK,
                                        .permille = 1250,
                                        .words = "rate 125 Gb/s"},
                                       {.text = "v.failed == 0", .resource = BOTTLENECK_RESOURCES}},
                             .need_count = 2,
                             .workloads = names,
                             .workload_count = 2};
}

static void gains_are_rows(void **state)
{
    (void)state;
    give_rows();
    const char *link = bottleneck_word(BOTTLENECK_LINK), *depth = bottleneck_word(BOTTLENECK_DEPTH);
    const char *media = bottleneck_word(BOTTLENECK_MEDIA);
    char wanted[2048], pair[64];
    snprintf(pair, sizeof pair, "%s and %s", link, depth);
    snprintf(
        wanted, sizeof wanted,
        "\n<b>What if</>\n  change of goodput if one resource had 10%% more capacity (9 runs "
        "with up to 2 seeds)\n"
        "  %-20s    +9.1%% (+-1.2%%), if unlimited +50.0%%; by workload: w +50.0%%, v no gain\n"
        "                       rate 110 Gb/s\n"
        "  %-20s  no gain (one seed)\n"
        "  %-20s    +1.0%%; by workload: w no gain, v +10.0%%\n"
        "  %-20s    -1.0%%\n"
        "  next bottleneck      the next one\n"
        "  expectation w.goodput > 1: passes with 1.25 times the %s capacity (rate 125 Gb/s)\n"
        "  expectation v.failed == 0: no single resource makes it pass\n",
        link, depth, pair, media, link);
    assert_whatif(&whatif, wanted);
    whatif.workload_count = 1; /* the total says all */
    whatif.need_count = 0;
    whatif.row_count = 1;
    snprintf(wanted, sizeof wanted,
             "\n<b>What if</>\n  change of goodput if one resource had 10%% more capacity (9 runs "
             "with up to 2 seeds)\n  %-20s    +9.1%% (+-1.2%%), if unlimited +50.0%%\n"
             "                       rate 110 Gb/s\n  next bottleneck      the next one\n",
             link);
    assert_whatif(&whatif, wanted);
}

static void gains_are_objects(void **state)
{
    (void)state;
    give_rows();
    const char *link = bottleneck_word(BOTTLENECK_LINK), *depth = bottleneck_word(BOTTLENECK_DEPTH);
    char wanted[2048];
    whatif.workload_count = 1;
    whatif.need_count = 0;
    whatif.next[0] = '\0';
    whatif.row_count = 3;
    rows[0].gain.some = false; /* of all of them alone */
    rows[2].gain.some = true;
    snprintf(wanted, sizeof wanted,
             "{\n \"schema\": 1,\n \"what_if\": {\"of\": \"goodput_bps\", \"seeds\": 2, \"runs\": "
             "9, \"bottleneck\": \"judged\", \"limit\": \"%s\", \"next\": null, \"reliefs\": "
             "[{\"resource\": \"%s\", \"settings\": \"rate 110 Gb/s\", \"gain\": {\"mean\": 0.091, "
             "\"error\": 0.0123, \"counts\": false}, \"without_limit\": {\"mean\": 0.5, \"error\": "
             "0.0, \"counts\": true}, \"workloads\": [{\"name\": \"w\", \"gain\": {\"mean\": 0.5, "
             "\"error\": 0.0, \"counts\": true}}]}, {\"resource\": \"%s\", \"settings\": \"not "
             "shown\", \"gain\": {\"mean\": 0.0099, \"error\": 0.0, \"counts\": false}, "
             "\"workloads\": [{\"name\": \"w\", \"gain\": {\"mean\": 0.005, \"error\": 0.0, "
             "\"counts\": false}}]}, {\"resource\": \"%s\", \"with\": \"%s\", \"settings\": \"\", "
             "\"gain\": {\"mean\": 0.01, \"error\": 0.0, \"counts\": true}, \"workloads\": "
             "[{\"name\": \"w\", \"gain\": {\"mean\": 0.0, \"error\": 0.0, \"counts\": false}}]}], "
             "\"expectations\": []}}\n",
             link, link, depth, link, depth);
    assert_whatif_json(&whatif, wanted);
    whatif.row_count = 0;
    whatif.need_count = 2;
    snprintf(wanted, sizeof wanted,
             "{\n \"schema\": 1,\n \"what_if\": {\"of\": \"goodput_bps\", \"seeds\": 2, \"runs\": "
             "9, \"bottleneck\": \"judged\", \"limit\": \"%s\", \"next\": null, \"reliefs\": [], "
             "\"expectations\": [{\"text\": \"w.goodput > 1\", \"resource\": \"%s\", \"times\": "
             "1.25, \"settings\": \"rate 125 Gb/s\"}, {\"text\": \"v.failed == 0\", \"resource\": "
             "null}]}}\n",
             bottleneck_word(BOTTLENECK_ASKED), link);
    assert_whatif_json(&whatif, wanted);
}

/* ------------------------------------------------------------------ the longest queue */

static void assert_queue(const struct queued *queued, const char *wanted)
{
    struct written written;
    queued_text(queued, begin(&written), &paint);
    assert_written(&written, wanted);
}

static void flows_of_the_longest_queue(void **state)
{
    (void)state;
    struct queued_flow flows[18];
    for (uint32_t i = 0; i < 18; i++)
        flows[i] = (struct queued_flow){
            .from = "a", .to = "b", .qpn = 10 + i, .workload = "w", .bytes = 1024, .frames = 2};
    struct queued queued = {.place = {.priority = 3},
                            .port = "leaf0:p1",
                            .at = 5000000,
                            .flows = flows,
                            .flow_count = 1,
                            .frames = 1};
    assert_queue(&queued,
                 "\n<b>Queue at its worst moment</>\n  no frame ever waited in a switch queue\n");
    struct written written;
    struct json json;
    json_begin(&json, begin(&written));
    queued_json(&queued, &json);
    json_end(&json);
    assert_written(&written, "{\n \"schema\": 1,\n \"queue\": null}\n");

    queued.bytes = 1024;
    flows[0].frames = 1;
    assert_queue(&queued, "\n<b>Queue at its worst moment</>\n"
                          "  leaf0:p1 priority 3 at 5.00 us: 1.000 KiB in 1 frame of 1 flow\n"
                          "   100%  w                a -> b, QP 10: 1.000 KiB in 1 frame\n");
    flows[0].workload[0] = '\0';
    queued.bytes = 4096;
    queued.frames = 5;
    queued.flow_count = 2;
    assert_queue(&queued, "\n<b>Queue at its worst moment</>\n"
                          "  leaf0:p1 priority 3 at 5.00 us: 4.00 KiB in 5 frames of 2 flows\n"
                          "    25%  (none)           a -> b, QP 10: 1.000 KiB in 1 frame\n"
                          "    25%  w                a -> b, QP 11: 1.000 KiB in 2 frames\n");
    json_begin(&json, begin(&written));
    queued_json(&queued, &json);
    json_end(&json);
    assert_written(&written,
                   "{\n \"schema\": 1,\n \"queue\": {\"port\": \"leaf0:p1\", \"priority\": 3, "
                   "\"at_ps\": 5000000, \"bytes\": 4096, \"frames\": 5, \"flows\": [{\"workload\": "
                   "null, \"from\": \"a\", \"to\": \"b\", \"qpn\": 10, \"bytes\": 1024, "
                   "\"frames\": 1, \"share\": 0.25}, {\"workload\": \"w\", \"from\": \"a\", "
                   "\"to\": \"b\", \"qpn\": 11, \"bytes\": 1024, \"frames\": 2, \"share\": "
                   "0.25}]}}\n");
    /* Sixteen are listed. */
    for (uint32_t count = 15; count <= 18; count++) {
        queued.flow_count = count;
        queued_text(&queued, begin(&written), &paint);
        memory_stream_end(written.out);
        char last[32], rest[64];
        snprintf(last, sizeof last, "QP %u:", count < 16 ? 10 + count - 1 : 25);
        snprintf(rest, sizeof rest, "  ... and %u more (--json lists all)\n", count - 16);
        assert_non_null(strstr(written.text, last));
        assert_null(strstr(written.text, "QP 26:"));
        if (count > 16)
            assert_non_null(strstr(written.text, rest));
        else
            assert_null(strstr(written.text, "more"));
        free(written.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_assumed_value),
        cmocka_unit_test(flips_are_listed),
        cmocka_unit_test(expectations_alone_are_parted),
        cmocka_unit_test(values_are_objects),
        cmocka_unit_test(nothing_gains),
        cmocka_unit_test(gains_are_rows),
        cmocka_unit_test(gains_are_objects),
        cmocka_unit_test(flows_of_the_longest_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
