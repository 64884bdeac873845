# kinds - what goes wrong, one function a kind.                     SPDX-License-Identifier: Apache-2.0
# A fault has the word of `stormglass list faults` as its kind: each needs a function here on the day on
# which it lands.  Behind the word stands what the healthy scenario must have, as Healthy takes it.
from harms import (Harm, arrays, at_host, at_link, at_some, at_switch, end_of, everywhere, fault,
                   fault_of_host, fault_of_link, fault_of_switch, harm, link_name, namespaces, of_host,
                   of_switch, of_workload, override, port, receiver, route, sender_link, some_link,
                   some_switch, when, wrong_way)

# ---- faults


@harm("slow-receiver")
def slow_receiver(draw, healthy):
    return fault_of_host(healthy, "slow-receiver", receiver(draw, healthy),
                         drain=f"{draw.choice([1, 3, 5, 10, 20])}%", **when(draw, healthy))


@harm("pause-storm")
def pause_storm(draw, healthy):
    return fault_of_host(healthy, "pause-storm", receiver(draw, healthy), priority=3, **when(draw, healthy))


@harm("link-down")
def link_down(draw, healthy):
    link = some_link(draw, healthy)
    return fault_of_link("link-down", link, link_name(healthy, link), **when(draw, healthy))


@harm("dead-link")
def dead_link(draw, healthy):
    """From the start: a host never connects."""
    link = healthy.link_of(draw.choice(healthy.used()))
    dead = fault_of_link("link-down", link, link_name(healthy, link))
    dead.places.add(link[0])
    return dead


@harm("link-flap")
def link_flap(draw, healthy):
    link = some_link(draw, healthy)
    return fault_of_link("link-flap", link, link_name(healthy, link),
                         period=f"{draw.choice([200, 400, 700])}us", duty=f"{draw.choice([20, 50, 70])}%",
                         **when(draw, healthy))


@harm("bit-errors")
def bit_errors(draw, healthy):
    link = some_link(draw, healthy)
    return fault_of_link("bit-errors", link, link_name(healthy, link),
                         rate=draw.choice(["1e-6", "3e-6", "1e-7"]), **when(draw, healthy))


@harm("drop-every")
def drop_every(draw, healthy):
    link = some_link(draw, healthy)
    return fault_of_link("drop-every", link, end_of(draw, link), n=draw.choice([8, 16, 64, 128]),
                         **when(draw, healthy))


@harm("random-loss")
def random_loss(draw, healthy):
    link = some_link(draw, healthy)
    return fault_of_link("random-loss", link, end_of(draw, link), rate=draw.choice(["1/8", "1/32", "1/128"]),
                         **when(draw, healthy))


@harm("pfc-off", incast=True, buffer="small", control="none")
def pfc_off(draw, healthy):
    link = sender_link(draw, healthy)
    return fault_of_link("pfc-off", link, end_of(draw, link), **when(draw, healthy))


@harm("switch-down")
def switch_down(draw, healthy):
    return fault_of_switch(healthy, "switch-down", some_switch(draw, healthy), **when(draw, healthy))


@harm("misroute", shape="leaf-spine")
def misroute(draw, healthy):
    at, to, via = wrong_way(draw, healthy)
    return fault_of_switch(healthy, "misroute", at, to=to, via=via, **when(draw, healthy))


@harm("target-stall", kind="nvme")
def target_stall(draw, healthy):
    return fault_of_host(healthy, "target-stall", draw.choice(healthy.targets()), **when(draw, healthy))


@harm("target-crash", kind="nvme")
def target_crash(draw, healthy):
    return fault_of_host(healthy, "target-crash", draw.choice(healthy.targets()),
                         how=draw.choice(["process", "power"]), **when(draw, healthy))


@harm("ana-change", kind="nvme")
def ana_change(draw, healthy):
    return fault_of_host(healthy, "ana-change", draw.choice(healthy.targets()),
                         state=draw.choice(["inaccessible", "persistent-loss"]), **when(draw, healthy))


@harm("port-closed", kind="nvme")
def port_closed(draw, healthy):
    return fault_of_host(healthy, "port-closed", draw.choice(healthy.targets()), **when(draw, healthy))


