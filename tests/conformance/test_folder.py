"""A paper in a folder of its own: it runs at once, is accepted and checked, and pytest has an item a row."""

import json
import re

import pytest

pytestmark = pytest.mark.slow

STRAY = """
from lemmata.paper import exact_claim, exists_claim, holds


def wrong(n):
    return n


room = odd_sum.explicit(says="x")(lambda *, n: n**2 + 1)
swept = odd_sum.explicit(part="swept", says="x")(lambda *, n: n**2)
one = odd_sum.explicit(part="one", says="x")(lambda *, n: n**2)


@inequality_claim(room, evidence="sampled", scope="settings")
def there_is_room():
    for n in range(1, 5):
        yield {"n": n}, float(n**2), odd_sum_corrected(n=n) + 0 * room(n=n)


@exact_claim(swept)
def a_machine_saw_it_all(*, factor=1):
    return holds("enumeration", "everywhere" if swept(n=1) else "settings")


@exists_claim(one, caught=(2,))
def there_is_one():
    yield {"n": 1}, 1, one(n=1)
"""
DERIVATION = "    Derivation. 2i - 1 = i^2 - (i - 1)^2, and the sum telescopes.\n"


def rows(folder, *more):
    done = folder.lemmata("ledger", "--json", *more)
    assert done.returncode == 0, done.stderr
    return {row["key"]: row for row in json.loads(done.stdout)}


def test_it_runs_is_accepted_checked_and_tested(folder):
    ran = folder.lemmata("run", "--jobs", 2)
    assert ran.returncode == 0 and "results are in" in ran.stderr, ran.stderr
    assert {key: row["verdict"] for key, row in rows(folder).items()} == {
        "odd.lem1/printed": "REFUTED",
        "odd.lem1/corrected": "HOLDS",
    }
    failed = folder.run("pytest", "-q", "-p", "no:cacheprovider")
    assert failed.returncode == 1 and "its verdict REFUTED is not accepted yet" in failed.stdout
    accepted = folder.lemmata("accept")
    assert accepted.returncode == 0 and "odd.lem1/printed: new -> REFUTED" in accepted.stdout, accepted.stderr
    assert "E1,odd.lem1/printed,found" in (folder / "errata.csv").read_text()
    checked = folder.lemmata("check")
    assert (checked.returncode, checked.stdout) == (0, "nothing is missing\n"), checked.stdout
    tested = folder.run("pytest", "-q", "-p", "no:cacheprovider")
    assert tested.returncode == 0 and "3 passed" in tested.stdout, tested.stdout
    assert folder.lemmata("accept").stdout == "", "what has not changed is not looked at again"
    pages = folder.lemmata("report")
    assert pages.returncode == 0, pages.stderr
    made = sorted(path.name for path in (folder / "reports" / "statements").glob("*.html"))
    assert made == ["odd.lem1.html"] and "odd:E1" in (folder / "reports" / "errata" / "odd.html").read_text()


def test_what_a_module_prints_is_no_row(folder):
    with (folder / "odd_numbers.py").open("a") as file:
        file.write('\nprint("loaded")\n')
    ran = folder.lemmata("run", "lem1/corrected", "--jobs", 1)
    assert ran.stdout.startswith("odd.lem1/corrected") and "loaded" in ran.stderr


