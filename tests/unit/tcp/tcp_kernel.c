/* SPDX-License-Identifier: Apache-2.0
 * tcp_kernel - sockets, the wire, counters. */
#define _GNU_SOURCE /* unshare */
#include "tests/unit/tcp/tcp_kernel.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    MTU = 1500,
    PORT = 4420,
    PACKETS = 4096,
    LIMIT_US = 20000000,
    HERE = 0x0A090001, /* the sockets have this address ... */
    THERE = 0x0A090002 /* ... and the peers of both this one */
};

struct packet {
    int64_t due;
    size_t bytes;
    unsigned char data[MTU];
};

struct talk {
    const struct tcp_exchange *exchange;
    int tun, listener, fds[2];
    struct packet *packets; /* a ring */
    unsigned head, count;
    uint32_t first[2]; /* sequence number of the first byte */
    bool lost;
    int64_t held_until;       /* 0: no data was sent so far */
    size_t at;                /* the message that is being sent */
    uint64_t left;            /* of its bytes */
    uint64_t got[2], due[2];  /* bytes received, and when the next message begins */
    bool ended[2], closed[2]; /* a FIN was read, sent */
    int64_t begun, over;
    unsigned seen; /* packets */
    uint32_t handshake;
};

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* ------------------------------------------------------------------ namespace */

static bool write_setting(const struct tcp_setting *setting)
{
    char path[128];
    snprintf(path, sizeof path, "/proc/sys/net/ipv4/%s", setting->name);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const size_t length = strlen(setting->value);
    const bool written = fd >= 0 && write(fd, setting->value, length) == (ssize_t)length;
    if (fd >= 0)
        close(fd);
    return written;
}

static bool enter_namespace(const struct tcp_exchange *exchange)
{
    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
        return false;
    for (const struct tcp_setting *setting = exchange->settings; setting->name != NULL; setting++)
        if (!write_setting(setting))
            return false;
    return true;
}

static void set_address(struct ifreq *request, uint32_t address)
{
    const struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
    memcpy(&request->ifr_addr, &at, sizeof at);
}

static int open_tun(void)
{
    struct ifreq request = {.ifr_name = "wire"};
    const int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    bool up = tun >= 0 && any >= 0 && ioctl(tun, TUNSETIFF, &request) == 0;
    set_address(&request, HERE);
    up = up && ioctl(any, SIOCSIFADDR, &request) == 0;
    set_address(&request, 0xFFFFFF00);
    up = up && ioctl(any, SIOCSIFNETMASK, &request) == 0;
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    up = up && ioctl(any, SIOCSIFFLAGS, &request) == 0;
    if (any >= 0)
        close(any);
    return up ? tun : -1;
}

/* ------------------------------------------------------------------ the wire */

/* When the packet arrives. */
static int64_t due_of(struct talk *talk, int sender, bool has_data)
{
    const struct tcp_exchange *exchange = talk->exchange;
    const int64_t due = now_us() + exchange->delay_us;
    if (talk->held_until == 0 && sender == 0 && has_data)
        talk->held_until = now_us() + exchange->hold_us;
    return due > talk->held_until ? due : talk->held_until;
}

/* Whether the segment is the one to lose.  Notes the first sequence number of each side, and when
 * the segment arrives. */
static bool is_lost(struct talk *talk, const unsigned char *data, size_t bytes, int64_t *due)
{
    const struct tcp_exchange *exchange = talk->exchange;
    struct iphdr ip;
    struct tcphdr tcp;
    memcpy(&ip, data, sizeof ip);
    memcpy(&tcp, data + ip.ihl * 4, sizeof tcp);
    const int sender = ntohs(tcp.dest) == PORT ? 0 : 1;
    if (talk->seen++ < 3) /* the low bit of the 13th byte is AE, the high bits of the 14th */
        talk->handshake =
            talk->handshake << 3 | (data[ip.ihl * 4 + 12] & 1u) << 2 | data[ip.ihl * 4 + 13] >> 6;
    if (tcp.syn)
        talk->first[sender] = ntohl(tcp.seq) + 1;
    const int64_t from = tcp.syn ? TCP_LOST_SYN : (int32_t)(ntohl(tcp.seq) - talk->first[sender]);
    const int64_t length =
        (int64_t)bytes - ip.ihl * 4 - tcp.doff * 4 + (tcp.syn ? 1 : 0) + (tcp.fin ? 1 : 0);
    *due = due_of(talk, sender, length > 0 && !tcp.syn);
    if (talk->lost || sender != exchange->lost_sender || exchange->lost_byte < from ||
        exchange->lost_byte >= from + length)
        return false;
    talk->lost = true;
    return true;
}