@harm("drive-failed", kind="nvme")
def drive_failed(draw, healthy):
    """A drive of a stripe, and with it all of the namespace."""
    host = draw.choice(healthy.targets())
    return Harm(of_host(healthy, host), arrays(drives=draw.choice([2, 4])),
                fault("drive-failed", host, drive=draw.choice([0, 1]), **when(draw, healthy)))


@harm("degraded-array", kind="nvme", arrays=True)
def degraded_array(draw, healthy):
    """A drive of what bears it: all goes on, slower."""
    host = draw.choice(healthy.targets())
    return fault_of_host(healthy, "drive-failed", host, drive=draw.choice([0, 1]), **when(draw, healthy))


@harm("silent-corruption", kind="nvme", protected=True)
def silent_corruption(draw, healthy):
    """Of what is read or written, which protection information finds: I/O fails."""
    host = draw.choice(healthy.targets())
    return fault_of_host(healthy, "silent-corruption", host,
                         error=draw.choice(["misdirected-read", "misdirected-write", "flipped-bit"]),
                         **when(draw, healthy))


# ---- lossless or not

@harm("no-pfc-port", incast=True, buffer="small", control="none")
def no_pfc_port(draw, healthy):
    link = sender_link(draw, healthy)
    values = draw.choice([{"flow_control": "none"}, {"pfc_enabled": [0, 1, 2, 4, 5, 6, 7]}])
    return at_link(link, end_of(draw, link), **values)


@harm("no-pfc-switch", incast=True, buffer="small", control="none")
def no_pfc_switch(draw, healthy):
    return at_some(draw, healthy, some_switch(draw, healthy), pfc_priorities=draw.choice([[], [4], [2]]))


@harm("dscp-map-switch", incast=True, buffer="small", control="none")
def dscp_map_switch(draw, healthy):
    return at_switch(healthy, some_switch(draw, healthy), dscp={"26": draw.choice([0, 1, 5])})


@harm("priority-host", incast=True, buffer="small", control="none")
def priority_host(draw, healthy):
    """What it sends is in a class of its port that nobody pauses."""
    host = draw.choice(healthy.data_senders())
    return at_host(draw, healthy, host, "rnic", priority=draw.choice([0, 1, 4]))


@harm("pauses-other-class", drained=True, incast=True, control="none")
def pauses_other_class(draw, healthy):
    """A full receive buffer pauses a priority that nobody sends."""
    return at_some(draw, healthy, receiver(draw, healthy), "rnic", pfc_priorities=[draw.choice([0, 4, 5])])


@harm("host-without-pfc", drained=True, incast=True, control="none")
def host_without_pfc(draw, healthy):
    return at_some(draw, healthy, receiver(draw, healthy), "rnic", pfc=False)


@harm("headroom", incast=True, buffer="small", control="none")
def headroom(draw, healthy):
    return at_some(draw, healthy, some_switch(draw, healthy), headroom=draw.choice(["0B", "2KiB", "4KiB"]))


@harm("pause-time", incast=True, buffer="small", control="none")
def pause_time(draw, healthy):
    """Pauses that end before the next XOFF."""
    link = sender_link(draw, healthy)
    return at_link(link, link_name(healthy, link), pfc_quanta=draw.choice([20, 100, 300]),
                   pfc_refresh=f"{draw.choice([50, 200])}us")


@harm("pause-delay", incast=True, buffer="small", control="none", headroom="120KiB", up=1)
def pause_delay(draw, healthy):
    """A transmitter that obeys later than the headroom allows for."""
    link = healthy.link_of(draw.choice(healthy.data_senders()))
    return at_link(link, port(link[0], link[1]), pfc_response=f"{draw.choice([100, 200, 500])}us")


@harm("rnic-watchdog", drained=True, incast=True, control="none")
def rnic_watchdog(draw, healthy):
    return at_some(draw, healthy, receiver(draw, healthy), "rnic",
                   pfc_watchdog=f"{draw.choice([1, 3, 10])}us")


@harm("watchdog", shape="star", glacial=True, incast=True, workloads=1, kind="rdma-write", control="none")
def watchdog(draw, healthy):
    """It takes the pauses of a receiver that is slow by design for a storm."""
    rule = draw.choice(["mellanox", "mellanox-2024", "mellanox-2023", "broadcom"])
    return at_switch(healthy, some_switch(draw, healthy), watchdog="drop", watchdog_rule=rule,
                     watchdog_detection="100ms", watchdog_poll="100ms", watchdog_restoration="100ms")


