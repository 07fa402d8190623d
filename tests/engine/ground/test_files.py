"""Files that people keep are read strictly: a damaged one is named in one line, and never half believed."""

import random
import shutil
import sqlite3

import pytest

from lemmata.bounds.catalogue.paper_file import read_errata, read_table
from lemmata.bounds.library import Library, PaperError, library
from lemmata.experiments.conformance import accepted, numbers
from lemmata.experiments.engine.ground.files import replace_file, write_table
from lemmata.experiments.engine.ledger import published
from lemmata.experiments.engine.running.store import Chunk, Store, StoreError
from tests.engine.running import faults
from tests.test_fifth_paper import FOLDER

PAPER = library.papers["rbht09"]
TRIES = 150  # damaged copies of each kind of file; `make soak` asks a hundred times as many


def damaged(data, rng):
    """A copy with a byte changed, put in or taken out, cut short, a line lost or twice, or what is no text."""
    place = rng.randrange(len(data))
    lines = data.splitlines(keepends=True)
    line = rng.randrange(len(lines))
    return rng.choice(
        [
            data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :],
            data[:place] + bytes([rng.randrange(256)]) + data[place:],
            data[:place] + data[place + 1 :],
            data[:place],
            b"".join(lines[:line] + lines[line + 1 :]),
            b"".join([*lines[:line], lines[line], *lines[line:]]),
            data[:place] + b'"' + data[place:],
            data[:place] + b"\n" + data[place:],
            b"\xef\xbb\xbf" + data,
            b"",
        ]
    )


def of_papers(name, read):
    """(the bytes of a table beside a paper.toml, its reader for another folder)."""

    def reader(folder):
        shutil.copy(PAPER.folder / "paper.toml", folder)
        return read(Library().add(folder)) if read else read_errata(folder)

    return (PAPER.folder / name).read_bytes(), name, reader


def stored(folder):
    with Store(folder / "ledger.sqlite", reading=True) as store:
        store.read("a", "c", 1, ("{}", "main", 1, ""))
        return store.costs(), store.roots(), store.profile("a", "c", 1)


def of_the_store(tmp_path):
    path = tmp_path / "first.sqlite"
    with Store(path) as store:
        for index in range(20):
            chunk = Chunk({"trials": 9, "failures": index % 3}, 0.1, bytes([index]) * 16)
            store.write("a", "c", 1, ("{}", "main", 1, ""), index, chunk)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA journal_mode=DELETE")
    db.close()
    return path.read_bytes(), "ledger.sqlite", stored


KINDS = {
    "accepted": lambda _: of_papers("accepted.csv", accepted.read),
    "numbers": lambda _: of_papers("numbers.csv", numbers.read),
    "errata": lambda _: of_papers("errata.csv", None),
    "paper": lambda _: ((FOLDER / "paper.toml").read_bytes(), "paper.toml", lambda folder: Library().add(folder)),
    "published": lambda _: (PUBLISHED, "published/ledger.csv", published.read_rows),
    "store": of_the_store,
}
PUBLISHED = b"".join(published.SHIPPED.read_bytes().splitlines(keepends=True)[:8])


def survives(kind, tmp_path, tries, seed):
    """What each damaged copy came to; all that is raised is one line that names the file."""
    data, name, read = KINDS[kind](tmp_path)
    rng, refused = random.Random(seed), 0
    for number in range(tries):
        folder = tmp_path / f"{kind}-{number}"
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(damaged(data, rng))
        try:
            read(folder)
        except (PaperError, StoreError) as error:
            refused += 1
            assert len(str(error).splitlines()) == 1 and name in str(error), error
        shutil.rmtree(folder)
    return refused


@pytest.mark.parametrize(("tries", "seed"), [(TRIES, 1), pytest.param(100 * TRIES, 2, marks=pytest.mark.soak)])
@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_one_line_that_names_it(kind, tmp_path, tries, seed):
    assert survives(kind, tmp_path, tries, seed), "nothing was refused: the damage is none"


@pytest.mark.parametrize(("old", "new"), [(b"CREATE TABLE done", b"CREATE \xff\xffBLE done"), (b"main", b"ma\xffn")])
def test_text_of_a_store_that_is_no_text_is_named_too(old, new, tmp_path):
    """In a table's definition SQLite quotes it in what it says, and in a row it is met when that is fetched."""
    data, name, read = of_the_store(tmp_path)
    assert old in data
    (tmp_path / name).write_bytes(data.replace(old, new))
    with pytest.raises(StoreError, match=name):
        read(tmp_path)


def test_a_table_is_written_and_read_as_a_whole(tmp_path):
    path = tmp_path / "deep" / "table.csv"
    assert read_table(path, ("a", "b")) == []
    write_table(path, ("a", "b"), [("1", "two, and\na half"), ("", '"')])
    assert read_table(path, ("a", "b")) == [{"a": "1", "b": "two, and\na half"}, {"a": "", "b": '"'}]
    assert [file.name for file in path.parent.iterdir()] == ["table.csv"]
    with pytest.raises(UnicodeEncodeError):
        replace_file(path, "\ud800")
    assert read_table(path, ("a", "b")) and [file.name for file in path.parent.iterdir()] == ["table.csv"]


@pytest.mark.slow
def test_a_damaged_list_of_errata_ends_accept_before_anything_is_written(tmp_path):
    folder = shutil.copytree(FOLDER, tmp_path / "paper", ignore=shutil.ignore_patterns("__pycache__", "reports"))
    (folder / "errata.csv").write_text("number,key,status\nE1,inv25.lem2/printed\n")
    ran = faults.run(faults.command("run", folder, "--jobs", "1"))  # in a fork: the paper is known there only
    assert ran.status in (0, 1), ran.said
    refused = faults.run(faults.command("accept", folder))
    assert (
        refused.status == 2 and "errata.csv: record 2 must have fields number,key,status, got 2 fields" in refused.said
    )
    assert (folder / "errata.csv").read_text() == "number,key,status\nE1,inv25.lem2/printed\n"
