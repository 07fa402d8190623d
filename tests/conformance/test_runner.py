"""Who notices a change: confirmed without it, past one that ends the process, crashes ignored on request."""

import os
import time

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


def test_one_that_ends_the_process_costs_no_child_for_each_of_the_others(monkeypatch):
    children, fork = [], runner.in_child
    monkeypatch.setattr(runner, "in_child", lambda *asked: children.append(asked) or fork(*asked))
    blind = [Check("blind", lambda: runner.PASSED) for _ in range(50)]
    tried = try_change(change, [*blind, Check("dies", dies, ignores=runner.CRASHED), *blind, Check("one", sees)])
    assert tried.noticers == ["one"] and tried.passed == 100 and len(children) == 4  # the last confirms


def test_time_that_others_took_is_no_news():
    slow = [Check(f"slow {k}", lambda: time.sleep(0.2) or runner.PASSED) for k in range(8)]
    assert try_change(int, slow, seconds=1.0) == runner.Tried([], 8)


def test_patience_ends_between_two_checks():
    def works():
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass
        return runner.PASSED

    tried = try_change(change, [Check("works", works), Check("one", sees)], patience=0.1)
    assert tried.noticers == [] and tried.passed == 1


def test_a_change_that_cannot_be_made_is_invalid():
    def impossible():
        raise ValueError("stands twice")

    assert try_change(impossible, [Check("one", sees)]).invalid == "stands twice"
