"""How the documentation is built: `make docs`. No network, and every warning is an error."""

import os
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))

import docstrings  # noqa: E402
import generated_pages  # noqa: E402

import lemmata  # noqa: E402

generated_pages.write(DOCS / "generated")  # before Sphinx looks which pages there are
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # kernels of notebooks speak of themselves otherwise,
os.environ["IPYTHONDIR"] = str(DOCS / "generated" / "ipython")  # and read what their user has set

project, author, version = "Lemmata", "The Lemmata authors", lemmata.__version__
release, copyright = version, author
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_gallery.gen_gallery", "myst_nb"]
exclude_patterns = [
    "generated/gallery/*.ipynb",
    "generated/gallery/*.py",
    "gallery",
    "tutorial/*.py",
    "jupyter_execute",
]
templates_path, html_static_path = ["_templates"], ["_static"]
suppress_warnings = ["ref.python"]  # a class has two entries: by its short name, and in its module

# Docstrings ------------------------------------------------------------------------------------------------------

autosummary_generate = True
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_preserve_defaults = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_use_plots = False
default_role = "code"

# Gallery and notebooks: all of them run in each build, and a failure ends it ----------------------------------------

ORDER = "learner search account audit theorem verdict comparison sizes conversions kernels".split()


def by_place(name: str) -> int:
    """Where an example stands in the gallery."""
    return ORDER.index(Path(name).stem.removeprefix("plot_"))


sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "generated/gallery",
    "within_subsection_order": "conf.by_place",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1_000,
    "plot_gallery": True,
}
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]

# The pages -----------------------------------------------------------------------------------------------------------

html_theme, html_title, html_show_sourcelink, html_copy_source = "pydata_sphinx_theme", "Lemmata", False, False
html_use_index = html_domain_indices = False  # the search finds more
html_css_files = ["lemmata.css"]
WITHOUT_SIDEBAR = "index tutorial/tutorial your-own-theorem audit-others generated/api/* generated/modules/*".split()
html_sidebars = {page: [] for page in WITHOUT_SIDEBAR}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "Lemmata"},
    "navbar_start": ["navbar-logo"],
    "navbar_end": ["verdicts"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 7,
    "navbar_align": "content",
    "collapse_navigation": True,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
}


def setup(app: Any) -> None:
    """Links to files at the top of the repository, docstrings as they are written, and a way back to the verdicts."""
    app.connect("source-read", lambda app, name, source: generated_pages.linked(source))
    app.connect("autodoc-process-docstring", docstrings.process, priority=100)
    app.connect("autodoc-skip-member", docstrings.skipped)
    app.connect("html-page-context", verdicts_beside)
    app.connect("build-finished", drop_source_maps)


def verdicts_beside(app: Any, page: str, template: str, context: dict, doctree: Any) -> None:
    """Whether the site of the verdicts stands above these pages, so that they can lead to it."""
    context["verdicts"] = (Path(app.outdir).parent / "index.html").is_file()


def drop_source_maps(app: Any, error: Exception | None) -> None:
    """Remove the source maps, which only authors of the theme read: 2 of the 9 megabytes of the documentation."""
    for path in Path(app.outdir, "_static").rglob("*.map"):
        path.unlink()
