/* SPDX-License-Identifier: Apache-2.0
 * The model's wire against that of two Linux 6.1 machines, frame by frame.
 * linux-6.1.wire has every frame of a capture in the words of reports/wire/wire_words.h: an
 * nvme-rdma host and an nvmet-rdma target over Soft-RoCE, from the first REQ to a write of 64 KiB.
 * The same commands are played here on the profile softroce; what nvme-cli and others asked for the
 * test asks for at its place. */
#include "nvme/host/host_private.h"
#include "reports/wire/pcapng.h"
#include "reports/wire/wire_trace.h"
#include "rnic/host/verbs_sim.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"
#include "tests/unit/base/fuzz_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE_BYTES = 4096 };

static const char scenario_text[] =
    "stormglass: 1\n"
    "name: wire\n"
    "about: Two machines.\n"
    "duration: 2s\n"
    "fabric:\n"
    "  topology: {kind: single-switch, hosts: 2}\n"
    "  host-links: {mtu: 4200B}\n"
    "hosts:\n"
    "  defaults: {rnic: {profile: softroce, software: false, dscp: 0, priority: 0, path-mtu: "
    "4096B, "
    "congestion-control: none}, nvme: {partition-scan: true}, target: {identity: linux-nvmet}}\n"
    "  targets: {where: host0, namespaces: [{media: \"null\", size: 250GiB}]}\n"
    "workloads: [{name: none, kind: nvme, from: host1, to: host0, start: 1s}]\n";

/* What was asked for in the capture once the controller was there, in its order.  On one queue
 * each waits for the one before; an admin command is a step of the host's own set-up, again. */
/* clang-format off */
static const struct {
    uint8_t opcode;
    uint64_t lba;
    uint32_t bytes;
    const char *step;
} asked[] = {
    {.step = "Identify Namespace"}, /* nvme list */
    {.step = "Identify descriptors"},
    {NVME_READ, 0, 4096, NULL},
    {NVME_READ, 0, 131072, NULL}, /* what the capture was made for */
    {NVME_WRITE, 0, 4096, NULL},
    {NVME_WRITE, 0, 65536, NULL},
};
/* clang-format on */

struct play {
    struct world *world;
    struct nvme_host *host;
    FILE *capture;
    struct nvme_io io;
    bool recording; /* the scenario's own workload has connected and waits */
    bool ready, done;
};

/* ------------------------------------------------------------------ a capture of the model */

static void on_frame(void *self, const struct probe_frame *probe)
{
    struct play *play = self;
    const struct frame *frame = probe->frame;
    uint8_t bytes[WIRE_BYTES_MAX];
    const bool by_switch = probe->node != play->world->hosts[0]->node.id &&
                           probe->node != play->world->hosts[1]->node.id;
    if (by_switch || !play->recording)
        return;
    const struct wire_frame wire = {
        .has_reth = frame_has_reth(frame->opcode),
        .has_aeth = frame_has_aeth(frame->opcode),
        .has_ieth = frame_has_ieth(frame->opcode),
        .has_immediate = frame_has_immediate(frame->opcode),
        .immediate = frame->immediate,
        .opcode = frame->opcode,
        .tos = frame->tos,
        .ttl = frame->ttl,
        .migreq = play->world->hosts[0]->rnics[0]->params.migreq != 0,
        .pkey = 0xFFFF,
        .flags = frame->flags,
        .bytes = frame->bytes,
        .payload = frame->payload,
        .source_ip = rnic_ip(frame->source),
        .destination_ip = rnic_ip(frame->destination),
        .qpn = frame->qpn,
        .psn = frame->psn,
        .syndrome = (uint8_t)(frame->aeth >> 24),
        .msn = frame->aeth & 0xFFFFFF,
        .address = frame->address,
        .rkey = frame->rkey,
        .length = frame->length,
        .head = probe->head,
        .head_bytes = probe->head_bytes,
    };
    const size_t length = wire_bytes(&wire, bytes);
    const struct pcapng_packet packet = {.bytes = bytes, .count = length, .length = length};
    pcapng_write(play->capture, &packet);
}

/* ------------------------------------------------------------------ playing */

static void on_ready(void *self, uint16_t status)
{
    assert_int_equal(status, NVME_STATUS_OK);
    ((struct play *)self)->ready = true;
}

static void on_io(void *self, struct nvme_io *io)
{
    assert_int_equal(io->status, NVME_STATUS_OK);
    ((struct play *)self)->done = true;
}

static void run(struct play *play)
{
    for (int i = 0; i < 1000; i++)
        world_run(play->world, play->world->engine.now + PS_PER_US);
    world_audit(play->world);
}

