/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/read/watch_devices.h"

#include "base/memory.h"
#include "cli/cli.h"
#include "replay/run/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NAME_BYTES = 256, PATH_BYTES = 512, WORDS_MAX = 8 };

extern char **environ;

/* A session that is being written. */
struct session {
    FILE *out;
    char host[NAME_BYTES];
    char *text;
    size_t length;
};

/* ---- commands ---- */

/* cron's PATH lacks the directories of the system's commands. */
static int spawn(pid_t *child, const char *const *words, posix_spawn_file_actions_t *actions)
{
    static const char *const folders[] = {"", "/usr/sbin/", "/sbin/"};
    char path[PATH_BYTES];
    int error = ENOENT;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && error == ENOENT; i++) {
        snprintf(path, sizeof path, "%s%s", folders[i], words[0]);
        error = posix_spawnp(child, path, actions, NULL, (char *const *)(uintptr_t)words, environ);
    }
    return error;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Copies what the command prints; false: it has not ended in time, or prints too much.  A signal,
 * for example SIGCONT, ends poll but not the time: read would wait without a limit. */
static bool copy_output(int from, int64_t until_ms, FILE *out)
{
    char bytes[4096];
    size_t total = 0;
    for (;;) {
        struct pollfd wanted = {.fd = from, .events = POLLIN};
        const int64_t left = until_ms - now_ms();
        if (left <= 0 || stop_asked() != 0)
            return false;
        const int ready = poll(&wanted, 1, (int)left);
        if (ready == 0 || (ready < 0 && errno != EINTR))
            return false;
        if (ready < 0)
            continue;
        const ssize_t got = read(from, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        total += (size_t)got;
        if (total > INCIDENT_FILE_BYTES_MAX / 2)
            return false;
        fwrite(bytes, 1, (size_t)got, out);
    }
}

static void complain(const char *const *words, const char *why)
{
    char command[PATH_BYTES] = "";
    for (size_t i = 0; words[i] != NULL; i++)
        snprintf(command + strlen(command), sizeof command - strlen(command), "%s%s",
                 i == 0 ? "" : " ", words[i]);
    cli_error("watch: %s: %s", command, why);
}

/* A command may close its output and go on: it has the rest of the time.  False: it was killed. */
static bool wait_for(pid_t child, int64_t until_ms, int *status)
{
    for (;;) {
        const pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child)
            return true;
        if ((ended < 0 && errno != EINTR) || now_ms() >= until_ms || stop_asked() != 0)
            break;
        nanosleep(&(const struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
    }
    kill(child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
    return false;
}

/* No other child keeps the ends open. */
static bool open_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0)
        return true;
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    errno = error;
    return false;
}

static bool run_command(const char *const *words, FILE *out)
{
    int ends[2], status = 0;
    pid_t child;
    posix_spawn_file_actions_t actions;
    const int64_t until_ms = now_ms() + WATCH_DEVICE_SECONDS * 1000;
    if (!open_pipe(ends)) {
        complain(words, strerror(errno));
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    const int error = spawn(&child, words, &actions);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    const bool copied = error == 0 && copy_output(ends[0], until_ms, out);
    close(ends[0]);
    const bool ended = error == 0 && wait_for(child, copied ? until_ms : now_ms(), &status);
    if (error != 0)
        complain(words, strerror(error));
    else if (stop_asked() == 0 && (!copied || !ended))
        complain(words, "the command did not end, or printed more than 4 MiB");
    else if (copied && ended && status != 0)
        complain(words, "the command failed");
    return copied && ended && status == 0;
}

/* ---- sessions ---- */

static void begin_session(struct session *session)
{
    char date[64];
    struct tm parts;
    const time_t now = time(NULL);
    session->out = memory_stream(&session->text, &session->length);
    if (gethostname(session->host, sizeof session->host - 1) != 0 || session->host[0] == '\0')
        snprintf(session->host, sizeof session->host, "localhost");
    gmtime_r(&now, &parts);
    strftime(date, sizeof date, "%a %b %e %H:%M:%S UTC %Y", &parts);
    fprintf(session->out, "%s$ date\n%s\n", session->host, date);
}

static void end_session(struct session *session, struct arena *arena, const char *name,
                        struct incident_text *text)
{
    memory_stream_end(session->out);
    *text = (struct incident_text){name, arena_text(arena, session->text, session->length),
                                   session->length};
    free(session->text);
}

static bool add_command(struct session *session, const char *const *words)
{
    fprintf(session->out, "%s$", session->host);
    for (size_t i = 0; words[i] != NULL; i++)
        fprintf(session->out, " %s", words[i]);
    fputc('\n', session->out);
    const bool well = run_command(words, session->out);
    fputc('\n', session->out);
    return well;
}

/* As `grep .` prints files of one number each. */
static void add_files(struct session *session, const char *pattern)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++) {
            char number[64] = "";
            FILE *file = fopen(found.gl_pathv[i], "re");
            if (file == NULL)
                continue;
            if (fgets(number, sizeof number, file) != NULL)
                fprintf(session->out, "%s:%s", found.gl_pathv[i], number);
            fclose(file);
        }
    globfree(&found);
}

/* ---- devices ---- */

bool watch_is_device(const char *name)
{
    char path[PATH_BYTES];
    struct stat status;
    if (*name == '\0' || *name == '-' || strchr(name, '/') != NULL || strcmp(name, ".") == 0 ||
        strcmp(name, "..") == 0)
        return false;
    return snprintf(path, sizeof path, "/sys/class/net/%s", name) < PATH_BYTES &&
           stat(path, &status) == 0;
}

bool watch_device(struct arena *arena, const char *device, struct incident_text *text)
{
    char pattern[PATH_BYTES];
    const char *const words[] = {"ethtool", "-S", device, NULL};
    struct session session;
    begin_session(&session);
    const bool well = add_command(&session, words);
    fprintf(session.out, "%s$ grep . hw_counters/*\n", session.host);
    snprintf(pattern, sizeof pattern, "/sys/class/net/%s/device/infiniband/*/ports/*/hw_counters/*",
             device);
    add_files(&session, pattern);
    end_session(&session, arena, arena_format(arena, "ethtool -S %s", device), text);
    return well;
}

bool watch_sonic(struct arena *arena, struct incident_text *text)
{
    static const char *const commands[][WORDS_MAX] = {
        {"show", "pfc", "counters"},
        {"show", "queue", "counters"},
        {"show", "priority-group", "drop", "counters"},
        {"show", "interfaces", "counters"},
        {"show", "pfcwd", "stats"},
        {"show", "lldp", "table"},
    };
    struct session session;
    bool well = true;
    begin_session(&session);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0] && well; i++)
        well = add_command(&session, commands[i]);
    end_session(&session, arena, "SONiC", text);
    return well;
}
