/* SPDX-License-Identifier: Apache-2.0
 * tool_perftest_json - reads perftest's --out_json: one test, one line of figures.
 *   {"test_info": {"test": "RDMA_Write_BW_Test", "Number_of_qps": 1, "Mtu": 4096, ...},
 *    "results": {"MsgSize": 8, "n_iterations": 5000, "BW_average": 0.17, "MsgRate": 2.63}}
 * It does not contain the unit of BW_average; MsgRate has the same information. */
#include "replay/readings/perftest.h"
#include "scenarios/format/json_tree.h"

#include <string.h>

enum { WORDS_BYTES = 64 };

struct document {
    const struct tool_file *file;
    const struct tree_node *info, *results;
    struct reading_work work;
};

/* A number of an object; false if it is missing or invalid (already reported). */
static bool number_of(const struct document *document, const struct tree_node *map, const char *key,
                      struct reading_number *number)
{
    const struct tree_node *node = tree_want(document->file->diag, map, key, TREE_SCALAR);
    if (node == NULL)
        return false;
    if (reading_number_parse(node->text, strlen(node->text), number))
        return true;
    tree_error(document->file->diag, node, "%s: expected a number such as 12 or 0.99", key);
    return false;
}

static void take_settings(struct document *document)
{
    struct reading_number number;
    for (const struct perftest_setting *setting = perftest_settings; setting->words != NULL;
         setting++) {
        char key[WORDS_BYTES];
        snprintf(key, sizeof key, "%s", setting->words);
        for (char *blank = key; (blank = strchr(blank, ' ')) != NULL;)
            *blank = '_';
        if (!number_of(document, document->info, key, &number))
            continue;
        if (number.value > (double)setting->most || number.step < 1)
            tree_error(document->file->diag, tree_get(document->info, key),
                       "%s: expected a whole number up to %lld", key, (long long)setting->most);
        else
            *(int64_t *)(void *)((char *)&document->work + setting->offset) = (int64_t)number.value;
    }
}

/* The connection is "RC" or not given, so the test is modeled. */
static bool take_words(struct document *document)
{
    struct diag *diag = document->file->diag;
    const struct tree_node *test = tree_want(diag, document->info, "test", TREE_SCALAR);
    const struct tree_node *link = tree_want(diag, document->info, "Link_type", TREE_SCALAR);
    const struct tree_node *kind = tree_want(diag, document->info, "Connection_type", TREE_SCALAR);
    if (test == NULL) {
        if (!diag_failed(diag))
            tree_error(diag, document->info, "test_info: expected the name of a test");
        return false;
    }
    if (!perftest_title(test->text, &document->work) ||
        (kind != NULL && !perftest_connection(kind->text))) {
        tree_error(diag, kind == NULL ? test : kind,
                   "expected a test of WRITE, READ or SEND on connections of kind RC");
        return false;
    }
    document->work.infiniband = link != NULL && strcmp(link->text, "IB") == 0;
    if (document->work.infiniband)
        tree_message(diag, DIAG_WARNING, link, link->place, perftest_infiniband);
    return true;
}

static bool take_bytes(struct document *document)
{
    struct reading_number bytes;
    const struct tree_node *node = tree_get(document->results, "MsgSize");
    if (node != NULL && number_of(document, document->results, "MsgSize", &bytes) &&
        bytes.value >= 1 && bytes.value <= 1e9 && bytes.step >= 1) {
        document->work.bytes = (int64_t)bytes.value;
        return true;
    }
    if (!diag_failed(document->file->diag))
        tree_error(document->file->diag, node == NULL ? document->results : node,
                   "expected MsgSize, the bytes of a message, from 1 to 10^9; perftest leaves it "
                   "out with --output");
    return false;
}

static void take_figures(struct document *document)
{
    struct reading_number rate = {0, 0}, average = {0, 0}, time = {0, 0};
    struct reading reading = {
        .kind = READING_LATENCY, .where = document->results->place, .work = document->work};
    const bool rates = number_of(document, document->results, "MsgRate", &rate);
    const bool agrees = !rates || !number_of(document, document->results, "BW_average", &average) ||
                        perftest_agrees(reading_number_times(rate, 1e6), document->work.bytes,
                                        average, PERFTEST_GBIT) ||
                        perftest_agrees(reading_number_times(rate, 1e6), document->work.bytes,
                                        average, PERFTEST_MIB);
    const bool times = !rates && (number_of(document, document->results, "t_typical", &time) ||
                                  number_of(document, document->results, "t_avg", &time));
    if (diag_failed(document->file->diag))
        return;
    if (!agrees || (rate.value <= 0 && time.value <= 0)) {
        tree_error(document->file->diag, document->results,
                   rates && !agrees ? "BW_average is not MsgRate times MsgSize"
                                    : "expected MsgRate, or t_typical or t_avg, above 0");
        return;
    }
    if (rates)
        reading.kind = READING_RATE;
    reading.rate = reading_number_times(rate, 1e6);
    reading.latency = times ? reading_number_times(time, 1e6) : time;
    perftest_say_settings(document->file, &document->work, document->info->place);
    tool_add(document->file, reading);
}

static void read_output(const struct tool_file *file)
{
    const struct tree_node *root = json_tree(&file->readings->arena, file->file, NULL, file->diag);
    if (root == NULL)
        return;
    struct document document = {.file = file,
                                .info = tree_want(file->diag, root, "test_info", TREE_MAP),
                                .results = tree_want(file->diag, root, "results", TREE_MAP)};
    if (document.info == NULL || document.results == NULL) {
        if (!diag_failed(file->diag))
            tree_error(file->diag, root, "expected test_info and results, as perftest writes them");
        return;
    }
    if (!take_words(&document))
        return;
    take_settings(&document);
    if (take_bytes(&document))
        take_figures(&document);
}

static const char *const perftest_json_marks[] = {"\"test_info\"", NULL};

const struct tool tool_perftest_json = {
    .word = "perftest",
    .about = "the same with --out_json",
    .json = true,
    .marks = perftest_json_marks,
    .read = read_output,
};