/* Both sockets have the same address, so each packet comes back with its addresses swapped; no
 * checksum depends on their order. */
static void take_packet(struct talk *talk, const unsigned char *data, size_t bytes)
{
    const size_t least = sizeof(struct iphdr) + sizeof(struct tcphdr);
    int64_t due = 0;
    if (bytes < least || data[0] >> 4 != 4 || data[9] != IPPROTO_TCP ||
        is_lost(talk, data, bytes, &due))
        return;
    if (talk->count == PACKETS)
        abort();
    struct packet *packet = &talk->packets[(talk->head + talk->count++) % PACKETS];
    const size_t source = offsetof(struct iphdr, saddr), there = offsetof(struct iphdr, daddr);
    memcpy(packet->data, data, bytes);
    memcpy(packet->data + source, data + there, sizeof(uint32_t));
    memcpy(packet->data + there, data + source, sizeof(uint32_t));
    packet->bytes = bytes;
    packet->due = due;
}

static void move_packets(struct talk *talk)
{
    unsigned char data[MTU];
    for (ssize_t bytes; (bytes = read(talk->tun, data, sizeof data)) > 0;)
        take_packet(talk, data, (size_t)bytes);
    while (talk->count > 0 && talk->packets[talk->head].due <= now_us()) {
        const struct packet *packet = &talk->packets[talk->head];
        if (write(talk->tun, packet->data, packet->bytes) != (ssize_t)packet->bytes)
            abort();
        talk->head = (talk->head + 1) % PACKETS;
        talk->count--;
    }
}

/* ------------------------------------------------------------------ sockets */

static int new_socket(void)
{
    const int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    /* The model's default; that of the machine may be another one. */
    if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5) != 0)
        return -1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static bool begin_to_connect(struct talk *talk)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(HERE)};
    talk->listener = new_socket();
    talk->fds[0] = new_socket();
    talk->fds[1] = -1;
    if (talk->listener < 0 || talk->fds[0] < 0 ||
        bind(talk->listener, (const struct sockaddr *)&at, sizeof at) != 0 ||
        listen(talk->listener, 1) != 0)
        return false;
    at.sin_addr.s_addr = htonl(THERE);
    talk->begun = now_us();
    return connect(talk->fds[0], (const struct sockaddr *)&at, sizeof at) == 0 ||
           errno == EINPROGRESS;
}

static void read_all(struct talk *talk, int side)
{
    static unsigned char dump[1 << 16];
    ssize_t got;
    while ((got = recv(talk->fds[side], dump, sizeof dump, MSG_DONTWAIT)) > 0)
        talk->got[side] += (uint64_t)got;
    if (got == 0)
        talk->ended[side] = true;
}

static void close_side(struct talk *talk, int side)
{
    if (!talk->closed[side])
        shutdown(talk->fds[side], SHUT_WR);
    talk->closed[side] = true;
}

/* Begins the messages that are due, and sends what the buffer takes. */
static void send_messages(struct talk *talk)
{
    static const unsigned char zeros[1 << 16];
    const struct tcp_exchange *exchange = talk->exchange;
    for (;;) {
        while (talk->left > 0) {
            const size_t most = talk->left < sizeof zeros ? talk->left : sizeof zeros;
            const int fd = talk->fds[exchange->messages[talk->at - 1].sender];
            const ssize_t sent = send(fd, zeros, most, MSG_DONTWAIT | MSG_NOSIGNAL);
            if (sent <= 0)
                return;
            talk->left -= (uint64_t)sent;
        }
        if (talk->got[0] < talk->due[0] || talk->got[1] < talk->due[1])
            return;
        if (talk->at == exchange->count)
            break;
        const struct kernel_message *message = &exchange->messages[talk->at++];
        talk->left = message->bytes;
        talk->due[1 - message->sender] += message->bytes;
    }
    close_side(talk, 0);
    if (talk->ended[1])
        close_side(talk, 1);
}

