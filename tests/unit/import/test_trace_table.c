/* SPDX-License-Identifier: Apache-2.0
 * test_trace_table - tables of I/Os and blkparse's text as traces. */
#include "scenarios/trace/table.h"

#include "tests/unit/base/fuzz_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/* "AT_NS FILE r|w|f OFFSET BYTES; .." or the first message. */
static void read_words(const char *text, const struct trace_ask *ask, char *words, size_t size)
{
    static const char kinds[] = "rwf";
    struct arena arena = {0};
    struct trace trace = {0};
    struct diag diag = {0};
    size_t used = 0;
    fuzz_input("table", text, strlen(text));
    const bool fine =
        trace_read(&arena, tree_hold(&arena, "t", text, strlen(text)), ask, &trace, &diag);
    words[0] = '\0';
    for (uint32_t i = 0; fine && i < trace.count; i++) {
        const struct trace_io *io = &trace.ios[i];
        used +=
            (size_t)snprintf(words + used, size - used, "%s%lld %s %c %lld %u", i > 0 ? "; " : "",
                             (long long)(io->at / PS_PER_NS), trace.files[io->file], kinds[io->op],
                             (long long)io->offset, io->bytes);
    }
    for (int i = 0; i < diag.count && used < size; i++)
        used += (size_t)snprintf(words + used, size - used, "%s%d:%d %s", used > 0 ? " | " : "",
                                 diag.messages[i].place.line, diag.messages[i].place.column,
                                 diag.messages[i].text);
    arena_free(&arena);
}

static void tables_become_traces(void **state)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        /* MSR Cambridge; the second line is earlier. */
        {"128166372003061629,hm,1,Read,4096,8192,554\n128166372003061529,hm,0,Write,0,512,60\n",
         "0 hm.0 w 0 512; 10000 hm.1 r 4096 8192"},
        {"128166372003061629,hm,1,Read,4096,0,554\r\n128166372003061630,hm,1,Write,0,512,60\r\n",
         "0 hm.1 w 0 512 | 1:35 1 I/O has no bytes: left out; the first is here"},
        {"128166372003061629,hm,1,Read,4096,8192,554\n128166372003061630,hm,1,Read,4096\n",
         "2:34 expected more fields: the line is cut (MSR Cambridge)"},
        {"128166372003061629,hm,1,Read,4096,8192,554\n128166372003061630,hm,1,Seek,4096,1,1\n",
         "2:25 expected Read or Write (MSR Cambridge)"},
        {"128166372003061629,hm,1,Read,4096,8192,554\n128166372003061630,hm,1,Read,40x,1,1\n",
         "2:30 expected an offset of at most 1 PiB (MSR Cambridge)"},
        {"128166372003061629,hm,1,Read,4096,8192,554\n228166372003061630,hm,1,Read,40,1,1\n",
         "2:1 expected times within 1000000 s of the first line (MSR Cambridge)"},
        /* SNIA's heading; the unit of whole times follows from their length. */
        {"Timestamp,Response,IOType,LUN,Offset,Size\n1455592000.25,0.1,R,3,512,1024\n"
         "1455592000.5,0.1,W,3,0,512\n",
         "0 3 r 512 1024; 250000000 3 w 0 512"},
        {"time,op,lba,length\n1577808000000000,W,8,4096\n1577808000000007,R,0,512\n",
         "0 device w 4096 4096; 7000 device r 0 512"},
        {"time,op,offset,size\n10000000000000,R,0,512\n10000000000003,R,512,512\n",
         "0 device r 0 512; 3000 device r 512 512"},
        {"time,op,offset,size\n1000000000000,R,0,512\n1000000000003,R,512,512\n",
         "0 device r 0 512; 3000000 device r 512 512"},
        {"ts,rw,offset,size\n100,1,0,512\n101,0,512,512\n",
         "0 device w 0 512; 1000000000 device r 512 512"},
        {"Timestamp,Response,IOType,LUN,Offset,Size\n1.5,0.1,R,3,512,1024\n1.6,0,,3,,\n",
         "0 3 r 512 1024 | 3:7 1 line is neither read nor write: left out; the first is here"},
        {"0,20941264,8192,W,0.551706\n1,3072,1536,r,0.554041\n",
         "0 0 w 10721927168 8192; 2335000 1 r 1572864 1536"},
        {"419,W,8792731648,16384,1577808000000039\n725,R,0,4096,1577808000000043\n",
         "0 419 w 8792731648 16384; 4000 725 r 0 4096"},
        {"1538323200,12910952,128,0,1063\n1538323201,1,8,1,1063\n",
         "0 1063 r 6610407424 65536; 1000000000 1063 w 512 4096"},
        {"89967404034390 4892 syslogd 904265560 8 W 6 0 531e779\n"
         "89967404034400 4892 syslogd 16 8 R 6 0 531e779\n",
         "0 6.0 w 462983966720 4096; 10 6.0 r 8192 4096"},
        {"fio version 3 iolog\n0 f add\n0 f open\n5 f read 0 512\n", "5000 f r 0 512"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char words[512];
        read_words(rows[i].text, NULL, words, sizeof words);
        if (strcmp(words, rows[i].words) != 0)
            fail_msg("row %zu: %s", i, words);
    }
}

