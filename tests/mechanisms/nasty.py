"""Values that callers do pass by mistake."""

import numpy as np


def objects(rows):
    """An array of objects, entry by entry: numpy looks into none of them."""
    held = np.empty((len(rows), len(rows[0])), dtype=object)
    for place in np.ndindex(held.shape):
        held[place] = rows[place[0]][place[1]]
    return held


NASTY = {
    "None": None,
    "nan": np.nan,
    "inf": np.inf,
    "-inf": -np.inf,
    "-1": -1,
    "0": 0,
    "0.0": 0.0,
    "huge": 1e308,
    "tiny": 5e-324,
    "whole": 10**400,
    "text": "12345",
    "empty text": "",
    "complex": 1 + 2j,
    "true": True,
    "numpy bool": np.bool_(True),
    "numpy int": np.int64(1),
    "0-d": np.array(0.5),
    "empty": np.array([]),
    "vector": np.array([0.5, 1.0, 2.0]),
    "cube": np.ones((2, 2, 2)),
    "nan vector": np.array([np.nan, 1.0, 1.0, 1.0]),
    "ragged": [[1.0], [1.0, 2.0]],
    "objects": np.array([None, "secret", 3.0], dtype=object),
    "texts": np.array([["secret", "b"]]),
    "complex matrix": np.ones((4, 2)) * 1j,
    "masked": np.ma.masked_array(np.ones((4, 2)), mask=np.eye(4, 2)),
    "huge matrix": np.full((4, 2), 1e200),
    "tiny matrix": np.full((4, 2), 1e-300),
    "one class": np.ones(4),
    "dict": {"epsilon": 1.0},
    "duration": np.timedelta64(1, "s"),
    "long double": np.longdouble("1e4000"),
    "list of texts": [["secret", 1.0], [2**70, None], [1j, 0.5], [True, b"x"]],
    "class": object(),
}
