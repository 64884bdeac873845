/* SPDX-License-Identifier: Apache-2.0
 * headroom_ask - reads the options. Options that are parameters of a port or a switch have the same
 * limits and defaults. */
#include "cli/prepare/headroom_ask_private.h"

#include "base/memory.h"
#include "base/plural.h"
#include "base/quantity.h"
#include "net/switch/switch.h"
#include "scenarios/load/profile_switch.h"

#include <stdlib.h>
#include <string.h>

const struct cli_option headroom_options[] = {
    {"rate", 0, "RATE", "rate of the link, such as 100Gbps; several rates print a table"},
    {"length", 0, "LENGTH", "length of the cable, such as 100m"},
    {"delay", 0, "TIME", "one-way delay, in place of the length"},
    {"cable", 0, "KIND", "fiber (default, 5.05 ns/m) or twinax (4.76 ns/m)"},
    {"fec", 0, "CODE", "FEC whose latency to add: none (default), rs-528, rs-544 or auto"},
    {"fec-latency", 0, "TIME", "latency of the FEC, instead of the latency of its code"},
    {"mtu", 0, "SIZE", "MTU of this end, without Ethernet header and FCS"},
    {"peer-mtu", 0, "SIZE", "MTU of the other end (default: the same)"},
    {"lossless-mtu", 0, "SIZE",
     "MTU of the lossless class, for methods that use it (default: the same)"},
    {"response", 0, "TIME",
     "response time of the peer to a pause: a time, or ieee or sonic for their tables"},
    {"profile", 0, "NAME", "switch profile: use its cell size, latency and policy"},
    {"latency", 0, "TIME",
     "ingress latency of this end, from a frame's last bit to the packet memory"},
    {"cell", 0, "SIZE", "cell size of the packet memory; a frame uses whole cells"},
    {"policy", 0, "POLICY", "buffer policy that sets the threshold (see list buffer-policies)"},
    {"smallest", 0, "SIZE", "smallest frame of the class (default 66B, a RoCEv2 acknowledgment)"},
    {"small-packets", 0, "SHARE",
     "share of smallest frames that SONiC's method assumes (default 0%)"},
    {"frame", 0, "SIZE", "size of the proof's frames, L2 bytes; repeatable"},
    {"phases", 0, "N",
     "phases of the reverse direction in each step of the proof (default 16); 0: no proof"},
    {"table", 0, NULL, "one line for each rate from 10G to 800G"},
    {"json", 0, NULL, "one JSON object with every term"},
    {"csv", 0, NULL, "one CSV row for each rate"},
    CLI_OPTION_QUIET,
    {0},
};

/* ------------------------------------------------------------------ parameters of this command */

struct own {
    int64_t peer_mtu, lossless_mtu, response, smallest, frame, small_packets, phases;
};

#define FIELD(name) offsetof(struct own, name)

static const struct opt own_opts[] = {
    {"peer-mtu", OPT_SIZE, FIELD(peer_mtu), "auto", "256B", "16000B", "auto",
     "MTU of the other end; auto: that of this end.", "own", OPT_INERT},
    {"lossless-mtu", OPT_SIZE, FIELD(lossless_mtu), "auto", "256B", "16000B", "auto",
     "MTU of the lossless class; auto: the smaller MTU of both ends.", "own", OPT_INERT},
    {"response", OPT_TIME, FIELD(response), "500ns", "0ns", "1ms", "ieee|sonic",
     "Time from the last bit of a PFC frame to its effect.", "as a port's pfc-response", OPT_INERT},
    {"smallest", OPT_SIZE, FIELD(smallest), "66B", "64B", "16018B", NULL,
     "Smallest frame of the class.", "a RoCEv2 acknowledgment", OPT_INERT},
    {"frame", OPT_SIZE, FIELD(frame), "1518B", "64B", "16018B", NULL, "Frame size of the proof.",
     "own", OPT_INERT},
    {"small-packets", OPT_PERCENT, FIELD(small_packets), "0%", "0%", "100%", NULL,
     "SONiC's small_packet_percentage.", "sonic-swss buffer_headroom_mellanox.lua", OPT_INERT},
    {"phases", OPT_INT, FIELD(phases), "16", "0", "100000", NULL, "Number of phases of the proof.",
     "own", OPT_INERT},
    {0},
};

