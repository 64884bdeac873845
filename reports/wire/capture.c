/* SPDX-License-Identifier: Apache-2.0
 * capture - libpcap with names, limits and messages. */
#include "reports/wire/capture.h"

#include "base/memory.h"
#include "replay/files/lazy.h"
#include "replay/files/zip.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

enum { UNPACKED_MAX = 1 << 30, ETHERNET_BYTES = 14 };

#define FUNCTIONS(F)                                                                               \
    F(pcap_fopen_offline_with_tstamp_precision)                                                    \
    F(pcap_datalink) F(pcap_datalink_val_to_name) F(pcap_next_ex) F(pcap_geterr) F(pcap_close)

static struct {
    FUNCTIONS(LAZY_POINTER)
} library;

static const struct lazy_function functions[] = {FUNCTIONS(LAZY_FUNCTION)};

/* Layout of a link type's header. */
struct link {
    int number;
    size_t header; /* bytes before the network layer */
    size_t type;   /* offset of the EtherType; NO_TYPE: always IP */
    size_t source; /* offset of the sender's address; NO_TYPE: none */
};

#define NO_TYPE SIZE_MAX

/* Source: LINKTYPE_LINUX_SLL, LINKTYPE_LINUX_SLL2 (tcpdump.org/linktypes). */
static const struct link links[] = {
    {DLT_EN10MB, ETHERNET_BYTES, 12, 6},
    {DLT_LINUX_SLL, 16, 14, 6},
    {DLT_LINUX_SLL2, 20, 0, 12},
    {DLT_RAW, 0, NO_TYPE, NO_TYPE},
};

struct capture {
    pcap_t *pcap;
    const struct link *link;
    char *unpacked; /* contents of a compressed file */
    uint64_t frames;
    char name[256];
    char note[320];
    uint8_t frame[CAPTURE_FRAME_MAX + ETHERNET_BYTES];
};

static const struct link *find_link(int number)
{
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        if (links[i].number == number)
            return &links[i];
    return NULL;
}

/* Returns a stream of the decompressed data in memory; takes over the compressed stream. */
static FILE *unpack(FILE *packed, struct capture *capture, char why[CAPTURE_WHY_BYTES])
{
    char reason[ZIP_WHY_BYTES] = "";
    size_t count = 0;
    capture->unpacked = zip_unpack(packed, UNPACKED_MAX, &count, reason);
    fclose(packed);
    if (capture->unpacked == NULL) {
        snprintf(why, CAPTURE_WHY_BYTES, "%.200s: %.200s", capture->name, reason);
        return NULL;
    }
    return fmemopen(capture->unpacked, count, "rb");
}

static bool open_stream(struct capture *capture, FILE *stream, char why[CAPTURE_WHY_BYTES])
{
    char error[PCAP_ERRBUF_SIZE] = "";
    capture->pcap =
        library.pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, error);
    if (capture->pcap == NULL) {
        fclose(stream);
        snprintf(why, CAPTURE_WHY_BYTES,
                 "%.200s: expected a pcap or pcapng file, or one that gzip packed: %.200s",
                 capture->name, error);
        return false;
    }
    const int number = library.pcap_datalink(capture->pcap);
    const char *name = library.pcap_datalink_val_to_name(number);
    capture->link = find_link(number);
    if (capture->link == NULL)
        snprintf(
            why, CAPTURE_WHY_BYTES,
            "%.200s: link type %d (%.40s) is not understood: expected a capture of an Ethernet "
            "interface or of tcpdump -i any",
            capture->name, number, name != NULL ? name : "unknown");
    return capture->link != NULL;
}

struct capture *capture_of_stream(FILE *stream, const char *name, char why[CAPTURE_WHY_BYTES])
{
    if (library.pcap_close == NULL)
        lazy_need(lazy_pcap, functions, sizeof functions / sizeof functions[0]);
    struct capture *capture = memory_zeroed(1, sizeof *capture);
    snprintf(capture->name, sizeof capture->name, "%s", name);
    const int first = getc(stream);
    ungetc(first, stream);
    if (first == ZIP_MAGIC)
        stream = unpack(stream, capture, why);
    if (stream != NULL && open_stream(capture, stream, why))
        return capture;
    capture_close(capture);
    return NULL;
}

struct capture *capture_open(const char *path, char why[CAPTURE_WHY_BYTES])
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        snprintf(why, CAPTURE_WHY_BYTES, "%.200s: %s", path, strerror(errno));
        return NULL;
    }
    return capture_of_stream(stream, path, why);
}

/* Converts the frame to Ethernet. A frame shorter than its link header is left unchanged. */
static void as_ethernet(struct capture *capture, struct capture_frame *frame)
{
    static const uint8_t ipv4[2] = {0x08, 0x00};
    const struct link *link = capture->link;
    if (link->number == DLT_EN10MB || frame->count < link->header)
        return;
    uint8_t *out = capture->frame;
    memset(out, 0, ETHERNET_BYTES);
    if (link->source != NO_TYPE)
        memcpy(out + 6, frame->bytes + link->source, 6);
    memcpy(out + 12, link->type != NO_TYPE ? frame->bytes + link->type : ipv4, 2);
    memcpy(out + ETHERNET_BYTES, frame->bytes + link->header, frame->count - link->header);
    frame->bytes = out;
    frame->count = frame->count - link->header + ETHERNET_BYTES;
    frame->length = frame->length - link->header + ETHERNET_BYTES;
}

/* libpcap's message for a file that ends within a record: "truncated dump file; ...", "truncated
 * pcapng dump file; ...". */
static bool is_cut(const char *wrong)
{
    return strncmp(wrong, "truncated ", 10) == 0 && strstr(wrong, "dump file;") != NULL;
}

bool capture_next(struct capture *capture, struct capture_frame *frame, char why[CAPTURE_WHY_BYTES])
{
    struct pcap_pkthdr *header = NULL;
    const u_char *bytes = NULL;
    why[0] = '\0';
    const int got = library.pcap_next_ex(capture->pcap, &header, &bytes);
    if (got == PCAP_ERROR_BREAK)
        return false;
    const char *wrong = got != 1                             ? library.pcap_geterr(capture->pcap)
                        : header->caplen > CAPTURE_FRAME_MAX ? "longer than any Ethernet frame"
                        : header->caplen > header->len ? "captured length exceeds frame length"
                        : capture->frames == CAPTURE_FRAMES_MAX ? "too many frames"
                                                                : NULL;
    if (wrong != NULL && is_cut(wrong)) {
        snprintf(capture->note, sizeof capture->note,
                 "%.200s: the file ends within frame %llu: read up to there", capture->name,
                 (unsigned long long)capture->frames + 1);
        return false;
    }
    if (wrong != NULL) {
        snprintf(why, CAPTURE_WHY_BYTES, "%s: frame %llu: %.200s", capture->name,
                 (unsigned long long)capture->frames + 1, wrong);
        return false;
    }
    *frame = (struct capture_frame){
        .number = ++capture->frames,
        /* tv_usec contains nanoseconds, because nanosecond precision was requested */
        .at_ns = (uint64_t)header->ts.tv_sec * 1000000000u + (uint64_t)header->ts.tv_usec,
        .bytes = bytes,
        .count = header->caplen,
        .length = header->len,
    };
    as_ethernet(capture, frame);
    return true;
}

const char *capture_note(const struct capture *capture)
{
    return capture->note;
}

void capture_close(struct capture *capture)
{
    if (capture == NULL)
        return;
    if (capture->pcap != NULL)
        library.pcap_close(capture->pcap);
    free(capture->unpacked);
    free(capture);
}
