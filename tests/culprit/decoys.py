# decoys - what looks wrong and is not.                              SPDX-License-Identifier: Apache-2.0
# Settings and faults that stand out and cost nobody anything: who accuses whatever is odd falls for them.
# That each costs nothing is measured when it is drawn.
from harms import end_of, fault, group, link_name, override, port


def idle_host(draw, healthy):
    idle = [host for host in healthy.hosts if host not in healthy.used()]
    return draw.choice(idle) if idle else None


def odd_switch(draw, healthy):
    values = draw.choice([
        {"alpha": draw.choice(["50%", "80%"])}, {"buffer": "64MiB"}, {"xon_offset": "16KB"}, {"latency": "400ns"},
        {"ecn_kmin": "500KB"}, {"ecn_pmax": "10%"}, {"watchdog": "alert"}, {"cell": "208B"}, {"ecmp_seed": 7},
    ])
    return override(draw.choice(healthy.used_switches()), **values)


def odd_host(draw, healthy):
    section, values = draw.choice([
        ("rnic", {"tx_delay": "400ns"}), ("rnic", {"rx_buffer": "512KiB"}), ("rnic", {"retry_count": 6}),
        ("rnic", {"timeout": 9}), ("rnic", {"max_rd_atomic": 32}), ("rnic", {"ttl": 32}),
        ("rnic", {"cnp_dscp": 46}), ("rnic", {"ack_interval": 128}), ("rnic", {"pfc_watchdog": "50ms"}),
        ("nvme", {"submit_cost": "1100ns"}), ("target", {"command_cost": "1050ns"}), ("target", {"cores": 6}),
    ])
    return group(draw.choice(healthy.used()), section, **values)


def odd_link(draw, healthy):
    link = draw.choice(healthy.links)
    where = draw.choice([link_name(healthy, link), end_of(draw, link)])
    return override(where, **draw.choice([{"length": "7m"}, {"mtu": "9000B"}, {"pfc_response": "600ns"},
                                          {"cable": "twinax"}, {"pfc_refresh": "20us"}]))


def bad_idle_host(draw, healthy):
    """As wrong as can be, and nobody talks to it."""
    host = idle_host(draw, healthy)
    section, values = draw.choice([("rnic", {"drain": "100Mbps"}), ("rnic", {"pfc": False}), ("rnic", {"ttl": 1}),
                                   ("rnic", {"priority": 0}), ("nvme", {"submit_cost": "90us"})])
    return host and group(host, section, **values)


def slow_idle_link(draw, healthy):
    host = idle_host(draw, healthy)
    return host and override(port(host, 0), mtu="1500B")


def fault_of_nobody(draw, healthy):
    host = idle_host(draw, healthy)
    return host and draw.choice([
        fault("slow-receiver", host, drain="1%"), fault("pause-storm", host), fault("drop-every", host, n=8),
        fault("link-down", f"{host}-{healthy.switch_of(host)}")])


def faint_fault(draw, healthy):
    """It happens, and hardly ever."""
    link = draw.choice(healthy.links)
    return draw.choice([fault("bit-errors", link_name(healthy, link), rate="1e-15"),
                        fault("drop-every", end_of(draw, link), n=10_000_000),
                        fault("slow-receiver", draw.choice(healthy.used()), drain="100%")])


SETTINGS = [odd_switch, odd_host, odd_link, bad_idle_host, slow_idle_link]
KINDS = SETTINGS + [fault_of_nobody, faint_fault]


def dress(draw, healthy, kinds):
    """Writes up to three decoys of these kinds into the scenario; says how many."""
    count = 0
    for kind in draw.sample(kinds, draw.choice([0, 1, 2, 3])):
        edit = kind(draw, healthy)
        if edit is not None:
            edit(healthy.scenario)
            count += 1
    return count