/* ------------------------------------------------------------------ reading */

/* Reads one text as a value of a row; false, with a message, if it is invalid. */
static bool read_text(const char *option, const struct opt *row, const char *text, int64_t *value)
{
    char why[OPT_WHY_BYTES];
    if (opt_parse(row, text, value, why))
        return true;
    cli_error("--%s %.64s: %s", option, text, why);
    return false;
}

/* Reads the option, if it is given, as a value of the row `name`. */
static bool read_row(const struct cli_args *args, const char *option, const struct opt *rows,
                     const char *name, void *params)
{
    const char *text = cli_value(args, option);
    const struct opt *row = opt_find(rows, name);
    return text == NULL || read_text(option, row, text, opt_field(row, params));
}

static bool read_rows(const struct cli_args *args, struct port_params *port,
                      struct switch_params *params, struct own *own)
{
    const struct {
        const char *option;
        const struct opt *rows;
        const char *name;
        void *params;
    } all[] = {
        {"length", port_opts, "length", port},
        {"delay", port_opts, "delay", port},
        {"cable", port_opts, "cable", port},
        {"fec", port_opts, "fec", port},
        {"fec-latency", port_opts, "fec-latency", port},
        {"mtu", port_opts, "mtu", port},
        {"latency", switch_opts, "latency", params},
        {"policy", switch_opts, "policy", params},
        {"cell", switch_opts, "cell", params},
        {"peer-mtu", own_opts, "peer-mtu", own},
        {"lossless-mtu", own_opts, "lossless-mtu", own},
        {"response", own_opts, "response", own},
        {"smallest", own_opts, "smallest", own},
        {"small-packets", own_opts, "small-packets", own},
        {"phases", own_opts, "phases", own},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!read_row(args, all[i].option, all[i].rows, all[i].name, all[i].params))
            return false;
    return true;
}

/* Reads an option that may be repeated. */
static bool read_list(const struct cli_args *args, const char *option, const struct opt *row,
                      int64_t *list, unsigned max, unsigned *count)
{
    uint32_t given;
    const char **texts = cli_values(args, option, &given);
    if (given > max) {
        cli_error("--%s: at most %u %s", option, max, plural(max, "time", "times"));
        return false;
    }
    for (*count = 0; *count < given; ++*count)
        if (!read_text(option, row, texts[*count], &list[*count]))
            return false;
    return true;
}

static bool read_profile(const struct cli_args *args, struct switch_params *params)
{
    const char *name = cli_value(args, "profile");
    switch_presets(params);
    params->cell = 1; /* in bytes, unless a profile or --cell sets another size */
    if (name == NULL)
        return true;
    struct diag *diag = memory_new(sizeof *diag);
    const bool found = profile_switch(name, "--profile", params, diag);
    diag_print(diag, stderr);
    free(diag);
    return found;
}

/* ------------------------------------------------------------------ link */

static int64_t or_else(int64_t value, int64_t automatic)
{
    return value < 0 ? automatic : value;
}

/* If only a delay is given, the length follows from the cable's delay. */
static int64_t length_of(const struct cli_args *args, const struct port_params *port)
{
    if (port->delay == 0 || cli_given(args, "length"))
        return port->length;
    const struct port_params meter = {.length = 1000, .cable = port->cable};
    return (int64_t)((__int128)port->delay * meter.length / port_propagation(&meter));
}

static void make_link(const struct cli_args *args, const struct port_params *port,
                      const struct switch_params *params, const struct own *own,
                      struct headroom_link *link)
{
    const int64_t peer_mtu = or_else(own->peer_mtu, port->mtu);
    *link = (struct headroom_link){
        .length = length_of(args, port),
        .mtu = port->mtu,
        .peer_mtu = peer_mtu,
        .lossless_mtu = or_else(own->lossless_mtu, port->mtu < peer_mtu ? port->mtu : peer_mtu),
        .latency = params->latency,
        .cell = params->cell,
        .smallest = own->smallest,
        .largest = UINT16_MAX,
        .dynamic = !buffer_policies[params->policy]->fixed,
        .small_packets = own->small_packets,
    };
}

