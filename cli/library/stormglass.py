# SPDX-License-Identifier: Apache-2.0
"""Runs stormglass scenarios: NVMe over Fabrics on lossless Ethernet, simulated frame by frame.

    import stormglass
    result = stormglass.run("pause-storm", seed=2, **{"hosts.defaults.rnic.congestion-control": "none"})
    print(result["digest"], result["workloads"][0]["latency_ns"]["p99"])

A module of one file on libstormglass (stormglass(3)), without other dependencies. The library is
found next to the module's installation, by the dynamic linker, or by STORMGLASS_LIBRARY.
"""

import collections
import ctypes
import json
import os
import queue
import signal
import threading

OPTIONS = ("seed", "until", "threads", "record", "interval", "confirm", "waits", "output")
KINDS = ("packet", "drop", "pause", "resume", "paused", "continued", "completed", "failed", "state", "note", "progress")
ENDS = {0: "met", 1: "unmet", 2: "invalid", 3: "failed", 5: "stopped"}

Event = collections.namedtuple("Event", "kind at_ps place priority workload took_ps bytes text")


class Error(Exception):
    """The scenario, an option or a value is wrong, or the run could not be carried out."""


class _Event(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_uint),
        ("priority", ctypes.c_int),
        ("at_ps", ctypes.c_int64),
        ("took_ps", ctypes.c_int64),
        ("bytes", ctypes.c_int64),
        ("word", ctypes.c_char_p),
        ("place", ctypes.c_char_p),
        ("workload", ctypes.c_char_p),
        ("text", ctypes.c_char_p),
    ]


_LISTENER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Event))


def _load():
    here = os.path.dirname(os.path.abspath(__file__))
    name = "libstormglass.so.1"
    installed = os.path.join(here, "..", "..", name)
    for path in (os.environ.get("STORMGLASS_LIBRARY"), installed, name):
        if path and (path == name or os.path.exists(path)):
            break
    library = ctypes.CDLL(path)
    handle, text = ctypes.c_void_p, ctypes.c_char_p
    for function, result, *arguments in (
        ("library_version", text),
        ("new", handle),
        ("free", None, handle),
        ("option", ctypes.c_int, handle, text, text),
        ("set", ctypes.c_int, handle, text, text),
        ("listen", None, handle, ctypes.c_uint, _LISTENER, handle),
        ("run_file", ctypes.c_int, handle, text),
        ("run_text", ctypes.c_int, handle, text, ctypes.c_size_t, text),
        ("stop", None, handle),
        ("messages", text, handle),
        ("json", text, handle),
        ("summary", text, handle),
    ):
        found = getattr(library, "stormglass_" + function)
        found.restype, found.argtypes = result, arguments
    return library


_library = _load()
__version__ = _library.stormglass_library_version().decode()


def _text(value):
    if isinstance(value, bool):
        return b"true" if value else b"false"
    return str(value).encode()


class Result(dict):
    """The object of `stormglass run --json`, as a dict.

    end:      "met", "unmet" (an expectation failed) or "stopped"
    summary:  the text that `stormglass run` prints
    messages: warnings and notes
    """

    def __init__(self, values, end, summary, messages):
        super().__init__(values)
        self.end, self.summary, self.messages = end, summary, messages

    @property
    def digest(self):
        return self["digest"]

    def value(self, key):
        """A value by its key: "workloads[0].latency_ns.p99"."""
        found = self
        for part in key.replace("[", ".").replace("]", "").split("."):
            found = found[int(part)] if isinstance(found, list) else found[part]
        return found

    def to_pandas(self, table="workloads"):
        """A list of the result, such as workloads, causes or timeline, as a pandas DataFrame."""
        import pandas  # only here, so that the module does without it

        return pandas.json_normalize(self[table])