static bool is_connected(struct talk *talk)
{
    if (talk->fds[1] < 0)
        talk->fds[1] = accept4(talk->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return talk->fds[1] >= 0;
}

static void wait_for_more(const struct talk *talk)
{
    struct pollfd fds[4] = {{talk->tun, POLLIN, 0}};
    nfds_t count = 1;
    int64_t us = 100000;
    if (talk->count > 0)
        us = talk->packets[talk->head].due - now_us();
    us = us > 0 ? us : 0;
    if (talk->fds[1] < 0)
        fds[count++] = (struct pollfd){talk->listener, POLLIN, 0};
    for (int side = 0; side < 2 && talk->fds[1] >= 0; side++) {
        const bool sends = talk->left > 0 && talk->exchange->messages[talk->at - 1].sender == side;
        const int events = (talk->ended[side] ? 0 : POLLIN) | (sends ? POLLOUT : 0);
        if (events != 0)
            fds[count++] = (struct pollfd){talk->fds[side], (short)events, 0};
    }
    const struct timespec span = {us / 1000000, us % 1000000 * 1000};
    ppoll(fds, count, &span, NULL);
}

/* ------------------------------------------------------------------ counters */

/* A counter of the namespace: /proc/net/netstat and snmp have a line of names and one of values. */
static uint64_t read_counter(const char *path, const char *group, const char *name)
{
    char names[8192], values[8192];
    FILE *file = fopen(path, "r");
    uint64_t value = 0;
    while (file != NULL && fgets(names, sizeof names, file) != NULL &&
           fgets(values, sizeof values, file) != NULL) {
        char *name_at = NULL, *value_at = NULL;
        const char *word = strtok_r(names, " \n", &name_at);
        const char *number = strtok_r(values, " \n", &value_at);
        if (word == NULL || strcmp(word, group) != 0)
            continue;
        while (word != NULL && number != NULL && strcmp(word, name) != 0) {
            word = strtok_r(NULL, " \n", &name_at);
            number = strtok_r(NULL, " \n", &value_at);
        }
        if (word != NULL && number != NULL)
            value = strtoull(number, NULL, 10);
    }
    if (file != NULL)
        fclose(file);
    return value;
}

static uint64_t tcp_ext(const char *name)
{
    return read_counter("/proc/net/netstat", "TcpExt:", name);
}

bool tcp_kernel_run(const struct tcp_exchange *exchange, struct tcp_outcome *outcome)
{
    struct talk talk = {.exchange = exchange, .over = -1};
    talk.packets = calloc(PACKETS, sizeof *talk.packets);
    if (talk.packets == NULL || !enter_namespace(exchange) || (talk.tun = open_tun()) < 0 ||
        !begin_to_connect(&talk))
        return false;
    while (talk.over < 0 && now_us() < talk.begun + LIMIT_US) {
        wait_for_more(&talk);
        move_packets(&talk);
        if (!is_connected(&talk))
            continue;
        read_all(&talk, 0);
        read_all(&talk, 1);
        send_messages(&talk);
        if (talk.ended[0])
            talk.over = now_us();
    }
    *outcome = (struct tcp_outcome){
        .timeouts = tcp_ext("TCPTimeouts"),
        .probes = tcp_ext("TCPLossProbes"),
        .recoveries = tcp_ext("TCPSackRecovery") + tcp_ext("TCPRenoRecovery"),
        .spurious = tcp_ext("TCPSpuriousRTOs"),
        .undone = tcp_ext("TCPLossUndo"),
        .retransmitted = read_counter("/proc/net/snmp", "Tcp:", "RetransSegs"),
        .handshake = talk.handshake,
        .us = talk.over < 0 ? -1 : talk.over - talk.begun,
    };
    free(talk.packets);
    return true;
}
