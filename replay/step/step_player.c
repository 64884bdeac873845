/* SPDX-License-Identifier: Apache-2.0
 * step_player - requests, responses, and fork.
 * Both ends are the same program image, so requests are plain structs, and functions are passed by
 * address. */
#include "replay/step/step_player.h"

#include "base/memory.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum ask { ASK_MOVE, ASK_DIGEST, ASK_MEMORY, ASK_TELL, ASK_DOUBLE };

struct request {
    enum ask ask;
    step_tell *tell;
    struct step_subject subject;
    uint32_t number;
    struct step_goal goal;
};

struct answer {
    bool well;
    struct step_moved moved;
    struct digest digest;
    uint64_t bytes; /* of memory, or of the text that follows */
};

/* ------------------------------------------------------------------ socket */

static bool send_all(int fd, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        const ssize_t sent = send(fd, at, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

static bool receive_all(int fd, void *data, size_t bytes)
{
    char *at = data;
    while (bytes > 0) {
        const ssize_t got = recv(fd, at, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

/* A byte together with a file descriptor. */
union fd_message {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
};

static struct msghdr fd_header(union fd_message *control, struct iovec *vector)
{
    return (struct msghdr){
        .msg_iov = vector,
        .msg_iovlen = 1,
        .msg_control = control->room,
        .msg_controllen = sizeof control->room,
    };
}

static bool send_fd(int over, int fd)
{
    char byte = 0;
    union fd_message control = {0};
    struct iovec vector = {&byte, 1};
    struct msghdr message = fd_header(&control, &vector);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    return sendmsg(over, &message, MSG_NOSIGNAL) == 1;
}

static int receive_fd(int over)
{
    char byte;
    int fd = -1;
    union fd_message control = {0};
    struct iovec vector = {&byte, 1};
    struct msghdr message = fd_header(&control, &vector);
    if (recvmsg(over, &message, MSG_CMSG_CLOEXEC) != 1)
        return -1;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header != NULL && header->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
}

/* ------------------------------------------------------------------ player process */

static bool answer_with_text(const struct stepper *stepper, const struct request *request, int fd)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = memory_stream(&text, &bytes);
    request->tell(stepper, &request->subject, request->number, out);
    memory_stream_end(out);
    const struct answer answer = {.well = true, .bytes = bytes};
    const bool well = send_all(fd, &answer, sizeof answer) && send_all(fd, text, bytes);
    free(text);
    return well;
}

/* In the copy, *fd is its own socket. */
static bool double_myself(int *fd)
{
    struct answer answer = {0};
    const int other = receive_fd(*fd);
    const pid_t child = other < 0 ? -1 : fork();
    if (child == 0) {
        close(*fd);
        *fd = other;
        return true;
    }
    if (other >= 0)
        close(other);
    answer.well = child > 0;
    return send_all(*fd, &answer, sizeof answer);
}

static bool serve(struct stepper *stepper, const struct request *request, int *fd)
{
    struct answer answer = {.well = true};
    struct rusage usage;
    switch (request->ask) {
    case ASK_TELL:
        return answer_with_text(stepper, request, *fd);
    case ASK_DOUBLE:
        return double_myself(fd);
    case ASK_MOVE:
        stepper_move(stepper, &request->goal, &answer.moved);
        break;
    case ASK_DIGEST:
        answer.digest = stepper_digest(stepper);
        break;
    case ASK_MEMORY:
        getrusage(RUSAGE_SELF, &usage);
        answer.bytes = (uint64_t)usage.ru_maxrss * 1024;
        break;
    }
    return send_all(*fd, &answer, sizeof answer);
}

/* A copy continues in the same loop. The player ignores Ctrl-C, which is for the parent. */
static _Noreturn void serve_requests(struct stepper *stepper, int fd)
{
    struct request request;
    signal(SIGINT, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    while (receive_all(fd, &request, sizeof request) && serve(stepper, &request, &fd))
        ;
    _exit(0);
}

/* ------------------------------------------------------------------ parent process */

static bool ask(const struct step_player *player, const struct request *request,
                struct answer *answer)
{
    return send_all(player->fd, request, sizeof *request) &&
           receive_all(player->fd, answer, sizeof *answer) && answer->well;
}

bool step_player_start(struct step_player *player, struct stepper *stepper)
{
    int ends[2];
    *player = (struct step_player){.fd = -1};
    fflush(NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        serve_requests(stepper, ends[1]);
    }
    stepper_free(stepper);
    close(ends[1]);
    *player = (struct step_player){.fd = ends[0], .pid = child};
    return child > 0;
}

void step_player_end(struct step_player *player)
{
    if (player->fd >= 0)
        close(player->fd);
    if (player->pid > 0)
        waitpid(player->pid, NULL, 0);
    *player = (struct step_player){.fd = -1};
}

bool step_player_double(const struct step_player *player, struct step_player *copy)
{
    const struct request request = {.ask = ASK_DOUBLE};
    struct answer answer;
    int ends[2];
    *copy = (struct step_player){.fd = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    const bool well = send_all(player->fd, &request, sizeof request) &&
                      send_fd(player->fd, ends[1]) &&
                      receive_all(player->fd, &answer, sizeof answer) && answer.well;
    close(ends[1]);
    if (well)
        copy->fd = ends[0];
    else
        close(ends[0]);
    return well;
}

bool step_player_move(const struct step_player *player, const struct step_goal *goal,
                      struct step_moved *moved)
{
    const struct request request = {.ask = ASK_MOVE, .goal = *goal};
    struct answer answer;
    const bool well = ask(player, &request, &answer);
    *moved = well ? answer.moved : (struct step_moved){0};
    return well;
}

bool step_player_digest(const struct step_player *player, struct digest *digest)
{
    const struct request request = {.ask = ASK_DIGEST};
    struct answer answer = {0};
    const bool well = ask(player, &request, &answer);
    *digest = answer.digest;
    return well;
}

bool step_player_memory(const struct step_player *player, uint64_t *bytes)
{
    const struct request request = {.ask = ASK_MEMORY};
    struct answer answer = {0};
    const bool well = ask(player, &request, &answer);
    *bytes = answer.bytes;
    return well;
}

bool step_player_tell(const struct step_player *player, step_tell *tell,
                      const struct step_subject *subject, uint32_t number, FILE *out)
{
    const struct request request = {
        .ask = ASK_TELL, .tell = tell, .subject = *subject, .number = number};
    struct answer answer;
    if (!ask(player, &request, &answer))
        return false;
    const size_t bytes = (size_t)answer.bytes;
    char *text = memory_zeroed(bytes, 1);
    const bool well = receive_all(player->fd, text, bytes);
    if (well)
        fwrite(text, 1, bytes, out);
    free(text);
    return well;
}
