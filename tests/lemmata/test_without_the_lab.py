"""The product works where the laboratory's libraries are not installed, and says in one line what needs them."""

import io
import subprocess
import sys

import pytest

from lemmata import lab
from lemmata.command import console
from lemmata.mechanisms.audit.front import entry
from lemmata.mechanisms.privacy import PureDP

pytestmark = pytest.mark.slow

LIBRARIES = {name for _, libraries in lab.EXTRAS.values() for name in libraries} - {"joblib"}  # scikit-learn brings it
HIDDEN = f"""
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(LIBRARIES | {"numba"})}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""
DATA = """
import lemmata, numpy as np
rng = np.random.default_rng(0)
y = rng.choice([-1, 1], 400)
X = 0.1 * rng.normal(size=(400, 5)) + np.outer(y, [0.5, 0, 0, 0, 0])
"""
PRODUCT = {
    "learner": DATA
    + "model = lemmata.MarginClassifier(epsilon=2.0, delta=1e-5, classes=(-1, 1)).fit(X, y)\n"
    + "assert model.predict(X).shape == (400,) and model.privacy_.epsilon <= 2",
    "search": DATA
    + "search = lemmata.PrivateSearchCV(lemmata.NoisyGD(classes=(-1, 1)), {'width': [0.1, 0.3]}, epsilon=2.0)\n"
    + "assert 'epsilon' in str(search.cost())",
    "accountant": "import lemmata\naccountant = lemmata.Accountant(lemmata.ApproxDP(1.0, 1e-5))\n"
    "accountant.spend(lemmata.PureDP(0.25), 'a histogram')",
    "audit": "import lemmata\nnoise = lambda centre: lambda rng, size: rng.laplace(centre, 1, size)\n"
    "assert lemmata.audit(noise(0), noise(2), lemmata.PureDP(1.0), root=1, budget=20_000).verdict == 'REFUTED'",
    "conversions": "import lemmata\nlemmata.to_approx(lemmata.GaussianDP(1.0), epsilon=1.0)\n"
    "lemmata.gaussian_mu(1, 1e-5)",
    "sizes": "import lemmata\nlemmata.rows_needed(points=1000, distortion=0.1, beta=0.05)",
    "theorems": "import lemmata\nassert [t.label for t in lemmata.theorems('wzw25.lemA.5')]\n"
    "from lemmata.bounds.wzw25 import margin_grid",
}


def run(program, folder):
    """Run a program that finds none of the libraries, in an empty folder."""
    command = [sys.executable, "-W", "error", "-c", HIDDEN + program]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def lemmata(arguments, folder):
    return run(f"from lemmata.command.main import main\nmain({arguments.split()!r}, prog_name='lemmata')", folder)


@pytest.mark.parametrize("name", PRODUCT)
def test_the_product_works(name, tmp_path):
    done = run(PRODUCT[name], tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", sorted(LIBRARIES))
def test_the_libraries_are_hidden(name, tmp_path):
    """Negative control: what is found after all would prove nothing."""
    done = run(f"import {name}", tmp_path)
    assert done.returncode == 1 and f"No module named '{name}'" in done.stderr


def test_an_audit_on_the_command_line(tmp_path):
    side = "def {}(rng, size):\n    return rng.laplace({}, 1, size)\n"
    (tmp_path / "noisy.py").write_text(side.format("a", 0) + side.format("b", 1))
    survived = lemmata("audit noisy:a noisy:b --epsilon 1 --budget 20000", tmp_path)
    refuted = lemmata("audit noisy:a noisy:b --epsilon 0.2 --budget 20000", tmp_path)
    assert (survived.returncode, refuted.returncode) == (0, 1), survived.stderr + refuted.stderr
    assert "REFUTED" in refuted.stdout and "REFUTED" not in survived.stdout
    pictured = lemmata("audit noisy:a noisy:b --epsilon 1 --plot course.svg", tmp_path)
    line = 'lemmata: --plot needs the extra `lab`: pip install "lemmata[lab]" (matplotlib is missing)\n'
    assert (pictured.returncode, pictured.stdout, pictured.stderr) == (2, "", line)


@pytest.mark.parametrize(("terminal", "module"), [(True, "io"), (True, "ipykernel.iostream"), (False, "io")])
def test_the_progress_of_an_audit_is_for_terminals_and_notebooks(terminal, module, monkeypatch):
    """A kernel's stderr says that it is no terminal, and is shown below the cell."""
    stderr = type("Stream", (io.StringIO,), {"__module__": module})()
    stderr.isatty = lambda: terminal and module == "io"
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setattr(entry, "TICK", -1.0)
    sides = (lambda rng, size: rng.laplace(0, 1, size)), (lambda rng, size: rng.laplace(1, 1, size))
    entry.audit(*sides, PureDP(1.0), root=1, budget=512)
    assert ("of at most 512 releases, log10 e = " in stderr.getvalue()) == terminal == bool(stderr.getvalue())


@pytest.mark.parametrize("command", ["explain wzw25.lemA.5", "ledger wzw25.lemA.5", "where wzw25.lemA.5"])
def test_statements_are_read(command, tmp_path):
    done = lemmata(command, tmp_path)
    assert done.returncode == 0 and done.stdout, done.stderr


@pytest.mark.parametrize(
    ("command", "library"),
    [
        ("run wzw25.lemA.5", "tqdm"),
        ("report", "pandas"),
        ("figure wzw25.lemA.5", "tqdm"),
        ("compare", "pandas"),
        ("ledger wzw25.lemA.5 --csv", "pandas"),
    ],
)
def test_a_command_of_the_laboratory_says_so_in_one_line(command, library, tmp_path):
    done = lemmata(command, tmp_path)
    name = command.split()[0]
    lines = [line for line in done.stderr.splitlines() if "nothing has been run" not in line]
    assert lines == [f'lemmata: {name} needs the extra `lab`: pip install "lemmata[lab]" ({library} is missing)']
    assert (done.returncode, done.stdout) == (2, "")


def test_a_figure_says_so_in_one_sentence(tmp_path):
    done = run("import lemmata\nlemmata.figure('wzw25.lemA.5')", tmp_path)
    assert done.stderr.splitlines()[-1] == (
        'ModuleNotFoundError: lemmata.figure needs the extra `lab`: pip install "lemmata[lab]" (tqdm is missing)'
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ModuleNotFoundError(name="distributed"), 'x needs the extra `dask`: pip install "lemmata[dask]" (dis'),
        (ModuleNotFoundError(name="pandas"), 'x needs the extra `lab`: pip install "lemmata[lab]" (pandas is missing)'),
        (ModuleNotFoundError(name="pandas.nothing"), ""),  # installed, and broken: no advice of ours
        (ModuleNotFoundError(name="somebody_elses"), ""),
        (ImportError("cannot import name", name="pandas"), ""),
        (ValueError("pandas"), ""),
    ],
)
def test_what_is_missing_is_said(error, said):
    assert lab.missing("x", error).startswith(said) and bool(lab.missing("x", error)) == bool(said)


def test_what_is_missing_is_a_users_mistake_of_the_command():
    @console.one_line_errors()
    def run():
        raise ModuleNotFoundError("No module named 'pandas'", name="pandas")

    with pytest.raises(console.Usage, match="run needs the extra `lab`") as caught:
        run()
    assert caught.value.exit_code == 2
