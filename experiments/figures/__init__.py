"""How figures look, and the figures of claims: curves and rates drawn by matplotlib from decided cells.

The one style of this project, what `lemmata.figure` draws and the captions that a person wrote belong here; a figure
that one study or page alone shows belongs to that study or page.
Modules of this package import the engine and bounds, and no paper, study or report.
"""
