"""The laboratory's own libraries, and the line that says so where one of them is missing."""

from __future__ import annotations

EXTRAS = {
    "lab": ("the laboratory", "jinja2 joblib latex2mathml matplotlib pandas statsmodels tqdm".split()),
    "dask": ("a cluster's client", ["dask", "distributed"]),
}


def missing(what: str, error: BaseException) -> str:
    """What to install for `what`, if `error` says that a library of an extra is missing; "" for any other error.

    >>> missing("run", ModuleNotFoundError("No module named 'pandas'", name="pandas"))
    'run needs the laboratory: pip install "lemmata[lab]" (pandas is missing)'
    >>> missing("run", ModuleNotFoundError("No module named 'pandas.gone'", name="pandas.gone"))
    ''
    """
    if isinstance(error, ModuleNotFoundError):
        for extra, (kind, libraries) in EXTRAS.items():
            if error.name in libraries:
                return f'{what} needs {kind}: pip install "lemmata[{extra}]" ({error.name} is missing)'
    return ""