def test_a_changed_statement_verdict_or_witness_fails_its_item(folder):
    folder.lemmata("accept")
    folder.edit("odd_numbers.py", "    return n**2\n\n\n#", "    return n**2 + 0\n\n\n#")
    said = folder.run("pytest", "-q", "-p", "no:cacheprovider").stdout
    assert "odd.lem1/corrected: its statement has changed since it was accepted" in said
    assert "1 failed, 2 passed" in said
    folder.edit("odd_numbers.py", "    return n**2 + 0\n\n\n#", "    return n**2\n\n\n#")
    folder.edit("odd_numbers.py", "assert 1 > odd_sum(n=1)", "assert 1 < odd_sum(n=1)")
    said = folder.run("pytest", "-q", "-p", "no:cacheprovider").stdout
    assert (
        "odd.lem1/printed: its verdict was accepted as REFUTED and is now INCONCLUSIVE (UNCONFIRMED): "
        "off by one; its check refutes it, but its program failed in its own process: AssertionError\n" in said
    )
    folder.edit("odd_numbers.py", "assert 1 < odd_sum(n=1)", "assert 1 > odd_sum(n=1)")
    folder.edit("odd_numbers.py", "    return n**2 - 1\n", "    return n**2\n")
    said = folder.run("pytest", "-q", "-p", "no:cacheprovider").stdout
    assert "odd.lem1/printed: its verdict was accepted as REFUTED and is now INCONCLUSIVE (CONTROL_FAILED)" in said


def test_an_edited_check_or_helper_is_computed_anew(folder):
    (folder / "helpers.py").write_text("def total(n):\n    return sum(range(1, 2 * n, 2))\n")
    folder.edit("odd_numbers.py", "sum(range(1, 2 * n, 2)), odd_sum_corrected", "helpers.total(n), odd_sum_corrected")
    folder.edit("odd_numbers.py", "from lemmata.paper", "import helpers\nfrom lemmata.paper")
    folder.lemmata("run")
    assert rows(folder)["odd.lem1/corrected"]["verdict"] == "HOLDS"
    (folder / "helpers.py").write_text("def total(n):\n    return sum(range(1, 2 * n, 2)) + 1\n")
    folder.lemmata("run")
    fallen = rows(folder)["odd.lem1/corrected"]
    assert (fallen["verdict"], fallen["reason"]) == ("INCONCLUSIVE", "UNCONFIRMED")
    assert "its check refutes it, but it has no program" in fallen["note"]
    folder.edit("odd_numbers.py", "helpers.total(n), odd", "helpers.total(n) - 1, odd")
    folder.lemmata("run")
    assert rows(folder)["odd.lem1/corrected"]["verdict"] == "HOLDS"


def found(folder):
    done = folder.lemmata("check", "--json")
    assert done.returncode == 1, done.stderr
    return {(each["row"], each["rule"]): each["sentence"] for each in json.loads(done.stdout)}


def test_check_says_what_is_missing(folder):
    folder.edit("odd_numbers.py", DERIVATION, "    It does.\n")
    folder.edit("odd_numbers.py", 'severity="constant", ', "")
    folder.edit("odd_numbers.py", "    >>> odd_sum(n=3)\n    8\n", "    No example.\n")
    with (folder / "odd_numbers.py").open("a") as file:
        file.write(STRAY)
    folder.edit("paper.toml", "[expected]", '"lem2" = "Lemma 2"\n[expected]\n"lem1/corrected:tie" = "never"')
    said = found(folder)
    assert {
        ("odd.lem1/printed", "accepted"),
        ("odd.lem1/printed", "refuted"),
        ("odd.lem1/printed", "numbers"),
        ("odd.lem1/explicit/swept", "undecided"),
        ("odd.lem1/explicit", "oracle"),
        ("odd.lem1/explicit", "tie"),
        ("odd.lem2/printed", "open"),
        ("lem1/corrected:tie", "expected"),
    } <= said.keys(), said
    assert said["odd.lem1/printed", "refuted"] == "it is refuted and needs a severity: privacy, statement or constant"
    assert not {("odd.lem1/corrected", "undecided"), ("odd.lem1/explicit/one", "undecided")} & said.keys(), said


def test_check_says_that_nothing_shows_that_a_row_falls(folder):
    folder.edit("odd_numbers.py", "python=WITNESS, ", "")
    assert "off by one; its check refutes it, but it has no program" in found(folder)["odd.lem1/printed", "undecided"]


