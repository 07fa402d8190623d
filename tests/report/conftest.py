"""The site of the toy claims, drawn once for all tests of pages."""

from typing import NamedTuple

import pytest

from lemmata.experiments.report import write
from lemmata.experiments.report.site_copy import copy_site
from lemmata.mechanisms.numerics.streams import LEDGER_ROOT
from lemmata.tools.speed.page import CHECKOUT
from tests.engine import toy


class Site(NamedTuple):
    """The published copy, its folder of reports, and the summary that is printed."""

    copy: object
    reports: object
    summary: str


@pytest.fixture(scope="package")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    with toy.registered() as claims:
        _, summary = write(toy.decided(claims), LEDGER_ROOT, folder / "reports", also=lambda: CHECKOUT)
    copy_site(folder / "reports", folder / "copy")
    return Site(folder / "copy", folder / "reports", summary)
