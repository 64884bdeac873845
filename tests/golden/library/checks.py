# SPDX-License-Identifier: Apache-2.0
# checks - what a program in Python can rely on.  usage: checks.py JSON-OF-pause-storm-UNTIL-2ms
import json
import os
import signal
import sys
import threading
import time

import stormglass


def without_clock(values):
    return {key: value for key, value in values.items() if not key.endswith("_s") and key != "started_unix_s"}


with open(sys.argv[1], encoding="utf-8") as file:
    expected = json.load(file)

# The same object as the program's, also from a text.
seen = []
result = stormglass.run("pause-storm", seen.append, until="2ms")
assert without_clock(result) == without_clock(expected), "another result than that of the program"
assert result.digest == expected["digest"] and f"digest {result.digest}" in result.summary
assert result.end == "met" or result.end == "unmet"
assert result.value("workloads[1].latency_ns.p99") == expected["workloads"][1]["latency_ns"]["p99"]
kinds = {event.kind for event in seen}
assert {"pause", "resume", "paused", "continued", "completed", "state"} <= kinds and "packet" not in kinds, kinds
paused = [event for event in seen if event.kind == "continued"]
assert all(event.took_ps > 0 and event.priority == 3 for event in paused)
times = [event.at_ps for event in seen if event.kind not in ("progress", "state")]
assert times == sorted(times)

# Errors are exceptions with a place.
for scenario, settings, words in (
    ("stormglass: 1\nname: x\nworkload: []\n", {}, "scenario.yaml:3:1: error: "),
    ("pause-strom", {}, "did you mean 'pause-storm'?"),
    ("pause-storm", {"fabric.nope": 1}, "--set:1:8: error: "),
    ("pause-storm", {"until": "x"}, "until: "),
    ("pause-storm", {"kinds": ["pauses"]}, "unknown kind of event 'pauses'"),
):
    try:
        stormglass.run(scenario, **settings)
    except stormglass.Error as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"no error: {words}")

# A listener stops the run by False, and its exceptions pass through.
stopped = stormglass.run("pause-storm", lambda event: False, kinds=["pause"], confirm=0)
assert stopped.end == "stopped" and stopped["status"] == "interrupted"
try:
    stormglass.run("pause-storm", lambda event: 1 / 0, kinds=["pause"])
    raise AssertionError("the exception is lost")
except ZeroDivisionError:
    pass

# The iterator: all events of the run, its result, an error, and an early end.
events = stormglass.events("pause-storm", kinds=["pause"], until="2ms", seed=3)
listed = [event.text for event in events]
assert len(listed) > 10 and events.result["seed"] == 3
try:
    next(stormglass.events("pause-strom"))
    raise AssertionError("no error of the iterator")
except stormglass.Error:
    pass
with stormglass.events("pause-storm", kinds=["packet"]) as events:
    next(events)
assert threading.active_count() == 1 and events.result.end == "stopped"

# Ctrl-C ends a run.
threading.Thread(target=lambda: (time.sleep(0.3), os.kill(os.getpid(), signal.SIGINT))).start()
begun = time.time()
try:
    stormglass.run("pause-storm", duration="100s", confirm=0)
    raise AssertionError("not interrupted")
except KeyboardInterrupt:
    assert time.time() - begun < 60
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
print("ok    Python")
