"""The program of a witness: it runs by itself, calls the row's own function, and depends on what that says."""

import pytest

from lemmata.experiments.engine import programs

IMPORTED = "from lemmata.bounds.rbht09.lower_bounds_rbf import circle_databases\n"
OWN = "from lemmata.bounds.rbht09.lower_bounds_rbf import least_databases_printed\n"
ROW = {
    "key": "rbht09.thm20.s1/printed",
    "module": "lemmata.bounds.rbht09.lower_bounds_rbf",
    "name": "least_databases_printed",
    "folder": "",
}
PLANTED = {
    "": IMPORTED + OWN + "assert circle_databases(sigma=0.84) < least_databases_printed()",
    "is not named in it": IMPORTED + "assert circle_databases(sigma=0.84) == 4",
    "the statement that it is to refute": IMPORTED + OWN + "assert circle_databases(sigma=0.84) == 4",
    "asserts nothing about": IMPORTED + OWN + "least_databases_printed()\nassert circle_databases(sigma=0.84) == 4",
    "failed in a process of its own": IMPORTED
    + OWN
    + "assert circle_databases(sigma=0.84) > least_databases_printed()",
    "SyntaxError": "assert (least_databases_printed",
    "warned": "import warnings\nwarnings.warn('warned')\n" + OWN + "assert least_databases_printed() > 4",
}


@pytest.fixture(scope="module")
def answers():
    return dict(zip(PLANTED, programs.answers([ROW | {"python": text} for text in PLANTED.values()]), strict=True))


@pytest.mark.parametrize("said", PLANTED)
def test_a_program_is_told_what_is_wrong_with_it(answers, said):
    assert said in answers[said] and bool(said) == bool(answers[said])


def test_a_function_that_is_called_inside_another_counts():
    python = (
        "from lemmata.bounds.bms22.efficient_learner import printed_rows\n"
        "from lemmata.bounds.bms22.polynomial_kernels import printed_dimension\n"
        "ratios = [(1 + p) / printed_dimension(d=1, degree=p) for p in (1, 10, 100)]\n"
        "assert ratios[2] > 5 * ratios[1] > 25 * ratios[0]"
    )
    row = {"key": "bms22.rem.poly/printed/dimension", "module": "lemmata.bounds.bms22.polynomial_kernels"}
    row |= {"name": "printed_dimension"}
    assert programs.answers([row | {"folder": "", "python": python}]) == [""]
