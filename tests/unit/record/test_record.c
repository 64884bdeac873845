/* SPDX-License-Identifier: Apache-2.0
 * test_record - what is in a run database. */
#include "base/drop.h"
#include "replay/database/record_schema.h"
#include "replay/database/words.h"
#include "replay/record/record.h"
#include "replay/record/record_events.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char text[] = "stormglass: 1\n"
                           "name: tiny\n"
                           "about: It's small.\n"
                           "duration: 1ms\n"
                           "fabric:\n"
                           "  topology: {kind: single-switch, hosts: 3}\n"
                           "hosts:\n"
                           "  targets: {where: host1, namespaces: [{media: {kind: null}}]}\n"
                           "workloads:\n"
                           "  - {name: a, kind: nvme, from: host0, to: host1}\n"
                           "  - {name: b, kind: rdma-write, from: [host0, host1], to: host2}\n";

struct fixture {
    struct diag diag;
    struct scenario *scenario;
    char folder[64], path[128];
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    const char *sets[] = {"seed=9"};
    const struct scenario_input input = {
        .name = "tiny.yaml", .text = text, .length = strlen(text), .sets = sets, .set_count = 1};
    fixture->scenario = scenario_load(&input, &fixture->diag);
    if (fixture->scenario == NULL)
        diag_print(&fixture->diag, stderr);
    assert_non_null(fixture->scenario);
    strcpy(fixture->folder, "/tmp/stormglass-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof fixture->path, "%s/run.db", fixture->folder);
    *state = fixture;
    return 0;
}

/* The folder must be empty of all but the database: nothing temporary is left behind. */
static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    unlink(fixture->path);
    char log[160];
    snprintf(log, sizeof log, "%s-wal", fixture->path);
    unlink(log);
    snprintf(log, sizeof log, "%s-shm", fixture->path);
    unlink(log);
    assert_int_equal(rmdir(fixture->folder), 0);
    scenario_free(fixture->scenario);
    free(fixture);
    return 0;
}

static struct record *open_record(const struct fixture *fixture, const char *path,
                                  enum record_level level)
{
    char error[STORE_ERROR_BYTES] = "";
    const struct record_options options = {
        .path = path, .level = level, .until = TIME_NEVER, .threads = 1, .version = "1.2.3"};
    struct record *record = record_open(&options, fixture->scenario, error);
    if (record == NULL)
        fail_msg("%s", error);
    return record;
}

static void assert_text(struct store *store, const char *sql, const char *expected)
{
    char found[1024];
    store_ask_text(store, sql, found, sizeof found);
    assert_string_equal(found, expected);
}

static void scenario_is_in_the_database_from_the_start(void **state)
{
    const struct fixture *fixture = *state;
    struct record *record = open_record(fixture, NULL, RECORD_SUMMARY);
    struct store *store = record_store(record);
    struct store_statement *source =
        store_prepare(store, "SELECT text FROM source WHERE position=0");
    assert_true(store_step(source));
    assert_string_equal(store_column_raw_text(source, 0), text);
    store_finish(source);
    assert_text(store, "SELECT name FROM source WHERE position=0", "tiny.yaml");
    assert_text(store, "SELECT text FROM set_option", "seed=9");
    assert_text(store, "SELECT about FROM meta", "It's small.");
    assert_text(store, "SELECT status FROM meta", "running");
    assert_int_equal(store_ask_int(store, "SELECT seed FROM meta", 0), 9);
    assert_int_equal(store_ask_int(store, "SELECT count(*) FROM node WHERE kind='host'", 0), 3);
    assert_int_equal(store_ask_int(store, "SELECT count(*) FROM port", 0), 6);
    assert_int_equal(store_ask_int(store, "SELECT count(*) FROM workload_pair", 0), 3);
    assert_true(store_ask_int(store, "SELECT count(*) FROM setting", 0) > 20);
    assert_int_equal(store_ask_int(store, "SELECT count(*) FROM v_changed WHERE path='seed'", 0),
                     1);
    assert_int_equal(
        store_ask_int(store, "SELECT count(*) FROM v_changed WHERE set_by='default'", 9), 0);
    assert_true(record_close(record));
}

static void every_view_can_be_read(void **state)
{
    const struct fixture *fixture = *state;
    struct record *record = open_record(fixture, NULL, RECORD_SUMMARY);
    struct store *store = record_store(record);
    struct store_statement *views =
        store_prepare(store, "SELECT name FROM sqlite_schema WHERE type='view'");
    int count = 0;
    for (; store_step(views); count++) {
        char sql[128];
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", store_column_text(views, 0));
        assert_true(store_ask_int(store, sql, -1) >= 0);
        assert_null(store_error(store));
    }
    store_finish(views);
    assert_true(count >= 7);
    assert_true(record_close(record));
}

