"""What a code hash must notice, and what it must not."""

import ast
import os
import re
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import pytest

from lemmata.experiments.engine.claims import attack, fingerprint, registry
from lemmata.experiments.engine.claims.claim import CLAIMS
from lemmata.experiments.engine.claims.fingerprint import hash_code
from lemmata.mechanisms import solvers
from lemmata.mechanisms.numerics import kernel_choice


def made(text):
    scope = {"__name__": "tests.engine.claims.test_fingerprint"}
    exec(compile(textwrap.dedent(text), __file__, "exec"), scope)
    return scope["f"]


WRITTEN = '''
def f(x, *, y=2):
    """Says one thing."""
    def inner(z):
        return z * 3
    return inner(x) + 5 + y
'''


NAMING = """
from lemmata.bounds.bms22 import sign_projection as jl
from lemmata.bounds.wzw25 import gaussian_privacy as gdp

SCALE, TABLE = 2, {"a": abs}

def helper(x, power=1):
    return SCALE * x**power

def bound():
    return gdp.gaussian_delta(epsilon=1.0, mu=1.0)

def f(rng, size):
    return helper(jl.sign_projection_rows(m=size)) + TABLE["a"](size)
"""


@pytest.mark.parametrize(
    ("written", "before", "after", "same"),
    [
        (WRITTEN, "+ 5", "+ 6", False),
        (WRITTEN.replace('    """Says one thing."""\n', ""), "+ 5", "+ 6", False),  # it has constants without one too
        (WRITTEN, "* 3", "* 4", False),
        (WRITTEN, "y=2", "y=3", False),
        (WRITTEN, "+ y", "- y", False),
        (WRITTEN, "inner(x)", "inner(-x)", False),
        (WRITTEN, "z * 3", "3 * z", False),
        (WRITTEN, "one thing", "another", True),
        (WRITTEN, "    return inner", "    # why\n    return inner", True),
        (WRITTEN, "\ndef f", "\n\n\ndef f", True),
        (NAMING, "gdp.gaussian_delta(epsilon=1.0, mu=1.0)", "gdp.gaussian_delta(epsilon=2.0, mu=1.0)", True),
        (NAMING, "SCALE, TABLE = 2,", "SCALE, TABLE = 3,", False),
        (NAMING, '{"a": abs}', '{"a": float}', False),
        (NAMING, "return SCALE * x**power", "return SCALE + x**power", False),
        (NAMING, "power=1", "power=2", False),
        (NAMING, "jl.sign_projection_rows(m=size)", "jl.angles_order(m=size)", False),
        (NAMING, "import sign_projection as jl", "import pure_learner as jl", False),
    ],
)
def test_what_is_computed_counts_and_how_it_is_written_does_not(written, before, after, same):
    """The hash covers what a trial names; a bound, which enters when results are folded, is not named by it."""
    assert before in written
    assert (hash_code(made(written)) == hash_code(made(written.replace(before, after)))) == same


@pytest.mark.parametrize(
    "text",
    [
        "def f(a={}, b={}):\n    return a - b",
        "def f(*, a={}, b={}):\n    return a - b",
        "A, B = {}, {}\ndef f():\n    return A - B",
        "D = {{'a': {}, 'b': {}}}\ndef f():\n    return D",
        "D = {{({}, 5): 3, ({}, 5): 4}}\ndef f():\n    return D",
        "T = ({}, {})\ndef f():\n    return T",
        "class C:\n    a, b = {}, {}\ndef f():\n    return C",
        "def g(a, b):\n    return lambda: a - b\nf = g({}, {})",
    ],
)
def test_it_counts_which_of_two_values_stands_where(text):
    assert hash_code(made(text.format(1, 2))) != hash_code(made(text.format(2, 1)))


@pytest.mark.parametrize(
    "made_of",
    [
        "decimal.Decimal({})",
        "scipy.stats.expon(scale={})",
        "np.poly1d([1, {}])",
        "np.polynomial.Polynomial([1, {}])",
        "collections.deque([{}])",
        "types.SimpleNamespace(a={})",
        "types.MappingProxyType({{'a': {}}})",
        "array.array('d', [{}])",
        "re.compile('{}')",
        "np.dtype('f{}')",
        "np.vectorize(lambda x: x + {})",
        "functools.partialmethod(pow, {})",
        "frozenset([(1, {})])",
        "datetime.date(2000, 1, {})",
        "pandas.Series([{}])",
        "Slotted({}).get",
        "Slotted({})",
        "type('Late', (), {{'a': functools.cached_property(lambda self: {})}})",
        "functools.singledispatch(lambda x: {})",
        "contextlib.contextmanager(lambda: {})",
        "{{Slotted({}): 1}}",
        "{{(lambda: {}): 1}}",
    ],
)
def test_a_constant_of_any_kind_counts_and_is_the_same_when_made_again(made_of):
    text = """
    import array, collections, contextlib, datetime, decimal, functools, re, types
    import numpy as np, pandas, scipy.stats
    class Slotted:
        __slots__ = ("a",)
        def __init__(self, a): self.a = a
        def get(self): return self.a
        def __repr__(self): return f"of {self.a}"
    CONSTANT = MADE
    def f():
        return CONSTANT
    """
    hashes = [hash_code(made(text.replace("MADE", made_of.format(number)))) for number in (4, 8, 4)]
    assert hashes[0] != hashes[1] and hashes[0] == hashes[2]


