"""A limit on time rings until it is over, and leaves the process as it found it, whenever it rings."""

import contextlib
import resource
import signal
import sys
import time
import weakref

import numpy as np
import pytest

from lemmata.experiments.engine.ground.deadline import deadline, memory_limit


def ring_on_the_way_out(monkeypatch):
    """The timers ring while they are being switched off."""
    plain, rung = signal.setitimer, []

    def setitimer(which, seconds, *interval):
        if seconds == 0 and len(rung) < 2:
            rung.append(which)
            signal.raise_signal(signal.SIGPROF)
        return plain(which, seconds, *interval)

    monkeypatch.setattr(signal, "setitimer", setitimer)


@pytest.mark.parametrize("error", [None, ValueError])
def test_a_limit_that_rings_on_the_way_out_is_over(monkeypatch, error):
    before = signal.getsignal(signal.SIGPROF), signal.getsignal(signal.SIGALRM)
    ring_on_the_way_out(monkeypatch)
    with pytest.raises(error) if error else contextlib.nullcontext(), deadline(100):
        if error:
            raise error
    assert (signal.getsignal(signal.SIGPROF), signal.getsignal(signal.SIGALRM)) == before
    assert signal.getitimer(signal.ITIMER_PROF) == signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_limit_that_is_swallowed_rings_again():
    with pytest.raises(TimeoutError), deadline(0.05):
        for _ in range(3):
            with contextlib.suppress(TimeoutError):
                while True:
                    pass
        while True:
            pass


def test_a_limit_that_is_reached_raises_and_is_over():
    with pytest.raises(TimeoutError, match="no result after"), deadline(0.01):
        while True:
            pass
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_a_limit_that_is_reached_while_a_with_closes_leaves_no_timer_and_no_setting():
    """The alarm rings at every call that opens or closes `with numpy.errstate` or the limit itself."""
    rung = []

    def ring_within(frame, event, _):
        caller = frame
        while caller is not None and caller.f_code.co_name not in ("__enter__", "__exit__"):
            caller = caller.f_back
        if event == "call" and caller is not None and (handler := signal.getsignal(signal.SIGPROF)) is not before:
            rung.append(frame.f_code.co_name)
            handler(signal.SIGPROF, frame)

    before, settings, tracer = signal.getsignal(signal.SIGPROF), np.geterr(), sys.gettrace()
    try:
        with deadline(100):
            sys.settrace(ring_within)
            with contextlib.ExitStack() as stack:
                stack.enter_context(np.errstate(all="ignore"))
    finally:
        sys.settrace(tracer)
    assert len(rung) > 2 and np.geterr() == settings
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0) and signal.getsignal(signal.SIGPROF) is before


def test_a_limit_that_is_reached_while_an_object_dies_is_not_lost():
    """An error in a callback is printed and forgotten: what is called there is waited for."""

    class Mortal:
        def __del__(self):
            end = time.process_time() + 0.05
            while time.process_time() < end:
                pass

    lost = []

    def wait(_):
        Mortal().__del__()

    hook, sys.unraisablehook = sys.unraisablehook, lost.append
    try:
        for leave in (lambda one: None, lambda one: weakref.finalize(one, wait, 0)):
            with pytest.raises(TimeoutError), deadline(0.02):
                one = Mortal()
                leave(one)
                del one
                while True:
                    pass
    finally:
        sys.unraisablehook = hook
    assert lost == []


@pytest.mark.skipif(sys.platform != "linux", reason="what a process has is read from /proc")
def test_what_asks_for_more_memory_than_it_may_fails_and_nothing_else_does():
    before = resource.getrlimit(resource.RLIMIT_AS)
    with memory_limit(2**28):
        assert np.ones(2**20).sum() == 2**20
        with pytest.raises(MemoryError):
            np.ones(2**27)
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert np.ones(2**27).size == 2**27


def test_a_compiler_is_waited_for():
    """One that is interrupted leaves the functions that it was at broken for good."""
    source = (
        "def compile_for(seconds):\n    end = clock() + seconds\n    while clock() < end:\n        pass\n    return 1"
    )
    compiler = {"__name__": "numba.core.toy", "clock": time.process_time}
    exec(source, compiler)
    done = []
    with pytest.raises(TimeoutError), deadline(0.01):
        done.append(compiler["compile_for"](0.1))
        while True:
            pass
    assert done == [1]