static const char blkparse[] =
    "  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]\n"
    "  8,0    3        2     0.000001829   697  D   W 223490 + 16 [kjournald]\n"
    "  8,16   1        1     0.000100000    12  Q FWFS 8 + 8 [fio]\n"
    "  8,16   1        2     0.000200000    12  Q  RA 0 + 256 [fio]\n"
    "  8,16   1        3     0.000300000    12  Q   D 0 + 256 [fstrim]\n"
    "  8,16   1        4     0.000400000    12  P   N [fio]\n"
    "  8,16   1        5     0.000500000    12  UT   N [fio] 1\n"
    "CPU0 (8,0):\n Reads Queued:           0,        0KiB\n";

static void blkparse_is_read_as_its_records_are(void **state)
{
    static const struct {
        struct trace_ask ask;
        const char *words;
    } rows[] = {
        {{false, NULL},
         "0 8,0 w 114426880 4096; 100000 8,16 f 0 0; 100000 8,16 w 4096 4096; "
         "200000 8,16 r 0 131072 | 5:48 1 line is neither read nor write: left out; the first is "
         "here"},
        {{true, NULL}, "0 8,0 w 114426880 8192"},
        {{false, "8,0"}, "0 8,0 w 114426880 4096"},
        {{true, "8,16"}, "0:0 the trace has no read, write or flush"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char words[512];
        read_words(blkparse, &rows[i].ask, words, sizeof words);
        if (strcmp(words, rows[i].words) != 0)
            fail_msg("row %zu: %s", i, words);
    }
}

static void kinds_are_told_apart(void **state)
{
    static const struct {
        const char *text, *kind;
    } rows[] = {
        {blkparse, "blkparse"},
        {"128166372003061629,hm,1,Read,4096,8192,554\n", "MSR Cambridge"},
        {"0,20941264,8192,W,0.551706\n", "SPC"},
        {"419,W,8792731648,16384,1577808000000039\n", "AliCloud"},
        {"1538323200,12910952,128,0,1063\n", "Tencent CBS"},
        {"Timestamp,Response,IOType,LUN,Offset,Size\n", "CSV with named columns"},
        {"fio version 3 iolog\n", NULL},
        {"", NULL},
        {"a,b,c\n1,2,3\n", NULL},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const struct tree_file file = {"t", rows[i].text, strlen(rows[i].text)};
        const char *kind = table_kind(&file);
        if ((kind == NULL) != (rows[i].kind == NULL) ||
            (kind != NULL && strcmp(kind, rows[i].kind) != 0))
            fail_msg("row %zu: %s", i, kind == NULL ? "none" : kind);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_become_traces),
        cmocka_unit_test(blkparse_is_read_as_its_records_are),
        cmocka_unit_test(kinds_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
