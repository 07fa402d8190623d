"""A limit on time rings once, and leaves the process as it found it, whenever it rings."""

import signal

import pytest

from lemmata.experiments.engine.ground.deadline import deadline


def ring_on_the_way_out(monkeypatch):
    """The timers ring while they are being switched off."""
    plain, rung = signal.setitimer, []

    def setitimer(which, seconds, *interval):
        if seconds == 0 and len(rung) < 2:
            rung.append(which)
            signal.raise_signal(signal.SIGPROF)
        return plain(which, seconds, *interval)

    monkeypatch.setattr(signal, "setitimer", setitimer)


@pytest.mark.parametrize("body_fails", [False, True])
def test_a_limit_that_rings_on_the_way_out_is_over(monkeypatch, body_fails):
    before = signal.getsignal(signal.SIGPROF), signal.getsignal(signal.SIGALRM)
    ring_on_the_way_out(monkeypatch)
    with pytest.raises(TimeoutError), deadline(100):
        if body_fails:
            raise ValueError
    assert (signal.getsignal(signal.SIGPROF), signal.getsignal(signal.SIGALRM)) == before
    assert signal.getitimer(signal.ITIMER_PROF) == signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_limit_that_is_reached_raises_and_is_over():
    with pytest.raises(TimeoutError, match="no result after"), deadline(0.01):
        while True:
            pass
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
