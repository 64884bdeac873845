/* SPDX-License-Identifier: Apache-2.0
 * capture - libpcap, with names, limits and sentences. */
#include "reports/wire/capture.h"

#include "base/memory.h"
#include "replay/files/lazy.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(F)                                                                               \
    F(pcap_fopen_offline_with_tstamp_precision)                                                    \
    F(pcap_datalink) F(pcap_next_ex) F(pcap_geterr) F(pcap_close)

static struct {
    FUNCTIONS(LAZY_POINTER)
} library;

static const struct lazy_function functions[] = {FUNCTIONS(LAZY_FUNCTION)};

struct capture {
    pcap_t *pcap;
    uint64_t frames;
    char name[256];
};

struct capture *capture_of_stream(FILE *stream, const char *name, char why[CAPTURE_WHY_BYTES])
{
    char error[PCAP_ERRBUF_SIZE] = "";
    if (library.pcap_close == NULL)
        lazy_need(lazy_pcap, functions, sizeof functions / sizeof functions[0]);
    pcap_t *pcap =
        library.pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, error);
    if (pcap == NULL) {
        fclose(stream);
        snprintf(why, CAPTURE_WHY_BYTES, "%.200s: expected a pcap or pcapng file: %.200s", name,
                 error);
        return NULL;
    }
    if (library.pcap_datalink(pcap) != DLT_EN10MB) {
        snprintf(why, CAPTURE_WHY_BYTES, "%.200s: expected an Ethernet capture, not link type %d",
                 name, library.pcap_datalink(pcap));
        library.pcap_close(pcap);
        return NULL;
    }
    struct capture *capture = memory_new(sizeof *capture);
    capture->pcap = pcap;
    snprintf(capture->name, sizeof capture->name, "%s", name);
    return capture;
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
    if (wrong != NULL) {
        snprintf(why, CAPTURE_WHY_BYTES, "%s: frame %llu: %.200s", capture->name,
                 (unsigned long long)capture->frames + 1, wrong);
        return false;
    }
    *frame = (struct capture_frame){
        .number = ++capture->frames,
        /* with nanoseconds asked for, they stand where microseconds usually do */
        .at_ns = (uint64_t)header->ts.tv_sec * 1000000000u + (uint64_t)header->ts.tv_usec,
        .bytes = bytes,
        .count = header->caplen,
        .length = header->len,
    };
    return true;
}

void capture_close(struct capture *capture)
{
    if (capture == NULL)
        return;
    library.pcap_close(capture->pcap);
    free(capture);
}
