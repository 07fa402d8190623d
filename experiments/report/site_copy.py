"""A copy of the site for any static host: what the pages show and nothing else, in one folder, links all relative."""

import json
import secrets
import shutil
from pathlib import Path

from lemmata.experiments.engine.ground.files import refuse_links
from lemmata.experiments.report.incremental import LIST, SiteFiles

MARK = ".lemmata-site"  # says that a folder is such a copy, and may be replaced
LARGEST = 15_000_000  # bytes
BESIDE = ("asv/html", "docs")  # dashboards and documentation are linked where they have been made


class ForeignFolderError(ValueError):
    """A folder holds something that is no site of ours; the message is one line that names it."""


def copy_site(reports: Path, target: Path) -> tuple[int, int]:
    """Copy the site that stands below `reports` to the folder `target`, in the place of the one before.

    Returns (files, bytes). Raises `ForeignFolderError` for a folder that is not empty and was not made by this.
    """
    target = target.resolve()  # a link that the user names is the folder that it leads to
    if target.exists() and not target.is_dir():
        raise ForeignFolderError(f"--publish must be a folder, got {target}")
    if target.is_dir() and any(target.iterdir()) and not (target / MARK).exists():
        raise ForeignFolderError(
            f"--publish must be a new or empty folder, or an earlier copy of the site, got {target}"
        )
    refuse_links(reports)
    making = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")  # which nobody else has
    files = [path for path in SiteFiles(reports).files if path != LIST]
    beside = [path for folder in BESIDE for path in (reports / folder).rglob("*") if path.is_file()]
    files += [str(path.relative_to(reports)) for path in beside if not path.name.startswith(".")]
    try:
        for path in files:
            (making / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(reports / path, making / path)
        (making / MARK).write_text(json.dumps({"files": len(files)}), encoding="utf-8")
        (making / ".nojekyll").touch()  # a host that makes pages of its own leaves these as they are
        shutil.rmtree(target, ignore_errors=True)
        making.rename(target)
    except (FileExistsError, NotADirectoryError) as error:
        raise ForeignFolderError(f"--publish = {target}: {error.strerror}") from None
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return len(files), sum((target / path).stat().st_size for path in files)
