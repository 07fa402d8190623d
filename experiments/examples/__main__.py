"""`python -m experiments.examples` runs all five and keeps what each prints beside it, for the gallery: a minute."""

import contextlib
import importlib
import io
from pathlib import Path

from experiments.examples import GALLERY

for name in GALLERY:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        importlib.import_module(f"experiments.examples.{name}").main()
    Path(__file__).with_name(f"{name}.txt").write_text(printed.getvalue(), encoding="utf-8")