static void on_admin(struct nvme_host *host, struct host_request *request)
{
    assert_int_equal(request->status, NVME_STATUS_OK);
    nvme_host_queue_put(request);
    on_io(host->site.user.self, &(struct nvme_io){.status = NVME_STATUS_OK});
}

static void ask_admin(struct nvme_host *host, const char *name)
{
    unsigned step = 0;
    while (strcmp(nvme_host_steps[step].name, name) != 0)
        step++;
    struct host_queue *admin = &host->queues[0];
    struct host_request *request = nvme_host_queue_get(admin, &admin->tags);
    assert_non_null(request);
    request->done = on_admin;
    request->data = &host->admin_data;
    host->scanned = 0; /* Identify is about the first namespace */
    nvme_host_steps[step].build(host, request);
    nvme_host_queue_post(request);
}

static void ask(struct play *play, unsigned index)
{
    play->done = false;
    if (asked[index].step != NULL) {
        ask_admin(play->host, asked[index].step);
    } else {
        play->io = (struct nvme_io){.opcode = asked[index].opcode,
                                    .nsid = 1,
                                    .lba = asked[index].lba,
                                    .bytes = asked[index].bytes};
        assert_true(nvme_host_submit(play->host, 0, &play->io));
    }
    run(play);
    assert_true(play->done);
}

static void play_capture(FILE *capture)
{
    static struct diag diag;
    static struct play play;
    play.capture = capture;
    struct probe probe = probe_none;
    probe.self = &play;
    probe.frame = on_frame;
    const struct scenario_input input = {
        .name = "wire.yaml", .text = scenario_text, .length = sizeof scenario_text - 1};
    struct scenario *scenario = scenario_load(&input, &diag);
    assert_non_null(scenario);
    play.world = world_build(scenario, &probe, &diag);
    assert_non_null(play.world);
    struct host *host = play.world->hosts[1];
    const struct nvme_carrier_site carrier = {
        .transport = NVME_CARRIER_rdma, .verbs = &verbs_sim, .device = host_device(host, 0)};
    const struct nvme_carrier_host *params = scenario->nodes[1].host->nvme_host;
    const struct nvme_host_site site = {
        .env = &host->env,
        .transport = nvme_carrier_of_host(&carrier, params),
        .params = &params->core,
        .target_ip = rnic_ip(play.world->endpoint_of[0]),
        .user = {.self = &play, .on_ready = on_ready, .on_io = on_io},
    };
    run(&play);
    play.recording = true;
    play.host = nvme_host_create(&site);
    run(&play);
    assert_true(play.ready);
    for (unsigned i = 0; i < sizeof asked / sizeof asked[0]; i++)
        ask(&play, i);
    play.recording = false; /* the capture ends before they part */
    nvme_host_destroy(play.host);
    world_free(play.world);
    scenario_free(scenario);
}

/* ------------------------------------------------------------------ comparing */

static struct wire_trace *model(void)
{
    char why[CAPTURE_WHY_BYTES], *bytes = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&bytes, &length);
    pcapng_begin(out, "test");
    pcapng_interface(out, "both", 0, PCAPNG_ETHERNET);
    play_capture(out);
    fclose(out);
    fuzz_input("capture", bytes, length);
    struct capture *capture = capture_of_stream(fmemopen(bytes, length, "rb"), "model", why);
    assert_non_null(capture);
    struct wire_trace *trace = wire_trace_read(capture, why);
    assert_non_null(trace);
    free(bytes);
    return trace;
}

/* Line by line as wire_trace_print tells them, with the words behind the mark. */
static void every_frame_is_linuxs(void **state)
{
    (void)state;
    char *text = NULL, expected[LINE_BYTES];
    size_t length = 0;
    FILE *said = open_memstream(&text, &length);
    struct wire_trace *trace = model();
    wire_trace_print(trace, said);
    fclose(said);
    FILE *table = fopen("tests/laws/linux-6.1.wire", "r");
    assert_non_null(table);
    unsigned frames = 0;
    char *line = strtok(text, "\n");
    while (fgets(expected, sizeof expected, table) != NULL) {
        if (expected[0] == '#')
            continue;
        expected[strcspn(expected, "\n")] = '\0';
        assert_non_null(line);
        assert_string_equal(line, expected);
        line = strtok(NULL, "\n");
        frames++;
    }
    assert_null(line);
    assert_int_equal(frames, 217);
    fclose(table);
    free(text);
    wire_trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_frame_is_linuxs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
