"""Tables that an audit takes long to make: every line is kept and shown as soon as it is there."""

import csv
from collections.abc import Iterator
from itertools import chain
from pathlib import Path


def write_lines(path: Path, lines: Iterator[dict]) -> None:
    """Write and print `lines` as they come; what stood in the table stays until the first is there."""
    first = next(lines)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, first, lineterminator="\n")
        writer.writeheader()
        for line in chain([first], lines):
            writer.writerow(line)
            file.flush()
            print(*line.values(), sep="  ", flush=True)