class _Run:
    """A handle of the library."""

    def __init__(self, settings):
        self.handle = _library.stormglass_new()
        if not self.handle:
            raise MemoryError
        self.interrupted, self.raised = False, None
        self.callback = _LISTENER()
        try:
            for name, value in settings.items():
                self.apply(name, value)
        except BaseException:
            self.close()
            raise

    def apply(self, name, value):
        if name in OPTIONS:
            text = None if value is None else _text(value)
            end = _library.stormglass_option(self.handle, name.encode(), text)
        else:
            end = _library.stormglass_set(self.handle, name.encode(), _text(value))
        if end:
            raise Error(self.messages())

    def messages(self):
        return _library.stormglass_messages(self.handle).decode(errors="replace").rstrip("\n")

    def listen(self, kinds, on_event):
        mask = sum(1 << KINDS.index(kind) for kind in kinds)

        def call(_, pointer):
            try:
                event = pointer.contents
                if not event.kind & mask:
                    return 0
                told = Event(
                    event.word.decode(), event.at_ps, event.place.decode(), event.priority if event.priority >= 0 else None,
                    event.workload.decode() or None, event.took_ps if event.took_ps >= 0 else None,
                    event.bytes if event.bytes >= 0 else None, event.text.decode(errors="replace"))
                return 1 if on_event(told) is False else 0
            except BaseException as error:  # it cannot pass through the library
                self.raised = error
                return 1

        self.callback = _LISTENER(call)
        # Progress in any case: signals of Python are handled while a callback runs.
        _library.stormglass_listen(self.handle, mask | 1 << KINDS.index("progress"), self.callback, None)

    def interrupt(self, *_):
        self.interrupted = True
        _library.stormglass_stop(self.handle)

    def play(self, scenario):
        former = None
        if threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                former = signal.signal(signal.SIGINT, self.interrupt)
        try:
            if "\n" in scenario:
                text = scenario.encode()
                end = _library.stormglass_run_text(self.handle, text, len(text), b"scenario.yaml")
            else:
                end = _library.stormglass_run_file(self.handle, os.fsencode(scenario))
        finally:
            if former is not None:
                signal.signal(signal.SIGINT, former)
        if self.raised is not None:
            raise self.raised
        if self.interrupted:
            raise KeyboardInterrupt
        if ENDS[end] in ("invalid", "failed"):
            raise Error(self.messages())
        return Result(
            json.loads(_library.stormglass_json(self.handle)), ENDS[end],
            _library.stormglass_summary(self.handle).decode(), self.messages())

    def close(self):
        _library.stormglass_free(self.handle)


def run(scenario, on_event=None, kinds=None, **settings):
    """Runs a scenario and returns its Result.

    scenario: the path of a file, the name of a built-in case, or the text of a scenario
    on_event: called with each Event of `kinds` (default: all but packet); returns False to stop the run
    settings: options of `stormglass run` (OPTIONS), and values of the scenario by their path

    Raises Error with the place of each error.
    """
    kinds = tuple(kind for kind in KINDS if kind != "packet") if kinds is None else tuple(kinds)
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise Error(f"unknown kind of event '{unknown[0]}'; there are {', '.join(KINDS)}")
    handle = _Run(settings)
    try:
        handle.listen(kinds if on_event else (), on_event)
        return handle.play(os.fspath(scenario))
    finally:
        handle.close()


class events:
    """Iterates over the events of a run while it is in progress; then `result` is its Result.

        for event in stormglass.events("pause-storm", kinds=["drop", "pause"]):
            print(event.at_ps, event.place, event.text)

    Leaving the loop and closing the iterator stops the run.
    """

    def __init__(self, scenario, kinds=None, **settings):
        self.result, self.error = None, None
        self._queue, self._closed = queue.Queue(1000), False
        self._thread = threading.Thread(target=self._play, args=(scenario, kinds, settings), daemon=True)
        self._thread.start()

    def _put(self, event):
        while not self._closed:
            try:
                self._queue.put(event, timeout=0.1)
                return True
            except queue.Full:
                pass
        return False

    def _play(self, scenario, kinds, settings):
        try:
            self.result = run(scenario, self._put, kinds, **settings)
        except BaseException as error:  # raised in the thread that iterates
            self.error = error
        self._put(None)

    def __iter__(self):
        return self

    def __next__(self):
        event = None if self._closed else self._queue.get()
        if event is not None:
            return event
        self.close()
        if self.error is not None:
            error, self.error = self.error, None
            raise error
        raise StopIteration

    def close(self):
        self._closed = True
        self._thread.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self._closed = True