# ---- thresholds

@harm("alpha", shape="pair", crossing=True, up=4, buffer="32MiB", control="none")
def alpha(draw, healthy):
    return at_some(draw, healthy, some_switch(draw, healthy), alpha=draw.choice(["0.1%", "0.2%"]),
                     xon_offset=draw.choice(["0B", "8400B", "1MiB"]))


@harm("xoff", shape="pair", crossing=True, up=4, buffer="32MiB", control="none")
def xoff(draw, healthy):
    return at_some(draw, healthy, some_switch(draw, healthy), policy="static",
                     xoff=draw.choice(["1KB", "2KB", "5KB"]))


@harm("receive-buffer", drained=True, incast=True, control="none")
def receive_buffer(draw, healthy):
    return at_some(draw, healthy, receiver(draw, healthy), "rnic", rx_buffer=draw.choice(["16KiB", "20KiB"]))


@harm("receive-xoff", drained=True)
def receive_xoff(draw, healthy):
    """A host that pauses at once and lets go late."""
    return at_some(draw, healthy, receiver(draw, healthy), "rnic", rx_xoff="1KB", rx_xon="0B")


@harm("marking", control="dcqcn", incast=True)
def marking(draw, healthy):
    return at_some(draw, healthy, some_switch(draw, healthy), ecn_kmin=draw.choice(["0B", "1KB"]),
                     ecn_kmax=draw.choice(["2KB", "5KB"]), ecn_pmax="100%")


@harm("ecn-off", control="dcqcn", incast=True)
def ecn_off(draw, healthy):
    """A switch that marks nothing: senders learn of its queues by pauses or losses alone."""
    return at_switch(healthy, some_switch(draw, healthy), ecn_kmin="0B", ecn_kmax="0B")


@harm("no-congestion-control", control="dcqcn", incast=True, shared="one", kind="rdma-write")
def no_congestion_control(draw, healthy):
    return at_host(draw, healthy, healthy.workloads[1]["from"][0], "rnic", congestion_control="none")


# ---- sizes and ways

@harm("mtu-link")
def mtu_link(draw, healthy):
    link = some_link(draw, healthy, 0.8)
    where = draw.choice([link_name(healthy, link), end_of(draw, link)])
    return at_link(link, where, mtu=draw.choice(["1500B", "2048B"]))


@harm("mtu-host")
def mtu_host(draw, healthy):
    host = draw.choice(healthy.used())
    return Harm(of_host(healthy, host), override(host, mtu=draw.choice(["1500B", "2200B"])))


@harm("path-mtu", kind="rdma-write", workloads=1)
def path_mtu(draw, healthy):
    return at_host(draw, healthy, draw.choice(healthy.used()), "rnic", path_mtu=draw.choice(["256B", "512B"]))


@harm("static-route", shape="leaf-spine")
def static_route(draw, healthy):
    at, to, via = wrong_way(draw, healthy)
    return Harm(of_switch(healthy, at), route(at, to, via))


@harm("ttl", shape="leaf-spine")
def ttl(draw, healthy):
    return at_some(draw, healthy, draw.choice(healthy.used()), "rnic", ttl=draw.choice([1, 2]))


@harm("deadlock", shape="ring", control="none", buffer="small")
def deadlock(draw, healthy):
    """What goes to the next switch but one goes round: each waits for the next when buffers fill."""
    ring = healthy.switches
    routes = []
    for i, switch in enumerate(ring):
        far = healthy.of_switch(ring[(i + 2) % len(ring)])
        routes.append(route(switch, far, ring[(i + 1) % len(ring)]))
    return Harm(set().union(*(of_switch(healthy, switch) for switch in ring)), *routes)


@harm("collision", shape="leaf-spine", spines=4, qps=8, kind="rdma-write", pairs=True, up=1, control="none")
def collision(draw, healthy):
    """All queue pairs of two hosts go one way."""
    leaves = {healthy.switch_of(host) for host in healthy.data_senders()}
    return at_switch(healthy, draw.choice(sorted(leaves)), ecmp_hash="addresses")


@harm("polarization", shape="fat-tree", qps=8, kind="rdma-write", pairs=True, up=1, control="none")
def polarization(draw, healthy):
    """Tiers that hash alike use half of the ways."""
    return Harm((), everywhere("fabric.switch", ecmp_seed=draw.randint(1, 100)))


