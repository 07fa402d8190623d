"""Which loops of a check are opened, and what stays as its author wrote it."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from lemmata.experiments.engine.claims.claim import grid
from lemmata.experiments.engine.search.loops import cases_at, find_coordinates

MEASURED, LARGEST = {"path": 2, "cycle": 5}, {"path": 1, "cycle": 1}
GRAPHS = {"path": lambda n: n - 1, "cycle": lambda n: n}
SIZES = (1, 2, 3)


def plain():
    for n in range(1, 25):
        yield {"n": n}, n, 24


def crossed():
    for n, x in itertools.product(SIZES, (0.1, 0.5)):
        if n > 1:
            yield {"n": n, "x": x}, n * x, 2


def nested():
    for n in SIZES:
        for k in range(1, n + 1):
            yield {"n": n, "k": k}, k, n


def tied():
    for n, value in ((1, 1.0), (2, 0.5)):
        yield {"n": n}, value, 1


def through_a_module():
    for n, x in itertools.product(SIZES, [0.1]):
        yield {"n": n, "x": x}, n, x


def with_argument(*, x):
    for n in SIZES:
        yield {"n": n, "x": x}, n * x, 2


def with_dicts():
    points = grid(n=[1, 2], x=[0.1, 0.5], scale=[3])
    for point in points:
        yield point, point["n"] * point["x"] * point["scale"], 24


def with_results():
    for point in ({"n": 1, "value": 2}, {"n": 2, "value": 4}):
        yield point, point["value"], 4


def with_tuples():
    for n, x in [(1, 0.5), (2, 0.25)]:
        yield {"n": n, "x": x}, n * x, 2


def with_exact_numbers():
    for x in (Fraction(1, 2), Fraction(1, 3)):
        yield {"x": x}, x, 1


def with_one_value():
    for n in (5,):
        yield {"n": n}, n, 120


def through_another():
    yield from with_tuples()


def returning_another():
    return plain()


def in_an_expression():
    yield from (({"n": n}, n, 24) for n in SIZES)


def as_a_list():
    return [({"n": n}, n, 24) for n in SIZES]


def collected():
    cases = []
    for n in SIZES:
        cases.append(({"n": n}, n, 24))
    return cases


def counted():
    for _, n in enumerate(SIZES):
        yield {"n": n}, n, 24


def counted_and_read():
    for i, n in enumerate(SIZES):
        yield {"n": n}, n, i


def indexed():
    sizes = [1, 2, 3]
    for i in range(len(sizes)):
        n = sizes[i]
        yield {"n": n}, n, 24


def indexed_twice():
    sizes, widths = [1, 2, 3], [4, 5, 6]
    for i in range(3):
        n = sizes[i]
        yield {"n": n}, n, widths[i]


def stepped():
    n = 1
    while n < 9:
        yield {"n": n}, n, 24
        n *= 2


def counted_in_a_list():
    return [({"n": n}, n, SIZES[i]) for i, n in enumerate(SIZES)]


def summed_in_a_list():
    total = 0
    return [({"n": n}, total := total + n, 24) for n in SIZES]


def collected_sums():
    cases, total = [], 0
    for n in SIZES:
        total += n
        cases.append(({"n": n}, total, 24))
    return cases


def measured_by_name():
    for name, n in (("path", 3), ("cycle", 5)):
        yield {"graph": name, "n": n}, MEASURED[name], 2 * n


def averaged_by_name():
    for name, n in (("path", 3), ("cycle", 5)):
        if n > 0:
            yield {"graph": name, "n": int(n)}, MEASURED[name] / n, 2


def measured_by_setting():
    for name, n in (("path", 3), ("cycle", 5)):
        setting = {"graph": name, "n": n}
        yield setting, MEASURED[setting["graph"]], 2 * n


def measured_in_dicts():
    for point in ({"graph": "path", "n": 3}, {"graph": "cycle", "n": 5}):
        yield point, MEASURED[point["graph"]], 2 * point["n"]


def measured_as_a_case():
    for name, n in (("path", 3), ("cycle", 5)):
        case = ({"n": n}, MEASURED[name], 2 * n)
        yield case


def labelled():
    for name, n in (("path", 3), ("cycle", 5)):
        if n < 0:
            raise ValueError(name)
        setting = {"graph": name.upper(), "name": f"{name} of {n}", "n": n}
        yield setting, n, 2 * n


def crossed_with_names():
    for point in grid(graph=["path", "cycle"], n=[3, 5]):
        yield point, GRAPHS[point["graph"]](point["n"]), 2 * point["n"]


def measured_by_name_and_assigned():
    for name, n in (("path", 3), ("cycle", 5)):
        left = MEASURED[name]
        right = 2 * n
        yield {"graph": name, "n": n}, left, right


def measured_in_a_list():
    cases = []
    for name, n in zip(MEASURED, SIZES, strict=False):
        cases.append(({"n": n}, MEASURED[name], 2 * n))
    return cases


def named_and_labelled():
    for name, n in (("path", 3), ("cycle", 5)):
        yield {"graph": f"{name} of {n}", "n": n}, n, LARGEST[name] * n


def computed_by_name():
    for name, n in (("path", 3), ("cycle", 5)):
        yield {"graph": name, "n": n}, GRAPHS[name](n), 2 * n


def collected_with_a_constant():
    cases, most = [], 24
    for n in SIZES:
        cases.append(({"n": n}, n, most))
    return cases


def stepping(state):
    state.append(1)


def changed_by_a_call():
    state = []
    for n in SIZES:
        stepping(state)
        yield {"n": n}, len(state), 24


def tied_to_a_tied_one():
    for n in SIZES:
        m = n + 1
        x = 1.0 * m
        yield {"x": x}, n, x


def generator_and_draw_in_one():
    for seed in SIZES:
        p = np.random.default_rng(seed).random(4)
        x = p.sum()
        yield {"x": x}, p.max(), x


def over_a_list(*, sizes):
    for n in sizes:
        yield {"n": n}, n, 24


def up_to(*, largest):
    for n in range(1, largest):
        yield {"n": n}, n, largest


def by_other_names():
    for K, e in ((1, 0.5), (2, 0.25)):
        yield {"guesses": K, "epsilon": e}, K, 1 / e


def running_sum():
    total = 0
    for n in range(1, 25):
        total += n
        yield {"n": n}, total, n * n


def running_pair():
    a, b = 1, 1
    for n in range(1, 25):
        a, b = b, a + b
        yield {"n": n}, a, 2**n


def growing_list():
    terms = []
    for n in range(1, 25):
        terms.append(n)
        yield {"n": n}, sum(terms), n * n


def growing_table():
    table = {0: 1}
    for n in range(1, 25):
        table[n] = n * table[n - 1]
        yield {"n": n}, table[n], n**n


def running_name():
    total = 0
    for n in range(1, 25):
        yield {"n": n}, (total := total + n), n * n


def iterator():
    squares = iter(range(1, 1000, 2))
    for n in range(1, 25):
        yield {"n": n}, next(squares), 2 * n


def ratios_beside():
    ratios = []
    for n in range(1, 25):
        yield {"n": n}, n, 24
        ratios.append(n / 24)
    return {"tightness": (max(ratios), 1.0)}


def lists_of_its_own():
    for point in grid(n=[1, 2], x=[0.1, 0.5]):
        point.setdefault("scale", 3)
        values = np.append([value**2 for value in range(4)], point["n"])
        yield point, values.sum(), 24


def sum_of_its_own():
    for n in range(1, 25):
        total = 0
        for k in range(n):
            total += k
        yield {"n": n}, total, n * n


def largest_so_far():
    most = 0
    for n in range(1, 25):
        most = max(most, n)
        yield {"n": n}, n, 24
    return {"tightness": (most, most)}


def drawn():
    rng = np.random.default_rng(0)
    for _ in range(5):
        x = rng.random()
        yield {"x": x}, x, 1


def drawn_vectors():
    rng = np.random.default_rng(0)
    for n in (2, 3):
        p, q = rng.random(n), rng.random(n)
        yield {"p": p, "q": q}, sum(p), sum(q)


def assigned_twice():
    rng = np.random.default_rng(0)
    for n in SIZES:
        p = rng.random(n)
        p = p / p.sum()
        yield {"p": p}, max(p), 1


def size_is_read_too():
    for n in SIZES:
        p = [1 / n] * n
        yield {"p": p}, sum(p) / n, 1


def tied_to_what_stays():
    for n in SIZES:
        x = 1 / n
        value = 2 * n
        yield {"x": x}, value, x


def read_in_between():
    for n in SIZES:
        x = 1 / n
        start = x
        x = 2 * x
        yield {"x": x}, start, x


def given_arrays():
    for p in ([1, 2], [3, 4]):
        yield {"p": p}, sum(p), 1


def from_a_helper_with_numbers():
    yield from numbers_up_to(25)


def numbers_up_to(end):
    for n in range(1, end):
        yield {"n": n}, n, 24


def read_after_its_loop():
    for n in SIZES:
        yield {"n": n}, n, 24
    yield {"n": n}, 3, n


def looped_twice():
    for n in SIZES:
        yield {"n": n}, n, 24
    assert all(n for n in SIZES) and max(SIZES, key=lambda n: n)


def from_a_helper_of_a_loop():
    for end in SIZES:
        yield from numbers_up_to(end)


@pytest.mark.parametrize(
    ("check", "given", "cases"),
    [
        (drawn, {"x": 0.25}, [({"x": 0.25}, 0.25, 1)]),  # and not five times
        (drawn_vectors, {"p": [1, 2], "q": [3]}, [({"p": [1, 2], "q": [3]}, 3, 3)]),
        (assigned_twice, {"p": [5, 6]}, [({"p": [5, 6]}, 6, 1)]),
        (given_arrays, {"p": [7, 8]}, [({"p": [7, 8]}, 15, 1)]),
        (from_a_helper_with_numbers, {"n": 30}, [({"n": 30}, 30, 24)]),
    ],
)
def test_assignments_arrays_and_helpers_are_opened(check, given, cases):
    assert list(cases_at(check, {}, **given)) == cases
    assert find_coordinates(check, given.keys() & {"n", "x"}, {}, 50, {"p", "q"}).keys() == given.keys()


@pytest.mark.parametrize(
    "check", [size_is_read_too, tied_to_what_stays, read_in_between, from_a_helper_of_a_loop], ids=lambda f: f.__name__
)
def test_an_assignment_stays_where_more_depends_on_what_it_depends_on(check):
    wanted = {"n"} if check is from_a_helper_of_a_loop else {"x"}
    assert find_coordinates(check, wanted, {}, 50, {"p"}) == {}


def test_examples_are_the_arrays_of_the_author():
    assert find_coordinates(given_arrays, set(), {}, 50, {"p"}) == {"p": [[1, 2], [3, 4]]}


@pytest.mark.parametrize(
    ("check", "arguments", "looped", "cases"),
    [
        (plain, {}, {"n": 25}, [({"n": 25}, 25, 24)]),
        (crossed, {}, {"n": 7, "x": 0.25}, [({"n": 7, "x": 0.25}, 1.75, 2)]),
        (crossed, {}, {"n": 1, "x": 0.25}, []),  # its own `if` keeps its word
        (nested, {}, {"n": 2}, [({"n": 2, "k": 1}, 1, 2), ({"n": 2, "k": 2}, 2, 2)]),
        (through_a_module, {}, {"n": 9}, [({"n": 9, "x": 0.1}, 9, 0.1)]),
        (with_argument, {"x": 4}, {"n": 9}, [({"n": 9, "x": 4}, 36, 2)]),
        (with_dicts, {}, {"n": 2, "x": 4}, [({"n": 2, "x": 4, "scale": 3}, 24, 24)]),
        (with_tuples, {}, {"n": 2, "x": 4}, [({"n": 2, "x": 4}, 8, 2)]),
        (with_exact_numbers, {}, {"x": 0.25}, [({"x": Fraction(1, 4)}, Fraction(1, 4), 1)]),
        (through_another, {}, {"n": 2, "x": 4}, [({"n": 2, "x": 4}, 8, 2)]),
        (returning_another, {}, {"n": 25}, [({"n": 25}, 25, 24)]),
        (in_an_expression, {}, {"n": 25}, [({"n": 25}, 25, 24)]),
        (as_a_list, {}, {"n": 25}, [({"n": 25}, 25, 24)]),
        (collected, {}, {"n": 25}, [({"n": 25}, 25, 24)]),
        (counted, {}, {"n": 25}, [({"n": 25}, 25, 24)]),
        (indexed, {}, {"n": 25}, [({"n": 25}, 25, 24)]),
        (over_a_list, {"sizes": [1, 2]}, {"n": 25}, [({"n": 25}, 25, 24)]),
        (up_to, {"largest": 5}, {"n": 9}, [({"n": 9}, 9, 5)]),
        (by_other_names, {}, {"guesses": 9, "epsilon": 2.0}, [({"guesses": 9, "epsilon": 2.0}, 9, 0.5)]),
    ],
)
def test_a_loop_runs_over_the_value_that_is_given(check, arguments, looped, cases):
    assert list(cases_at(check, arguments, **looped)) == cases
    assert find_coordinates(check, frozenset(looped), arguments, 50).keys() == looped.keys()


@pytest.mark.parametrize(
    ("check", "arguments", "wanted", "opened"),
    [
        (plain, {}, {"n", "x"}, {"n"}),
        (nested, {}, {"n", "k"}, {"n"}),  # k is tied to n
        (tied, {}, {"n", "value"}, {"n", "value"}),
        (tied, {}, {"n"}, set()),  # n is tied to a value that the hypotheses do not name
        (with_results, {}, {"n"}, set()),
        (with_dicts, {}, {"n", "x", "scale"}, {"n", "x"}),  # what is held fixed may be a premise
        (with_one_value, {}, {"n"}, set()),
        (counted_and_read, {}, {"n"}, set()),
        (indexed_twice, {}, {"n"}, set()),
        (stepped, {}, {"n"}, set()),  # a `while` is left as it is
        (counted_in_a_list, {}, {"n"}, set()),
        (summed_in_a_list, {}, {"n"}, set()),
        (collected_sums, {}, {"n"}, set()),
        (collected_with_a_constant, {}, {"n"}, {"n"}),
        (measured_by_name, {}, {"n"}, set()),
        (measured_by_name_and_assigned, {}, {"n"}, set()),
        (measured_in_a_list, {}, {"n"}, set()),
        (named_and_labelled, {}, {"n"}, set()),
        (computed_by_name, {}, {"n"}, set()),  # whose function may be of this size
        (averaged_by_name, {}, {"n"}, set()),
        (measured_by_setting, {}, {"n"}, set()),
        (measured_in_dicts, {}, {"n"}, set()),
        (measured_as_a_case, {}, {"n"}, set()),
        (labelled, {}, {"n"}, {"n"}),
        (crossed_with_names, {}, {"n"}, {"n"}),
        (changed_by_a_call, {}, {"n"}, set()),
        (tied_to_a_tied_one, {}, {"x"}, set()),
        (generator_and_draw_in_one, {}, {"x"}, set()),
        (through_a_module, {}, {"n", "x"}, {"n"}),
        (with_argument, {"x": 4}, {"n", "x"}, {"n"}),
        (running_sum, {}, {"n"}, set()),
        (running_pair, {}, {"n"}, set()),
        (growing_list, {}, {"n"}, set()),
        (growing_table, {}, {"n"}, set()),
        (running_name, {}, {"n"}, set()),
        (iterator, {}, {"n"}, set()),
        (ratios_beside, {}, {"n"}, {"n"}),
        (lists_of_its_own, {}, {"n", "x"}, {"n", "x"}),
        (sum_of_its_own, {}, {"n", "k"}, {"n"}),
        (largest_so_far, {}, {"n"}, {"n"}),
        (crossed, {}, {"x"}, {"x"}),
        (read_after_its_loop, {}, {"n"}, set()),
        (looped_twice, {}, {"n"}, {"n"}),
        (up_to, {"largest": 5}, {"n", "largest"}, set()),  # tied to a coordinate that the check is called with
        (by_other_names, {}, {"guesses"}, set()),
    ],
)
def test_values_that_are_tied_stay_tied(check, arguments, wanted, opened):
    assert find_coordinates(check, frozenset(wanted), arguments, 50).keys() == opened


def test_a_closure_is_left_as_it_is():
    scale = 2

    def check():
        for n in SIZES:
            yield {"n": n}, n, scale

    assert find_coordinates(check, frozenset({"n"}), {}, 50) == {}