static void schema_documents_itself(void **state)
{
    const struct fixture *fixture = *state;
    struct record *record = open_record(fixture, NULL, RECORD_SUMMARY);
    assert_int_equal(store_ask_int(record_store(record),
                                   "SELECT count(*) FROM sqlite_schema WHERE name IN"
                                   " ('io','pause_edge','counter') AND sql LIKE '%-- %'",
                                   0),
                     3);
    assert_true(record_close(record));
}

/* What a new database is copied from is what the text of the tables makes. */
static void image_is_what_the_schema_makes(void **state)
{
    static const char *const questions[] = {
        ("SELECT type||' '||name||' '||tbl_name||' '||rootpage||' '||coalesce(sql,'')"
         " FROM sqlite_schema ORDER BY rowid"),
        "PRAGMA application_id", "PRAGMA page_count", "PRAGMA freelist_count",
        "PRAGMA integrity_check"};
    const struct store_beginning made = {.kind = STORE_RUN, .schema = record_schema};
    const struct store_beginning copied = {.kind = STORE_RUN, .image = &record_image};
    char error[STORE_ERROR_BYTES];
    struct store *of_text = store_create(NULL, &made, error);
    struct store *of_image = store_create(NULL, &copied, error);
    (void)state;
    assert_non_null(of_text);
    assert_non_null(of_image);
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        struct store_statement *left = store_prepare(of_text, questions[i]);
        struct store_statement *right = store_prepare(of_image, questions[i]);
        size_t rows = 0;
        for (; store_step(left); rows++) {
            assert_true(store_step(right));
            assert_string_equal(store_column_text(left, 0), store_column_text(right, 0));
        }
        assert_true(!store_step(right) && rows > 0);
        store_finish(left);
        store_finish(right);
    }
    assert_true(store_close(of_text) && store_close(of_image));
}

/* A row is bound by the names of the list, in its order: SQLite reads the text likewise. */
static void columns_are_those_of_the_list(void **state)
{
    static const char *const names[] = {
#define COLUMN(name, text) #name,
#include "replay/database/record_schema.def"
    };
    const struct fixture *fixture = *state;
    struct record *record = open_record(fixture, NULL, RECORD_SUMMARY);
    struct store *store = record_store(record);
    size_t seen = 0;
    for (int i = 0; i < RECORD_TABLES; i++) {
        struct store_statement *columns =
            store_prepare(store, "SELECT name FROM pragma_table_info(?) ORDER BY cid");
        store_bind(columns, 1, STORE_T(record_tables[i].name));
        const size_t end = seen + (size_t)record_tables[i].columns;
        for (; store_step(columns); seen++) {
            assert_true(seen < end);
            assert_string_equal(store_column_text(columns, 0), names[seen]);
        }
        assert_int_equal(seen, end);
        store_finish(columns);
    }
    assert_true(record_close(record));
}

