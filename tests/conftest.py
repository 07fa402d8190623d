"""What tests of several rooms set up."""

import numpy as np
import pytest


@pytest.fixture
def claims():
    """The toy claims, while they are the only ones."""
    from tests.engine import toy

    with toy.registered() as claims:
        yield claims


@pytest.fixture
def seed():
    """Of the generator below; a test that is asked for several seeds has it as a parameter."""
    return 0


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)