def test_what_says_derived_and_names_no_step_is_an_error_in_its_line(folder):
    folder.lemmata("accept")
    folder.edit("odd_numbers.py", DERIVATION, "    It does.\n")
    folder.lemmata("run")
    tried = rows(folder)["odd.lem1/corrected"]
    assert (tried["verdict"], tried["evidence"], tried["scope"]) == ("HOLDS", "tested", "settings")
    folder.edit("odd_numbers.py", "claim(odd_sum_corrected)", 'claim(odd_sum_corrected, evidence="derivation")')
    for command in ("run", "check", "accept"):
        done = folder.lemmata(command)
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, (command, done.stderr)
        assert "odd_numbers.py:" in done.stderr
        assert "odd.lem1/corrected: evidence = 'derivation' requires given=[rows], or" in done.stderr


def test_what_is_expected_to_fail_says_why(folder):
    with (folder / "odd_numbers.py").open("a") as file:
        file.write(STRAY)
    reasons = {(row, rule): "everybody knows" for row, rule in found(folder) if rule != "accepted"}
    assert ("odd.lem1/explicit/swept", "undecided") in reasons
    lines = "\n".join(f'"{row}:{rule}" = "{why}"' for (row, rule), why in reasons.items())
    folder.edit("paper.toml", "[expected]", f"[expected]\n{lines}")
    folder.lemmata("accept")
    checked = folder.lemmata("check")
    assert checked.returncode == 0, checked.stdout


def test_mistakes_are_one_line_with_file_and_name(folder, tmp_path):
    for arguments, said in (
        (("run", "nothing"), "ID must name a statement, module or paper, got 'nothing'"),
        (("run", tmp_path / "experiments"), "PATH must be a folder with a paper.toml"),
        (("check", "nothing"), "PATH must be a folder with a paper.toml or the id of a paper, got nothing"),
        (("new-paper", "Odd Paper"), "NAME must be a lower-case letter followed by"),
        (("new-paper", "wzw25"), "NAME must differ from the built-in papers, got 'wzw25'"),
        (("explain",), "Missing argument"),
    ):
        done = folder.lemmata(*arguments)
        lines = done.stderr.strip().splitlines()
        assert done.returncode == 2 and said in lines[-1], (arguments, done.stderr)
        assert "Traceback" not in done.stderr
    with (folder / "odd_numbers.py").open("a") as file:
        file.write("\nSUM = 1 / 0\n")
    done = folder.lemmata("run")
    assert done.returncode == 2 and "odd_numbers.py:" in done.stderr and "ZeroDivisionError" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    tested = folder.run("pytest", "-q", "-p", "no:cacheprovider")
    assert "ZeroDivisionError: division by zero" in tested.stdout and "Traceback" not in tested.stdout


def test_a_tie_is_asked_again_where_the_check_changed(folder):
    """A check that comes less near to the bound has another tie, though the statement is what it was."""
    assert folder.lemmata("accept").returncode == 0
    folder.edit(
        "odd_numbers.py", "@inequality_claim(odd_sum_corrected)", "@inequality_claim(odd_sum_corrected, caught=(16,))"
    )
    folder.edit(
        "odd_numbers.py",
        "sum(range(1, 2 * n, 2)), odd_sum_corrected",
        "sum(range(1, 2 * n, 2)) // 4, odd_sum_corrected",
    )
    said = folder.lemmata("accept").stdout
    assert "odd.lem1/corrected: HOLDS" in said and "tie 0.125" in said, said
    assert folder.lemmata("accept").stdout == "", "what nobody changed is not told again"
    assert re.search(r"about \d+ CPU-seconds", folder.lemmata("check").stderr)


DEAF = """
from lemmata.command.main import main
from lemmata.experiments.conformance.numbers import Number
Number.noticed_by = None  # whoever asks again ends here
main(["accept"])
"""


def test_what_was_found_before_accept_was_stopped_is_not_looked_for_again(folder):
    folder.lemmata("accept")
    table = (folder / "numbers.csv").read_text()
    assert "odd.lem1" in table
    (folder / "numbers.csv").unlink()
    again = folder.run("", flags=("-c", DEAF))
    assert again.returncode == 0 and (folder / "numbers.csv").read_text() == table, again.stderr