static void levels_choose_what_is_written(void **state)
{
    const struct fixture *fixture = *state;
    static const struct {
        enum record_level level;
        int64_t ios, edges;
    } rows[] = {
        {RECORD_SUMMARY, RECORD_FIRST_IOS, 0},
        {RECORD_COUNTERS, RECORD_FIRST_IOS, 1},
        {RECORD_IOS, 40, 1},
        {RECORD_PACKETS, 40, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct record *record = open_record(fixture, NULL, rows[i].level);
        struct store *store = record_store(record);
        const struct probe_host_io io = {.opcode = 2, .issued_at = 1, .completed_at = 5};
        for (int k = 0; k < 40; k++)
            record_io(record, &io, NULL);
        record_pause(record, &(struct probe_pause){.at = 7, .xoff = true, .egress = UINT16_MAX});
        assert_int_equal(store_ask_int(store, "SELECT count(*) FROM io", -1), rows[i].ios);
        assert_int_equal(store_ask_int(store, "SELECT count(*) FROM pause_edge", -1),
                         rows[i].edges);
        assert_true(record_close(record));
    }
}

static void moments_that_did_not_happen_are_null(void **state)
{
    const struct fixture *fixture = *state;
    struct record *record = open_record(fixture, NULL, RECORD_IOS);
    const struct probe_host_io io = {
        .opcode = 2, .issued_at = 1, .posted_at = 2, .response_at = 8, .completed_at = 9};
    const struct probe_target_io target = {.capsule_at = 3, .media_at = 4, .response_at = 7};
    record_io(record, &io, &target);
    struct store *store = record_store(record);
    assert_text(store, "SELECT operation FROM io", "read");
    assert_int_equal(store_ask_int(store, "SELECT count(*) FROM io WHERE fetch_ps IS NULL", 0), 1);
    assert_int_equal(store_ask_int(store, "SELECT media_ps FROM io", 0), 4);
    assert_true(record_close(record));
}

static void notes_and_detailed_drops_are_bounded(void **state)
{
    const struct fixture *fixture = *state;
    struct record *record = open_record(fixture, NULL, RECORD_SUMMARY);
    for (int i = 0; i < RECORD_EVENTS_MAX + 5; i++)
        record_note(record, i, "host0", "again");
    for (int i = 0; i < RECORD_FIRST_DROPS + 5; i++)
        record_drop(record, &(struct probe_drop){.at = i, .cause = PROBE_DROP_MTU});
    struct store *store = record_store(record);
    assert_int_equal(store_ask_int(store, "SELECT count(*) FROM note", 0), RECORD_NOTES_MAX);
    assert_int_equal(store_ask_int(store, "SELECT count(*) FROM v_event", 0), RECORD_EVENTS_MAX);
    assert_int_equal(store_ask_int(store, "SELECT count(*) FROM drop_event", 0),
                     RECORD_FIRST_DROPS);
    assert_text(store, "SELECT DISTINCT cause FROM drop_event", "mtu");
    assert_true(record_close(record));
}

static void machines_are_numbered_and_their_changes_bounded(void **state)
{
    const struct fixture *fixture = *state;
    uint32_t one = 0, other = 0;
    struct probe_state change = {.machine = "host", .owner = "host0", .qid = -1, .number = &one};
    change.from = "NEW", change.event = "START", change.to = "ADMIN";
    struct record *record = open_record(fixture, NULL, RECORD_SUMMARY);
    record_state(record, &change);
    assert_int_equal(one, 0);
    assert_int_equal(store_ask_int(record_store(record), "SELECT count(*) FROM state_change", -1),
                     0);
    assert_true(record_close(record));
    record = open_record(fixture, NULL, RECORD_COUNTERS);
    record_state(record, &change);
    change.qid = 7, change.number = &other;
    for (int i = 0; i < RECORD_STATES_MAX; i++)
        record_state(record, &change);
    assert_int_equal(one, 1);
    assert_int_equal(other, 2);
    struct store *store = record_store(record);
    assert_int_equal(store_ask_int(store, "SELECT count(*) FROM state_change", 0),
                     RECORD_STATES_MAX);
    assert_text(store, "SELECT owner||from_state||event||to_state FROM v_state WHERE qid IS NULL",
                "host0NEWSTARTADMIN");
    assert_int_equal(
        store_ask_int(store, "SELECT count(*) FROM state_change WHERE number=2 AND qid=7", 0),
        RECORD_STATES_MAX - 1);
    assert_true(record_close(record));
}

static void closed_database_is_one_file_that_opens_read_only(void **state)
{
    const struct fixture *fixture = *state;
    char log[160], error[STORE_ERROR_BYTES];
    assert_true(record_close(open_record(fixture, fixture->path, RECORD_SUMMARY)));
    snprintf(log, sizeof log, "%s-wal", fixture->path);
    assert_int_not_equal(access(log, F_OK), 0);
    struct store *store = store_open(fixture->path, error);
    assert_non_null(store);
    assert_text(store, "SELECT scenario FROM meta", "tiny");
    store_exec(store, "DELETE FROM meta");
    assert_non_null(store_error(store));
    store_close(store);
}

/* The child commits, writes on without committing, and is killed. */
static void killed_writer_leaves_a_valid_database(void **state)
{
    const struct fixture *fixture = *state;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct record *record = open_record(fixture, fixture->path, RECORD_SUMMARY);
        record_note(record, 1, "host0", "safe");
        record_tick(record, true);
        record_note(record, 2, "host0", "lost");
        kill(getpid(), SIGKILL);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    char error[STORE_ERROR_BYTES];
    struct store *store = store_open(fixture->path, error);
    assert_non_null(store);
    assert_text(store, "PRAGMA integrity_check", "ok");
    assert_text(store, "SELECT status FROM meta", "running");
    assert_text(store, "SELECT group_concat(text) FROM note", "safe");
    store_close(store);
    /* A new run of that name does not see the dead one's log. */
    struct record *record = open_record(fixture, fixture->path, RECORD_SUMMARY);
    assert_int_equal(store_ask_int(record_store(record), "SELECT count(*) FROM note", -1), 0);
    assert_true(record_close(record));
}

/* Every call of a run works on it, and none leaves anything. */
static void what_nobody_reads_is_not_kept(void **state)
{
    const struct fixture *fixture = *state;
    char error[STORE_ERROR_BYTES] = "";
    const struct record_options options = {
        .unread = true, .level = RECORD_PACKETS, .until = TIME_NEVER, .version = "1.2.3"};
    struct record *record = record_open(&options, fixture->scenario, error);
    assert_non_null(record);
    record_note(record, 1, "host0", "nobody hears it");
    record_tick(record, true);
    assert_int_equal(store_pending(record_store(record)), 0);
    assert_int_equal(store_ask_int(record_store(record), "SELECT 7", 3), 3);
    assert_null(record_error(record));
    assert_true(record_close(record));
}

static void other_files_are_left_alone(void **state)
{
    const struct fixture *fixture = *state;
    static const char content[] = "stormglass: 1\nname: precious\n";
    FILE *file = fopen(fixture->path, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
    char error[STORE_ERROR_BYTES];
    const struct record_options options = {
        .path = fixture->path, .until = TIME_NEVER, .threads = 1, .version = "1"};
    assert_true(store_is_foreign(fixture->path, STORE_RUN));
    assert_null(record_open(&options, fixture->scenario, error));
    assert_non_null(strstr(error, "not overwritten"));
    assert_null(store_open(fixture->path, error));
    char found[64] = "";
    file = fopen(fixture->path, "r");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found - 1, file), strlen(content));
    fclose(file);
    assert_string_equal(found, content);
}

