"""The command `lemmata audit`: attack a mechanism, or two samplers, named on the command line."""

import ast
import contextlib
import json
import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from lemmata import lab
from lemmata.command.console import Usage, describe_error, exit_with, one_line_errors, root_option
from lemmata.command.others import import_object, make_importable

REFUTED_BY_AUDIT, NOTHING_LEARNT = 1, 3


@click.command()
@click.argument("targets", metavar="FILE.py:NAME [FILE.py:OTHER]", nargs=-1, required=True)
@click.option("--data", metavar="FILE", help="Dataset to start from: .npy, .npz, or FILE.py:NAME.")
@click.option("--epsilon", type=click.FloatRange(0), help="Claimed epsilon.")
@click.option("--delta", type=click.FloatRange(0, 1, max_open=True), help="Claimed delta, with --epsilon.")
@click.option("--mu", type=click.FloatRange(0, min_open=True), help="Claimed mu of Gaussian privacy.")
@click.option("--rho", type=click.FloatRange(0, min_open=True), help="Claimed rho of zero-concentrated privacy.")
@click.option("--order", type=click.FloatRange(1, min_open=True), help="Renyi order at which --epsilon is claimed.")
@click.option("--claim", "written", metavar="TEXT", help="Any guarantee, such as 'RenyiDP((2, 8), (0.5, 1.75))'.")
@click.option(
    "--neighbours",
    default="replace",
    show_default=True,
    help="Neighbouring relation of the claim: replace, add/remove, label; of users 'replace up to 5'.",
)
@click.option("--group", type=click.IntRange(1), default=1, help="Number of records in which the datasets differ.")
@click.option(
    "--budget", type=click.IntRange(128), help="Maximum number of releases.  [default: 100,000 for two samplers]"
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=1e-10,
    show_default=True,
    help="Largest probability of a false REFUTED.",
)
@click.option("--bits", is_flag=True, help="Judge every bit of a release, not only its real value.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@click.option("--plot", type=click.Path(dir_okay=False), metavar="FILE", help="Plot the growth of the evidence.")
@click.option("--save", type=click.Path(dir_okay=False), metavar="FILE", help="Save the pair of datasets found.")
@root_option
@one_line_errors()
def audit(
    targets: tuple[str, ...],
    data: str | None,
    epsilon: float | None,
    delta: float | None,
    mu: float | None,
    rho: float | None,
    order: float | None,
    written: str | None,
    neighbours: str,
    group: int,
    budget: int | None,
    level: float,
    bits: bool,
    as_json: bool,
    plot: str | None,
    save: str | None,
    root: int,
) -> None:
    """Attack a mechanism: refute its privacy claim by its releases on neighbouring datasets.

    One NAME is a mechanism: an unfitted estimator of any library, or a function of the data, in a file or a module. The
    search for neighbours starts from --data, or from the variable `data` of the file. A file counts.py

    \b
        import numpy as np
        data = np.array([0.2, 0.9, 0.4])
        def total(x, rng): return np.clip(np.nan_to_num(x), 0, 1).sum() + rng.laplace()
        def rough(x, rng): return np.sum(x) + rng.laplace()

    \b
        lemmata audit counts.py:total --epsilon 1          # survives
        lemmata audit counts.py:rough --epsilon 1          # REFUTED: the pair, the line, a program that shows it

    Two NAMEs are samplers on two neighbouring datasets: functions (rng, size) that return `size` independent releases,
    or arrays of releases. A release may be any object. A file noisy.py

    \b
        def a(rng, size): return rng.laplace(0, 1, size)      # a count of 0
        def b(rng, size): return rng.laplace(1, 1, size)      # one record more

    \b
        lemmata audit noisy:a noisy:b --epsilon 1          # survives
        lemmata audit noisy:a noisy:b --epsilon 0.5        # REFUTED

    Exit status: 0 if the claim survives (the smallest detectable leak is printed), 1 if it is REFUTED, 2 for bad usage
    or if every release raises, 3 if the audit has no power: the budget is too small, no attacker distinguishes the
    datasets, or one side only raises.
    """
    claim = read_guarantee(
        neighbours, {"epsilon": epsilon, "delta": delta, "mu": mu, "rho": rho, "order": order}, written
    )
    if len(targets) > 2:
        raise Usage(f"NAME must be one mechanism or two samplers, got {len(targets)} names")
    draw = load_drawing(plot) if plot else None
    for option, path in (("--plot", plot), ("--save", save)):
        if path and not Path(path).resolve().parent.is_dir():  # asked before anything is drawn, which takes minutes
            raise Usage(f"{option} must be in an existing folder, got {path}")
    make_importable(os.getcwd())
    with redirect_prints(elsewhere=as_json):
        samples = {path: import_object(path) for path in dict.fromkeys(targets)}
    from lemmata.mechanisms.audit.front import entry
    from lemmata.mechanisms.audit.play.audit_result import Found

    found = [samples[path] for path in targets]
    options: dict[str, Any] = {"bits": bits or None}
    if len(targets) == 2:
        options["records"] = group
    elif group != 1:
        raise Usage("--group requires two samplers, got one mechanism")
    try:
        with redirect_prints(elsewhere=as_json):
            if len(targets) == 1:
                found = [found[0]() if isinstance(found[0], type) else found[0], *read_dataset(targets[0], data)]
            result = entry.audit(*found, claim=claim, root=root, budget=budget, level=level, **options)
    except Usage:
        raise
    except (Exception, SystemExit) as error:  # whatever somebody else's function does is no fault of this program
        raise Usage(f"{' or '.join(targets)} cannot be attacked ({describe_error(error)})") from None
    click.echo(json.dumps(result.as_json(), indent=1, ensure_ascii=False) if as_json else result)
    if not as_json and isinstance(result, Found) and result.reproducer:
        click.echo(f"\nWithout lemmata:\n\n{result.reproducer}")
    if draw:  # after the verdict, which a full disk cannot take back
        draw(result, level, plot)
    if save and isinstance(result, Found):
        result.save(save)
    exit_with({"": REFUTED_BY_AUDIT, "AUDIT_ONLY": 0}.get(result.reason, NOTHING_LEARNT))


def redirect_prints(elsewhere: bool) -> contextlib.AbstractContextManager:
    """Send the output of audited code to stderr, so that stdout has JSON only."""
    return contextlib.redirect_stdout(sys.stderr) if elsewhere else contextlib.nullcontext()


STATED = {  # the options that together state a guarantee, and its name
    ("epsilon",): "PureDP",
    ("epsilon", "delta"): "ApproxDP",
    ("mu",): "GaussianDP",
    ("rho",): "ZCDP",
    ("order", "epsilon"): "RenyiDP",
}


def read_guarantee(neighbours: str, options: dict[str, float | None], written: str | None) -> Any:
    """The guarantee stated by the options or by --claim. Raises Usage if there is none, or several."""
    from lemmata.mechanisms.privacy.guarantees import KINDS

    given = {name: value for name, value in options.items() if value is not None}
    if given.get("delta") == 0:
        del given["delta"]
    if bool(given) == bool(written):
        raise Usage("exactly one of --epsilon, --mu, --rho and --claim is required")
    try:
        if written:
            return parse_guarantee(written, neighbours)
        kind = next((kind for names, kind in STATED.items() if set(names) == set(given)), None)
        if kind is None:
            raise Usage(f"{' and '.join(f'--{name}' for name in given)} together do not state a guarantee")
        return KINDS[kind](**given, neighbours=neighbours)
    except ValueError as error:
        raise Usage(f"{error}" if written else f"--{error}") from None


def parse_guarantee(text: str, neighbours: str) -> Any:
    """Parse a guarantee, a name with numbers, without evaluating code. Raises ValueError for other texts.

    >>> parse_guarantee("RenyiDP(order=2, epsilon=0.5)", "add/remove")
    RenyiDP(order=2.0, epsilon=0.5, neighbours='add/remove')
    """
    from lemmata.mechanisms.privacy.guarantees import KINDS

    refusal = f"--claim must be one of {', '.join(KINDS)} with its numbers, got {text!r}"
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError(refusal)
        kind = KINDS[call.func.id]
        numbers = [ast.literal_eval(argument) for argument in call.args]
        named = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, KeyError, ValueError):
        raise ValueError(refusal) from None
    try:
        return kind(*numbers, **({"neighbours": neighbours} | named))
    except TypeError:
        raise ValueError(refusal) from None