def test_what_a_statement_assumes_counts():
    text = """
    from lemmata.bounds.statement.hypotheses import integer, require
    SMALLEST = FIRST
    NEEDS = [integer("n", LEAST), require("n is large", lambda n: n >= SMALLEST)]
    def f():
        return [n for n in range(9) if all(need.admits({"n": n}) for need in NEEDS)]
    """

    def of(first, least):
        return hash_code(made(text.replace("FIRST", first).replace("LEAST", least)))

    assert len({of("1", "1"), of("2", "1"), of("1", "2")}) == 3 and of("1", "1") == of("1", "1")
    claim = registry.find("wzw25.lem6.4/corrected")
    reached = [thing for thing, _ in fingerprint.find_reached(claim.theorem.formula, claim.trial)]
    assert claim.theorem.needs and all(any(thing is need for thing in reached) for need in claim.theorem.needs)


def test_the_state_of_a_generator_does_not_count(rng):
    before = hash_code(lambda: rng)
    rng.normal()
    fingerprint._KEPT.clear()
    assert hash_code(lambda: rng) == before


def test_a_library_counts_before_it_is_loaded(monkeypatch):
    """A function that imports a library when it is called has one hash, whatever the process has loaded by then."""

    def late():
        import statsmodels

        return statsmodels

    loaded = fingerprint.texts(late)
    monkeypatch.delitem(sys.modules, "statsmodels", raising=False)
    monkeypatch.setattr(fingerprint, "_KEPT", {})
    assert fingerprint.texts(late) == loaded
    assert any(text.startswith("statsmodels ") for text in loaded)


def test_whether_the_kernels_are_loaded_does_not_count(monkeypatch):
    monkeypatch.delattr(solvers, "kernels", raising=False)
    without = hash_code(kernel_choice.numba_kernels_if_worthwhile, kernel_choice._kernels)
    monkeypatch.setattr(solvers, "kernels", types.ModuleType("lemmata.mechanisms.numerics.kernels"), raising=False)
    monkeypatch.setattr(fingerprint, "_KEPT", {})
    assert hash_code(kernel_choice.numba_kernels_if_worthwhile, kernel_choice._kernels) == without


def test_a_method_that_is_called_like_a_module_is_none(monkeypatch):
    """`text.count` is the same whether or not somebody has imported a module `count`."""
    text = "def f(text):\n    return text.count"
    monkeypatch.delitem(sys.modules, "count", raising=False)
    before = hash_code(made(text))
    monkeypatch.setitem(sys.modules, "count", types.ModuleType("count"))
    assert hash_code(made(text)) == before


def test_a_library_is_one_wherever_numpy_was_found():
    assert fingerprint.is_foreign(re.__file__) and fingerprint.is_foreign(sys.modules["numpy"].__file__)
    assert not fingerprint.is_foreign(kernel_choice.__file__)


def test_the_attacker_is_part_of_what_an_attack_computes_and_of_nothing_else(monkeypatch):
    registry.load()
    attacked, other = (CLAIMS[key] for key in ("wzw25.rem2.3/printed/impl:gaussian", "wzw25.lemA.5/printed/mean"))
    before = [fingerprint.hash_claim(claim) for claim in (attacked, other)]
    monkeypatch.setattr(attack, "attacker", made(WRITTEN))
    after = [fingerprint.hash_claim(claim) for claim in (attacked, other)]
    assert after[0] != before[0] and after[1] == before[1]


def test_a_hash_has_sixteen_digits():
    assert re.fullmatch("[0-9a-f]{16}", fingerprint.hash_code(test_a_hash_has_sixteen_digits))


REAL = "bms22.lemA.3/explicit/impl:sign_projection"


def test_the_code_hash_does_not_hang_on_the_process():
    """Neither on the order in which modules are loaded, nor on which, nor on Python's random hashes."""
    registry.load()
    code = (
        "from lemmata.experiments.bms22 import dp_erm, sign_projection;"
        "from lemmata.experiments.engine.claims import fingerprint, claim;"
        "print({key: fingerprint.hash_claim(each) for key, each in claim.CLAIMS.items()})"
    )
    for seed in ("1", "2"):
        printed = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | {"PYTHONHASHSEED": seed}
        )
        there = ast.literal_eval(printed.stdout)
        assert REAL in there and there == {key: fingerprint.hash_claim(CLAIMS[key]) for key in there}


def test_the_code_hash_does_not_hang_on_the_folder():
    registry.load()
    root = str(Path(fingerprint.__file__).parents[3])
    for claim in CLAIMS.values():
        assert not any(root in text for text in fingerprint.texts(claim.trial, claim.by or claim.trial)), claim.key


@pytest.mark.parametrize("name", ["__init__", "get"])
def test_what_makes_an_object_counts_as_its_methods_do(name):
    text = """
    class Made:
        def NAME(self):
            self.a = NUMBER
    def f():
        return Made()
    """
    hashes = [hash_code(made(text.replace("NAME", name).replace("NUMBER", number))) for number in ("4", "8", "4")]
    assert hashes[0] != hashes[1] and hashes[0] == hashes[2]