static void path_that_cannot_be_written_is_an_error_with_its_reason(void **state)
{
    const struct fixture *fixture = *state;
    char path[160], error[STORE_ERROR_BYTES] = "";
    snprintf(path, sizeof path, "%s/no/run.db", fixture->folder);
    const struct record_options options = {
        .path = path, .until = TIME_NEVER, .threads = 1, .version = "1"};
    assert_null(record_open(&options, fixture->scenario, error));
    assert_non_null(strstr(error, "No such file or directory"));
}

static void wrong_sql_is_an_error_that_sticks(void **state)
{
    const struct fixture *fixture = *state;
    struct record *record = open_record(fixture, NULL, RECORD_SUMMARY);
    struct store *store = record_store(record);
    assert_null(store_prepare(store, "SELECT x FROM nowhere"));
    assert_non_null(strstr(store_error(store), "nowhere"));
    assert_null(store_prepare(store, "SELECT 1"));
    record_close(record);
    record = open_record(fixture, NULL, RECORD_SUMMARY);
    assert_null(store_prepare(record_store(record), "SELECT 1; SELECT 2"));
    record_close(record);
}

static void numbers_are_readable(void **state)
{
    (void)state;
    static const struct {
        time_ps time;
        const char *words;
    } times[] = {{0, "0 ps"},
                 {999, "999 ps"},
                 {1000, "1.000 ns"},
                 {15559320, "15.6 us"},
                 {3810 * PS_PER_US, "3.81 ms"},
                 {999999, "1.000 us"},
                 {2 * PS_PER_S, "2.00 s"}};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        assert_string_equal(words_time(times[i].time).text, times[i].words);
    assert_string_equal(words_count(1234567).text, "1,234,567");
    assert_string_equal(words_count(-1234).text, "-1,234");
    assert_string_equal(words_count(0).text, "0");
    assert_string_equal(words_bytes(65536).text, "64.0 KiB");
    assert_string_equal(words_bytes(1023).text, "1023 B");
    assert_string_equal(words_rate(97.25e9).text, "97.2 Gb/s");
    assert_string_equal(words_percent(1, 3).text, "33%");
    assert_string_equal(words_percent(1, 300).text, "0.3%");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_is_in_the_database_from_the_start),
        cmocka_unit_test(every_view_can_be_read),
        cmocka_unit_test(schema_documents_itself),
        cmocka_unit_test(image_is_what_the_schema_makes),
        cmocka_unit_test(columns_are_those_of_the_list),
        cmocka_unit_test(levels_choose_what_is_written),
        cmocka_unit_test(moments_that_did_not_happen_are_null),
        cmocka_unit_test(notes_and_detailed_drops_are_bounded),
        cmocka_unit_test(machines_are_numbered_and_their_changes_bounded),
        cmocka_unit_test(closed_database_is_one_file_that_opens_read_only),
        cmocka_unit_test(killed_writer_leaves_a_valid_database),
        cmocka_unit_test(what_nobody_reads_is_not_kept),
        cmocka_unit_test(other_files_are_left_alone),
        cmocka_unit_test(path_that_cannot_be_written_is_an_error_with_its_reason),
        cmocka_unit_test(wrong_sql_is_an_error_that_sticks),
        cmocka_unit_test(numbers_are_readable),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
