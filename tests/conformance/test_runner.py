"""Who notices a change: confirmed without it, one by one where a check ends the process, crashes ignored on request."""

import os

from lemmata.experiments.conformance import runner
from lemmata.experiments.conformance.runner import Check, try_change

CHANGED = []


def change():
    CHANGED.append(True)


def sees():
    return "another" if CHANGED else runner.PASSED


def dies():
    return os._exit(1) if CHANGED else runner.PASSED


def test_the_first_or_every_noticer_is_named():
    checks = [Check("blind", lambda: runner.PASSED), Check("one", sees), Check("two", sees)]
    assert try_change(change, checks).noticers == ["one"]
    assert try_change(change, checks, every=True).noticers == ["one", "two"]
    assert try_change(int, checks).passed == 3 and not CHANGED


def test_a_check_that_comes_out_otherwise_without_the_change_notices_nothing():
    always = Check("always", lambda: "refuted")
    assert try_change(change, [always, Check("one", sees)]).noticers == ["one"] and always.expected == "refuted"


def test_a_check_that_ends_the_process_notices_unless_crashes_are_ignored():
    checks = [Check("blind", lambda: runner.PASSED), Check("dies", dies), Check("one", sees)]
    assert try_change(change, checks, every=True).noticers == ["dies", "one"]
    checks[1].ignores = runner.CRASHED
    assert try_change(change, checks, every=True).noticers == ["one"]


def test_a_change_that_cannot_be_made_is_invalid():
    def impossible():
        raise ValueError("stands twice")

    assert try_change(impossible, [Check("one", sees)]).invalid == "stands twice"
