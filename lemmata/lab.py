"""The optional dependencies, and the message when one of them is missing."""

EXTRAS = {
    "lab": ("the extra `lab`", "jinja2 joblib latex2mathml matplotlib pandas statsmodels tqdm".split()),
    "dask": ("the extra `dask`", ["dask", "distributed"]),
}


def missing(what: str, error: BaseException) -> str:
    """The message that names the extra to install, if `error` says that its library is missing; otherwise "".

    >>> missing("run", ModuleNotFoundError("No module named 'pandas'", name="pandas"))
    'run needs the extra `lab`: pip install "lemmata[lab]" (pandas is missing)'
    >>> missing("run", ModuleNotFoundError("No module named 'pandas.gone'", name="pandas.gone"))
    ''
    """
    if isinstance(error, ModuleNotFoundError):
        for extra, (kind, libraries) in EXTRAS.items():
            if error.name in libraries:
                return f'{what} needs {kind}: pip install "lemmata[{extra}]" ({error.name} is missing)'
    return ""
