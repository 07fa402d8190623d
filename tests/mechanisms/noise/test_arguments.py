"""What the laws of noise on a grid refuse, and what they clip and do not show."""

import numpy as np
import pytest

from lemmata.mechanisms.noise import discrete_gaussian, grid_gaussian, snapping
from lemmata.mechanisms.privacy import ApproxDP, PureDP

VALID = {
    discrete_gaussian: {"value": [0.0], "sensitivity": 1.0, "bound": 1.0, "privacy": ApproxDP(1.0, 1e-6)},
    grid_gaussian: {"value": [0.0], "sensitivity": 1.0, "bound": 1.0, "sigma": 1.0},
    snapping: {"value": [0.0], "sensitivity": 1.0, "bound": 4.0, "scale": 1.0},
}
BAD = [
    (discrete_gaussian, {"value": [[1.0]]}, r"value must have shape \(F,\) with F >= 1, got \(1, 1\)"),
    (discrete_gaussian, {"value": [np.inf]}, "value must have finite entries only"),
    (discrete_gaussian, {"sensitivity": -1.0}, "sensitivity must be in .*, got -1.0"),
    (discrete_gaussian, {"bound": 0.0}, "bound must be in .*, got 0.0"),
    (discrete_gaussian, {"bound": 1e30}, "more than 2\\^52 steps"),
    (discrete_gaussian, {"steps": 2**24}, "steps must be in .*, got 16777216"),
    (discrete_gaussian, {"privacy": ApproxDP(1.0, 0.0)}, "privacy must be an ApproxDP with epsilon > 0 and 0 <.*, got"),
    (discrete_gaussian, {"privacy": 1.0}, r"privacy must be an ApproxDP with epsilon > 0 and 0 < delta < 1, got 1\.0"),
    (grid_gaussian, {"value": [[1.0]]}, r"value must have shape \(k,\) with k >= 1, got \(1, 1\)"),
    (grid_gaussian, {"value": [np.nan]}, "value must have finite entries only"),
    (grid_gaussian, {"sensitivity": 0.0}, "sensitivity must be in .*, got 0.0"),
    (grid_gaussian, {"bound": np.inf}, "bound must be in .*, got inf"),
    (grid_gaussian, {"sigma": -1.0}, "sigma must be in .*, got -1.0"),
    (grid_gaussian, {"sigma": None}, "exactly one of sigma and privacy is required, got None and None"),
    (grid_gaussian, {"step": 0.3}, "step must be a power of two, got 0.3"),
    (grid_gaussian, {"step": 2.0**-60}, "too fine"),
    (snapping, {"value": [[1.0]]}, r"value must have shape \(F,\) with F >= 1, got \(1, 1\)"),
    (snapping, {"value": [np.nan]}, "value must have finite entries only"),
    (snapping, {"sensitivity": 0.0}, "sensitivity must be in .*, got 0.0"),
    (snapping, {"bound": np.inf}, "bound must be in .*, got inf"),
    (snapping, {"bound": 2.0**40}, "bound must be in .*, got 1099511627776.0 and scale = "),
    (snapping, {"scale": None}, "exactly one of privacy and scale is required, got"),
    (snapping, {"scale": None, "privacy": 1.0}, r"privacy must be a PureDP, got 1\.0"),
    (snapping, {"privacy": PureDP(1.0)}, "exactly one of privacy and scale is required, got"),
]


@pytest.mark.parametrize(("module", "change", "message"), BAD)
def test_bad_input_is_named(module, change, message):
    with pytest.raises(ValueError, match=message):
        module.law(**VALID[module] | change)


@pytest.mark.parametrize(
    ("module", "field"), [(discrete_gaussian, "centre"), (grid_gaussian, "value"), (snapping, "centre")]
)
def test_values_beyond_the_bound_are_clipped_and_stay_out_of_sight(module, field):
    law = module.law(**VALID[module] | {"value": [1e300, -0.123456789]})
    assert getattr(law, field).tolist() == [VALID[module]["bound"], -0.123456789]
    assert "0.1234" not in repr(law)