static bool is_sound(const struct headroom_ask *ask)
{
    const struct headroom_link *link = &ask->link;
    if (link->smallest > headroom_largest(link))
        cli_error("headroom: the --smallest frame does not fit into the MTU");
    else
        return true;
    return false;
}

static bool frames_fit(const struct headroom_ask *ask)
{
    const struct headroom_link *link = &ask->link;
    for (unsigned i = 0; i < ask->frame_count; i++) {
        if (ask->frames[i] >= link->smallest && ask->frames[i] <= headroom_largest(link))
            continue;
        cli_error("--frame %lldB: frames of this class have %lld to %lld bytes",
                  (long long)ask->frames[i], (long long)link->smallest,
                  (long long)headroom_largest(link));
        return false;
    }
    return true;
}

/* Default rates of the table. */
static void usual_rates(struct headroom_ask *ask)
{
    static const int64_t gbps[] = {10, 25, 40, 50, 100, 200, 400, 800};
    ask->rate_count = sizeof gbps / sizeof gbps[0];
    for (unsigned i = 0; i < ask->rate_count; i++)
        ask->rates[i] = gbps[i] * 1000000000;
}

bool headroom_ask(const struct cli_args *args, struct headroom_ask *ask)
{
    struct port_params *port = &ask->port;
    struct switch_params params;
    struct own own;
    *ask = (struct headroom_ask){.json = cli_given(args, "json"), .csv = cli_given(args, "csv")};
    opt_presets(port_opts, port);
    opt_presets(own_opts, &own);
    own.response = port->pfc_response;
    if (!read_profile(args, &params) || !read_rows(args, port, &params, &own) ||
        !read_list(args, "rate", opt_find(port_opts, "rate"), ask->rates, HEADROOM_RATES_MAX,
                   &ask->rate_count) ||
        !read_list(args, "frame", opt_find(own_opts, "frame"), ask->frames, HEADROOM_FRAMES_MAX,
                   &ask->frame_count))
        return false;
    ask->table = cli_given(args, "table") || ask->rate_count > 1;
    ask->response = own.response;
    ask->assumed = !cli_given(args, "response");
    ask->phases = (unsigned)own.phases;
    if (ask->rate_count == 0 && ask->table)
        usual_rates(ask);
    else if (ask->rate_count == 0)
        ask->rates[ask->rate_count++] = port->rate;
    make_link(args, port, &params, &own, &ask->link);
    return is_sound(ask) && frames_fit(ask);
}

const char *headroom_response_source(const struct headroom_ask *ask)
{
    if (ask->response == HEADROOM_RESPONSE_IEEE)
        return "the bound of IEEE 802.3 annex 31B";
    if (ask->response == HEADROOM_RESPONSE_SONIC)
        return "SONiC's table";
    return ask->assumed ? opt_find(port_opts, "pfc-response")->source : "given by --response";
}

static bool no_response(bool ieee, int64_t rate)
{
    char text[QUANTITY_TEXT_BYTES];
    quantity_format(QUANTITY_RATE, rate, text, sizeof text);
    cli_error("--response %s: the table has no response time for %s; give a time%s",
              ieee ? "ieee" : "sonic", text, ieee ? " or sonic" : "");
    return false;
}

/* The latency of FEC, and a response given in quanta, depend on the rate. */
bool headroom_link_at(const struct headroom_ask *ask, int64_t rate, struct headroom_link *link)
{
    const bool ieee = ask->response == HEADROOM_RESPONSE_IEEE;
    const int64_t quanta = ieee ? headroom_ieee_quanta(rate) : headroom_sonic_quanta(rate);
    struct port_params port = ask->port;
    port.rate = rate;
    *link = ask->link;
    link->rate = rate;
    link->propagation = port_propagation(&port);
    link->response = ask->response >= 0 ? ask->response : headroom_quanta_ps(quanta, rate);
    if (link->propagation <= 0)
        cli_error("headroom: expected a --length or --delay above 0");
    else if (ask->response < 0 && quanta == 0)
        return no_response(ieee, rate);
    return link->propagation > 0;
}