def read_dataset(target: str, data: str | None) -> list[Any]:
    """The parts of the dataset to start from: the file of --data, or the variable `data` of the target's file."""
    import numpy as np

    if data and not (data.rpartition(":")[0] or data.endswith((".npy", ".npz"))):
        raise Usage(f"--data must be a .npy or .npz file, or FILE.py:NAME, got {data}")
    path = data or f"{target.rpartition(':')[0]}:data"
    if path.endswith((".npy", ".npz")):
        try:
            loaded = np.load(path)
            return [loaded[name] for name in loaded.files] if path.endswith(".npz") else [loaded]
        except OSError as error:
            raise Usage(f"--data = {path} cannot be read ({error.strerror or 'unreadable'})") from None
        except MemoryError:  # of a file that declares more than it holds, too
            raise Usage(f"--data = {path} declares an array that does not fit into memory") from None
        except (ValueError, EOFError, AttributeError, zipfile.BadZipFile):  # whose messages speak of pickles
            raise Usage(f"--data must be a {path[-4:]} file of numbers or texts, got {path}") from None
    try:
        found = import_object(path)
    except Usage:
        if data:
            raise
        raise Usage(f"--data is missing, and the file of {target} has no variable `data`") from None
    return list(found) if isinstance(found, tuple) else [found]


def load_drawing(plot: str) -> Callable[..., None]:
    """The function that plots an audit, loaded before sampling, because its library may be missing.

    Raises Usage for a file type that it cannot write.
    """
    try:
        from lemmata.experiments.audits.figures import list_file_kinds, write_course
    except ImportError as error:
        if needed := lab.missing("--plot", error):
            raise Usage(needed) from None
        raise
    if Path(plot).suffix.lower() not in (kinds := list_file_kinds()):
        raise Usage(f"--plot must end in one of {', '.join(kinds)}, got {plot}")
    return write_course
