"""The invented paper with what it has accepted, for the tests of a run that is disturbed."""

import pytest

from tests.engine.running.faulted import prepared


@pytest.fixture(scope="package")
def paper(tmp_path_factory):
    """With its false lemma, whose witness asks for a process."""
    return prepared(tmp_path_factory.mktemp("false"))


@pytest.fixture(scope="package")
def fair(tmp_path_factory):
    """Without it."""
    return prepared(tmp_path_factory.mktemp("fair"), false=False)