@harm("slow-link")
def slow_link(draw, healthy):
    link = some_link(draw, healthy)
    return at_link(link, link_name(healthy, link), rate=draw.choice(["1Gbps", "5Gbps", "10Gbps"]))


@harm("long-link", buffer="32MiB")
def long_link(draw, healthy):
    link = some_link(draw, healthy)
    return at_link(link, link_name(healthy, link), delay=f"{draw.choice([10, 20, 40])}us")


@harm("slow-switch", buffer="128MiB")
def slow_switch(draw, healthy):
    return at_switch(healthy, some_switch(draw, healthy), latency=f"{draw.choice([10, 20, 50])}us")


@harm("weight", classes=True, shared="half", incast=True, kind="rdma-write")
def weight(draw, healthy):
    """One of two classes that meet at a host is starved."""
    starved, other = draw.choice([(3, 4), (4, 3)])
    values = draw.choice([{f"weight-{starved}": 1, f"weight-{other}": 99}, {f"weight-{other}": 0}])
    return at_switch(healthy, some_switch(draw, healthy), **values)


# ---- hosts and targets

@harm("slow-drain")
def slow_drain(draw, healthy):
    rate = healthy.rate * draw.choice([2, 5, 10, 15]) * 10
    return at_host(draw, healthy, receiver(draw, healthy), "rnic", drain=f"{rate}Mbps")


def nvme_work(draw, healthy):
    return draw.choice([work for work in healthy.workloads if work["kind"] == "nvme"])


@harm("host-cpu", kind="nvme")
def host_cpu(draw, healthy):
    host = draw.choice(nvme_work(draw, healthy)["from"])
    cost = {draw.choice(["submit_cost", "complete_cost"]): f"{draw.choice([10, 20, 40])}us"}
    return at_host(draw, healthy, host, "nvme", **cost)


@harm("io-timeout", kind="nvme")
def io_timeout(draw, healthy):
    host = draw.choice(nvme_work(draw, healthy)["from"])
    return at_some(draw, healthy, host, "nvme", io_timeout=f"{draw.choice([100, 200, 400])}us")


@harm("keep-alive", kind="nvme")
def keep_alive(draw, healthy):
    host = draw.choice(nvme_work(draw, healthy)["from"])
    return at_some(draw, healthy, host, "nvme", keep_alive=f"{draw.choice([50, 100, 300])}us")


@harm("target-cpu", kind="nvme")
def target_cpu(draw, healthy):
    cost = f"{draw.choice([10, 30, 60])}us"
    return at_host(draw, healthy, draw.choice(healthy.targets()), "target", command_cost=cost)


@harm("queue-size", kind="nvme")
def queue_size(draw, healthy):
    work = nvme_work(draw, healthy)
    if draw.random() < 0.5:
        return at_some(draw, healthy, draw.choice(work["from"]), "nvme", queue_size=2)
    return at_some(draw, healthy, draw.choice(work["to"]), "target", max_queue_size=2)


@harm("outstanding-reads", kind="rdma-read", all=True)
def outstanding_reads(draw, healthy):
    return at_some(draw, healthy, draw.choice(healthy.used()), "rnic", max_rd_atomic=1)


@harm("media", kind="nvme", to=2)
def slow_media(draw, healthy):
    """A target with devices slower than those of its like."""
    if len(healthy.targets()) < 2:
        return None
    host = draw.choice(healthy.targets())
    time = f"{draw.choice([200, 500])}us"
    slow = {"kind": "fixed", "read-latency": time, "write-latency": time, "parallel": 64}
    return Harm(of_host(healthy, host),
                namespaces(host, ["media.read-latency", "media.write-latency"], media=slow))


@harm("namespace-limit", kind="nvme", to=2)
def namespace_limit(draw, healthy):
    """A target that gives its users less than its like."""
    if len(healthy.targets()) < 2:
        return None
    host = draw.choice(healthy.targets())
    limit = draw.choice([("iops-limit", 5000), ("iops-limit", 20000), ("rate-limit", "1Gbps")])
    return Harm(of_host(healthy, host), namespaces(host, [limit[0]], **dict([limit])))


