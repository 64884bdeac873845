/* SPDX-License-Identifier: Apache-2.0
 * test_output - where outputs lead, what is left behind, who may write. */
#define _GNU_SOURCE
#include "replay/files/name_lock.h"
#include "replay/files/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct output_inputs none;

static char folder[] = "/tmp/stormglass-output-XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    DIR *here = opendir(".");
    for (const struct dirent *entry; here != NULL && (entry = readdir(here)) != NULL;)
        unlink(entry->d_name);
    return here != NULL && closedir(here) == 0 && chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void holds(const char *path, const char *text)
{
    char got[100] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    got[fread(got, 1, sizeof got - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(got, text);
}

static int files(void)
{
    int count = -2;
    DIR *here = opendir(".");
    assert_non_null(here);
    while (readdir(here) != NULL)
        count++;
    closedir(here);
    return count;
}

static void a_file_is_there_whole_or_as_it_was(void **state)
{
    (void)state;
    struct output output;
    put("page", "before");
    assert_true(output_open(&output, "page", &none));
    fputs("half", output.out);
    fflush(output.out);
    holds("page", "before");
    errno = EDOM;
    assert_false(output_end(&output, false));
    assert_int_equal(errno, EDOM);
    holds("page", "before");
    assert_true(output_open(&output, "page", &none));
    fputs("whole", output.out);
    assert_true(output_end(&output, true));
    holds("page", "whole");
    assert_int_equal(files(), 1);
    unlink("page");
}

/* The reason is that of the first write that failed, whatever happened after it. */
static void a_write_that_fails_keeps_its_reason(void **state)
{
    (void)state;
    struct output output;
    symlink("/dev/full", "full");
    assert_true(output_open(&output, "full", &none));
    fputs("text", output.out);
    fflush(output.out);
    errno = EDOM;
    assert_false(output_end(&output, true));
    assert_int_equal(errno, ENOSPC);
    struct stat about;
    assert_int_equal(lstat("full", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    unlink("full");
}

/* Stands before the C library's: a file that takes nothing, and says no reason. */
static bool takes_nothing;

ssize_t write(int descriptor, const void *bytes, size_t count)
{
    errno = takes_nothing ? 0 : errno;
    return takes_nothing ? 0 : syscall(SYS_write, descriptor, bytes, count);
}

static void a_write_that_takes_nothing_has_failed(void **state)
{
    (void)state;
    struct output output;
    assert_true(output_open(&output, "page", &none));
    fputs("text", output.out);
    takes_nothing = true;
    fflush(output.out);
    takes_nothing = false;
    assert_false(output_end(&output, true));
    assert_int_equal(errno, EIO);
    assert_int_equal(files(), 0);
}

static void names_that_cannot_be_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int why;
    } rows[] = {{"", ENOENT},    {"none/page", ENOENT},  {".", EISDIR},       {"new/", EISDIR},
                {"loop", ELOOP}, {"file/page", ENOTDIR}, {"guarded", EACCES}, {"file/", ENOTDIR}};
    put("file", "");
    put("guarded", "");
    chmod("guarded", 0444);
    symlink("loop", "loop");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct output output;
        if (rows[i].why == EACCES && geteuid() == 0)
            continue; /* nothing is guarded against root */
        errno = 0;
        const bool opened = output_open(&output, rows[i].path, &none);
        if (opened || errno != rows[i].why)
            fail_msg("'%s': %s", rows[i].path, opened ? "opened" : strerror(errno));
        assert_false(output_is_possible(rows[i].path));
    }
    assert_int_equal(files(), 3);
    assert_true(output_is_possible("page"));
    assert_int_equal(files(), 3);
    unlink("file");
    unlink("guarded");
    unlink("loop");
}

static void what_is_read_is_not_written(void **state)
{
    (void)state;
    static const char *const reads[] = {NULL, "-", "in.db", "/dev/null"};
    static const struct output_inputs inputs = {reads, sizeof reads / sizeof reads[0]};
    static const struct {
        const char *path;
        bool apart;
    } rows[] = {{"in.db", false},         {"./in.db", false},
                {"alias", false},         {"hard", false},
                {"../in.db", true},       {"in.db-wal", false},
                {"in.db-journal", false}, {"in.db-lock", false},
                {"in.dbx", true},         {"in", true},
                {"/dev/null", true},      {"-", true},
                {"dangling", false},      {"/proc/self/cwd/in.db", false}};
    put("in.db", "read");
    symlink("in.db", "alias");
    symlink("in.db-shm", "dangling");
    assert_int_equal(link("in.db", "hard"), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char why[OUTPUT_WHY_BYTES] = "";
        if (output_is_apart(rows[i].path, &inputs, why) != rows[i].apart)
            fail_msg("%s: '%s'", rows[i].path, why);
        struct output output;
        if (!rows[i].apart && (output_open(&output, rows[i].path, &inputs) || errno != EBUSY))
            fail_msg("%s was opened", rows[i].path);
    }
    char why[OUTPUT_WHY_BYTES] = "";
    assert_false(output_is_apart("./in.db", &inputs, why));
    assert_string_equal(why,
                        "./in.db: this would overwrite the input in.db: expected another name");
    static const struct output_inputs before_it = {reads, 2};
    assert_true(output_is_apart("in.db", &before_it, why));
    holds("in.db", "read");
    unlink("in.db");
    unlink("alias");
    unlink("hard");
    unlink("dangling");
}

/* What looks like a neighbor, and whose lock is free, is of one that was killed. */
static void what_a_killed_writer_left_goes_and_a_living_ones_stays(void **state)
{
    (void)state;
    struct staged_file living, next, other;
    put(".page.stormglass-killed", "half");
    put(".page.stormglass-killed-journal", "of SQLite");
    put(".page.stormglass-toolonger", "not one");
    put(".pages.stormglass-killed", "of another name");
    assert_true(staged_file_create(&living, "page", 0666));
    assert_int_equal(access(".page.stormglass-killed", F_OK), -1);
    assert_int_equal(access(".page.stormglass-killed-journal", F_OK), -1);
    assert_int_equal(access(living.path, F_OK), 0);
    assert_true(staged_file_create(&other, "./page", 0600));
    assert_true(staged_file_create(&next, "page", 0666));
    assert_int_equal(access(living.path, F_OK), 0);
    assert_int_equal(access(other.path, F_OK), 0);
    assert_int_equal(files(), 5);
    staged_file_discard(&living);
    assert_true(staged_file_commit(&next, "page"));
    staged_file_discard(&other);
    assert_int_equal(files(), 3);
    unlink("page");
    unlink(".page.stormglass-toolonger");
    unlink(".pages.stormglass-killed");
}

/* In a process of its own: files of two, one of them done, and a signal. */
static int ended_by(int signal_number, bool ignored)
{
    const pid_t child = fork();
    if (child == 0) {
        struct temporary_file first, second, third;
        signal(signal_number, ignored ? SIG_IGN : SIG_DFL);
        put("first", "");
        put("second", "");
        put("third", "");
        temporary_files_add(&first, "first");
        temporary_files_add(&second, "second");
        temporary_files_add(&third, "third");
        temporary_files_remove(&second);
        raise(signal_number);
        temporary_files_remove(&first);
        temporary_files_remove(&third);
        struct sigaction now;
        sigaction(signal_number, NULL, &now);
        _exit(now.sa_handler == SIG_IGN ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void a_signal_removes_what_is_not_done(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        const int status = ended_by(signals[i], false);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_int_equal(access("first", F_OK), -1);
        assert_int_equal(access("second", F_OK), 0);
        assert_int_equal(access("third", F_OK), -1);
    }
    assert_int_equal(ended_by(SIGHUP, true), 0);
    assert_int_equal(files(), 3);
    unlink("first");
    unlink("second");
    unlink("third");
}

static void a_name_has_one_writer_at_a_time(void **state)
{
    (void)state;
    struct name_lock first, second;
    assert_true(name_lock_take(&first, "run.db"));
    assert_false(name_lock_take(&second, "run.db"));
    assert_int_equal(errno, EWOULDBLOCK);
    assert_true(name_lock_take(&second, "other.db"));
    name_lock_release(&second);
    name_lock_release(&first);
    assert_int_equal(files(), 0);
    put("run.db-lock", ""); /* of one that was killed */
    assert_true(name_lock_take(&first, "run.db"));
    name_lock_release(&first);
    assert_int_equal(files(), 0);
}

/* Its file may be another's by now: then it is not removed. */
static void a_lock_that_lost_its_name_removes_nothing(void **state)
{
    (void)state;
    struct name_lock first, second;
    assert_true(name_lock_take(&first, "run.db"));
    unlink("run.db-lock");
    assert_true(name_lock_take(&second, "run.db"));
    name_lock_release(&first);
    assert_int_equal(access("run.db-lock", F_OK), 0);
    name_lock_release(&second);
    assert_int_equal(files(), 0);
}

/* Stands before the C library's, which is called where a file is made and not yet noted. */
static int signal_meanwhile;

int flock(int descriptor, int operation)
{
    if (signal_meanwhile != 0)
        raise(signal_meanwhile);
    return (int)syscall(SYS_flock, descriptor, operation);
}

static void a_signal_while_a_file_is_made_leaves_nothing(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < 2 * sizeof signals / sizeof signals[0]; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct output output;
            struct name_lock lock;
            signal(signals[i / 2], SIG_DFL);
            signal_meanwhile = signals[i / 2];
            _exit(i % 2 == 0 ? output_open(&output, "page", &none)
                             : name_lock_take(&lock, "run.db"));
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i / 2]);
        assert_int_equal(files(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_there_whole_or_as_it_was),
        cmocka_unit_test(a_write_that_fails_keeps_its_reason),
        cmocka_unit_test(a_write_that_takes_nothing_has_failed),
        cmocka_unit_test(names_that_cannot_be_files_are_refused),
        cmocka_unit_test(what_is_read_is_not_written),
        cmocka_unit_test(what_a_killed_writer_left_goes_and_a_living_ones_stays),
        cmocka_unit_test(a_signal_removes_what_is_not_done),
        cmocka_unit_test(a_signal_while_a_file_is_made_leaves_nothing),
        cmocka_unit_test(a_name_has_one_writer_at_a_time),
        cmocka_unit_test(a_lock_that_lost_its_name_removes_nothing),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
