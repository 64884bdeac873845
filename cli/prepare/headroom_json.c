/* SPDX-License-Identifier: Apache-2.0
 * headroom_json - the result as JSON. */
#include "cli/prepare/headroom_ask_private.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <stdio.h>

/* Prints `"name": value`, preceded by a separator. */
static void print_number(const char *before, const char *name, int64_t value)
{
    printf("%s\"%s\": %" PRId64, before, name, value);
}

static void text(const char *before, const char *name, const char *value)
{
    printf("%s\"%s\": ", before, name);
    json_string(stdout, value);
}

static void truth(const char *before, const char *name, bool value)
{
    printf("%s\"%s\": %s", before, name, value ? "true" : "false");
}

static void print_link(const struct headroom_link *link)
{
    print_number("{", "rate_bps", link->rate);
    print_number(", ", "length_mm", link->length);
    print_number(", ", "propagation_ps", link->propagation);
    print_number(", ", "mtu_bytes", link->mtu);
    print_number(", ", "peer_mtu_bytes", link->peer_mtu);
    print_number(", ", "lossless_mtu_bytes", link->lossless_mtu);
    print_number(", ", "response_ps", link->response);
    print_number(", ", "latency_ps", link->latency);
    print_number(", ", "cell_bytes", link->cell);
    print_number(", ", "smallest_frame_bytes", link->smallest);
    print_number(", ", "largest_frame_bytes", headroom_largest(link));
    truth(", ", "dynamic_threshold", link->dynamic != 0);
}

/* Prints total and terms, without closing the object. */
static void print_sum(const struct headroom_sum *sum)
{
    if (sum->known)
        print_number("", "bytes", sum->bytes);
    else
        printf("\"bytes\": null");
    printf(", \"terms\": [");
    for (unsigned i = 0; i < sum->count; i++) {
        text(i == 0 ? "{" : ", {", "name", sum->terms[i].name);
        print_number(", ", "bytes", sum->terms[i].bytes);
        printf("}");
    }
    printf("]");
}

static void print_proofs(const struct headroom_answer *answer)
{
    printf("\"proofs\": [");
    for (unsigned i = 0; i < answer->proof_count; i++) {
        const struct headroom_proof *proof = &answer->proofs[i];
        print_number(i == 0 ? "\n     {" : ",\n     {", "frame_bytes", proof->frame);
        text(", ", "threshold", answer->dynamic[i] ? "sinks" : "stays");
        print_number(", ", "formula_bytes", proof->exact);
        print_number(", ", "found_bytes", proof->found);
        print_number(", ", "phases", proof->phases);
        print_number(", ", "losing_phases", proof->losing);
        print_number(", ", "drops_below", (int64_t)proof->drops);
        print_number(", ", "phase_below_ps", proof->phase);
        print_number(", ", "plays", (int64_t)proof->plays);
        truth(", ", "holds", proof->holds);
        printf("}");
    }
    printf("]");
}

static void print_methods(const struct headroom_answer *answer)
{
    printf("\"methods\": [");
    const char *before = "\n     {";
    for (const struct headroom_method *method = headroom_methods; method->name != NULL; method++) {
        const struct headroom_sum sum = headroom_by(method, &answer->link);
        text(before, "name", method->name);
        text(", ", "about", method->about);
        text(", ", "source", method->source);
        printf(", ");
        print_sum(&sum);
        if (sum.known)
            print_number(", ", "over_need_bytes", sum.bytes - answer->need);
        else
            printf(", \"over_need_bytes\": null");
        if (sum.note != NULL)
            text(", ", "note", sum.note);
        printf("}");
        before = ",\n     {";
    }
    printf("]");
}

void headroom_print_json(const struct headroom_answer *answers, unsigned count)
{
    json_open(stdout);
    printf("\"links\": [");
    for (unsigned i = 0; i < count; i++) {
        const struct headroom_answer *answer = &answers[i];
        printf("%s\n  {\"link\": ", i == 0 ? "" : ",");
        print_link(&answer->link);
        text(", ", "response_source", answer->response_source);
        printf("},\n   \"bound\": {");
        print_sum(&answer->bound);
        print_number("},\n   ", "need_bytes", answer->need);
        truth(", ", "holds", answer->holds);
        printf(",\n   ");
        print_proofs(answer);
        printf(",\n   ");
        print_methods(answer);
        printf("}");
    }
    printf("\n]}\n");
}
