/* SPDX-License-Identifier: Apache-2.0
 * headroom_text - the result as text: one link in detail, or one line per rate. */
#include "base/opt.h"
#include "base/plural.h"
#include "base/quantity.h"
#include "cli/prepare/headroom_ask_private.h"
#include "reports/text/csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_WIDTH = 56, NUMBER_WIDTH = 12 };

struct words {
    char text[QUANTITY_TEXT_BYTES];
};

static struct words words(enum quantity_kind kind, int64_t value)
{
    struct words words;
    quantity_format(kind, value, words.text, sizeof words.text);
    return words;
}

static void print_link(const struct headroom_link *link)
{
    printf("link      %s, %s (%s one way), MTU %s at this end and %s at the peer\n",
           words(QUANTITY_RATE, link->rate).text, words(QUANTITY_LENGTH, link->length).text,
           words(QUANTITY_TIME, link->propagation).text, words(QUANTITY_SIZE, link->mtu).text,
           words(QUANTITY_SIZE, link->peer_mtu).text);
    printf("          peer response time %s, ingress latency %s, cells of %s, frames of %" PRId64
           " to %" PRId64 " B, %s threshold\n",
           words(QUANTITY_TIME, link->response).text, words(QUANTITY_TIME, link->latency).text,
           words(QUANTITY_SIZE, link->cell).text, link->smallest, headroom_largest(link),
           link->dynamic ? "dynamic" : "static");
}

static void print_terms(const struct headroom_sum *sum)
{
    for (unsigned i = 0; i < sum->count; i++)
        printf("    %-*s%*" PRId64 "\n", NAME_WIDTH, sum->terms[i].name, NUMBER_WIDTH,
               sum->terms[i].bytes);
}

static void print_total(const char *name, int64_t bytes)
{
    printf("  = %-*s%*" PRId64 " B", NAME_WIDTH, name, NUMBER_WIDTH, bytes);
}

/* Difference between a value and the need. */
static void print_distance(int64_t bytes, int64_t need)
{
    if (bytes >= need)
        printf("   %" PRId64 " B more than needed", bytes - need);
    else
        printf("   %" PRId64 " B less than needed", need - bytes);
}

static void print_proofs(const struct headroom_answer *answer)
{
    printf("\nProof     by simulation: back-to-back frames of one size, %u %s of the reverse "
           "direction\n",
           answer->proofs[0].phases, plural(answer->proofs[0].phases, "phase", "phases"));
    printf("  %8s  %-9s %11s %11s   %-37s %s\n", "frame", "threshold", "formula, B", "needed, B",
           "with one cell less", "with the needed headroom");
    for (unsigned i = 0; i < answer->proof_count; i++) {
        const struct headroom_proof *proof = &answer->proofs[i];
        char less[64];
        snprintf(less, sizeof less, "%u of %u %s %s up to %" PRIu64 " %s", proof->losing,
                 proof->phases, plural(proof->phases, "phase", "phases"),
                 plural(proof->phases, "loses", "lose"), proof->drops,
                 plural(proof->drops, "frame", "frames"));
        printf("  %6" PRId64 " B  %-9s %11" PRId64 " %11" PRId64 "   %-37s %s\n", proof->frame,
               answer->dynamic[i] ? "falls" : "constant", proof->exact, proof->found, less,
               proof->holds ? "none lost" : "none lost; the formula is wrong");
    }
}

static void print_method(const struct headroom_method *method, const struct headroom_answer *answer)
{
    const struct headroom_sum sum = headroom_by(method, &answer->link);
    printf("\n  %-14s%s\n  %-14s%s\n", method->name, method->about, "", method->source);
    print_terms(&sum);
    if (sum.known) {
        print_total("headroom", sum.bytes);
        print_distance(sum.bytes, answer->need);
        putchar('\n');
    }
    if (sum.note != NULL)
        printf("    (%s)\n", sum.note);
}

void headroom_print_text(const struct headroom_answer *answer)
{
    print_link(&answer->link);
    printf("\nBound     sufficient for any mix of frames, whenever the pause begins (headroom: "
           "auto)\n");
    print_terms(&answer->bound);
    print_total("headroom", answer->bound.bytes);
    print_distance(answer->bound.bytes, answer->need);
    putchar('\n');
    if (answer->proof_count > 0)
        print_proofs(answer);
    printf("\nNeed      %" PRId64 " B, %s\n", answer->need,
           answer->proof_count > 0 ? "the largest headroom that the simulations needed"
                                   : "the formula's maximum for traffic with a single frame size");
    printf("          computed for a peer response time of %s (%s)%s\n",
           words(QUANTITY_TIME, answer->link.response).text, answer->response_source,
           strncmp(answer->response_source, "assumed", 7) == 0 ? "; use --response to change it"
                                                               : "");
    printf("\nMethods   headroom that published methods give for the same link\n");
    for (const struct headroom_method *method = headroom_methods; method->name != NULL; method++)
        print_method(method, answer);
}

void headroom_print_table(const struct headroom_answer *answers, unsigned count)
{
    printf("%-9s %11s %11s", "rate", "bound", "need");
    for (const struct headroom_method *method = headroom_methods; method->name != NULL; method++)
        printf(" %13s", method->name);
    puts("   proof");
    for (unsigned i = 0; i < count; i++) {
        const struct headroom_answer *answer = &answers[i];
        printf("%-9s %11" PRId64 " %11" PRId64, words(QUANTITY_RATE, answer->link.rate).text,
               answer->bound.bytes, answer->need);
        for (const struct headroom_method *method = headroom_methods; method->name != NULL;
             method++) {
            const struct headroom_sum sum = headroom_by(method, &answer->link);
            if (sum.known)
                printf(" %12" PRId64 "%c", sum.bytes, sum.bytes < answer->need ? '-' : ' ');
            else
                printf(" %12s ", "none");
        }
        printf("   %s\n", answer->proof_count == 0 ? "none" : answer->holds ? "holds" : "FAILED");
    }
    puts("Values are in bytes.  A value marked - is below the need: frames will be lost.");
    printf("Source of the peer response time, on which bound and need depend: %s.\n",
           answers[0].response_source);
}

void headroom_print_csv(const struct headroom_answer *answers, unsigned count)
{
    struct csv csv;
    csv_begin(&csv, stdout);
    csv_names(&csv, "rate_bps,bound_bytes,need_bytes");
    for (const struct headroom_method *method = headroom_methods; method->name != NULL; method++)
        csv_text(&csv, method->name);
    csv_names(&csv, "proof");
    csv_end_row(&csv);
    for (unsigned i = 0; i < count; i++) {
        const struct headroom_answer *answer = &answers[i];
        csv_integer(&csv, answer->link.rate);
        csv_integer(&csv, answer->bound.bytes);
        csv_integer(&csv, answer->need);
        for (const struct headroom_method *method = headroom_methods; method->name != NULL;
             method++) {
            const struct headroom_sum sum = headroom_by(method, &answer->link);
            if (sum.known)
                csv_integer(&csv, sum.bytes);
            else
                csv_empty(&csv);
        }
        csv_text(&csv, answer->proof_count == 0 ? "none" : answer->holds ? "holds" : "failed");
        csv_end_row(&csv);
    }
}