@harm("retry-count")
def retry_count(draw, healthy):
    """Gives up at once, and sooner than an answer may come."""
    return at_some(draw, healthy, draw.choice(healthy.used()), "rnic", timeout=draw.choice([1, 2]),
                   retry_count=draw.choice([0, 1]))


@harm("ack-timeout", incast=True)
def ack_timeout(draw, healthy):
    return at_some(draw, healthy, draw.choice(healthy.used()), "rnic", timeout=draw.choice([1, 2]))


@harm("receives", kind="rdma-send", all=True)
def receives(draw, healthy):
    """Messages find no posted receive."""
    index = draw.randrange(len(healthy.workloads))
    work = healthy.workloads[index]
    return Harm({work["name"], *work["to"]},
                of_workload(index, receives=1, receive_delay=f"{draw.choice([10, 30, 60])}us"))


# ---- NVMe over TCP


@harm("tcp-window", kind="nvme", tcp=True)
def tcp_window(draw, healthy):
    """A window of less than what is under way."""
    host = draw.choice(healthy.used() if draw.random() < 0.5 else healthy.data_receivers())
    return at_some(draw, healthy, host, "tcp", receive_buffer="32KiB", receive_buffer_max="32KiB")


@harm("tcp-send-buffer", kind="nvme", tcp=True, incast=True)
def tcp_send_buffer(draw, healthy):
    size = draw.choice(["4KiB", "8KiB"])
    return at_host(draw, healthy, draw.choice(healthy.data_senders()), "tcp", send_buffer=size, send_buffer_max=size)


@harm("tcp-core", kind="nvme", tcp=True, incast=True)
def tcp_core(draw, healthy):
    """One core does the work of all connections of a host."""
    cost = draw.choice(["1us", "3us"])
    return at_host(draw, healthy, draw.choice(healthy.used()), "tcp", cores=1, rx_segment_cost=cost)


@harm("tcp-slow-core", kind="nvme", tcp=True)
def tcp_slow_core(draw, healthy):
    """The cores of a host run at a part of their clock."""
    times = draw.choice([4, 8, 16])
    return at_host(draw, healthy, draw.choice(healthy.used()), "tcp", rx_batch_cost=f"{300 * times}ns",
                   rx_segment_cost=f"{100 * times}ns", tx_batch_cost=f"{500 * times}ns",
                   copy_cost=f"{195 * times}ns", interrupt_cost=f"{times}us")


@harm("tcp-tls", kind="nvme", tcp=True, incast=True, all=True)
def tcp_tls(draw, healthy):
    """A host that encrypts in software what others send in clear."""
    host = draw.choice([host for work in healthy.workloads for host in work["from"]])
    return at_host(draw, healthy, host, "nvme", tcp_tls=True)


@harm("tcp-in-capsule", kind="nvme", tcp=True, writes=True)
def tcp_in_capsule(draw, healthy):
    """Writes that need an R2T: a round trip more."""
    return at_some(draw, healthy, draw.choice(healthy.targets()), "target", tcp_in_capsule="0B")


@harm("tcp-mtu", kind="nvme", tcp=True, incast=True)
def tcp_mtu(draw, healthy):
    """Full segments are dropped, and no path MTU discovery finds it."""
    link = some_link(draw, healthy)
    return at_link(link, link_name(healthy, link), mtu="1500B")


@harm("tcp-loss", kind="nvme", tcp=True)
def tcp_loss(draw, healthy):
    link = some_link(draw, healthy)
    return fault_of_link("random-loss", link, link_name(healthy, link), rate=draw.choice(["0.001", "0.01", "0.03"]),
                         **when(draw, healthy))


@harm("tcp-interrupt", kind="nvme", tcp=True)
def tcp_interrupt(draw, healthy):
    delay = f"{draw.choice([20, 50, 100])}us"
    return at_some(draw, healthy, draw.choice(healthy.used()), "tcp", interrupt_delay=delay)


@harm("tcp-lost-tail", kind="nvme", tcp=True)
def tcp_lost_tail(draw, healthy):
    """What is lost at the end of an exchange waits for a probe or for the timeout of 200 ms."""
    link = healthy.link_of(draw.choice(healthy.used()))
    return fault_of_link("drop-every", link, end_of(draw, link), n=draw.choice([64, 128, 512]), **when(draw, healthy))
