"""A browser without a screen and without a network, for tests of what pages look like and do."""

import re
import shutil
import subprocess

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needed = pytest.mark.skipif(CHROMIUM is None, reason="NO BROWSER HERE: no page was opened")


def look(page, profile, *flags, script="", query=""):
    """Open a page with one more script at its end; its document is what is printed, its console is on stderr."""
    probe = page.with_name(f"probe-{page.name}")
    text = re.sub(r"<meta http-equiv[^>]*>", "", page.read_text(encoding="utf-8"))  # which refuses a script of a test
    probe.write_text(text.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    try:
        return look_at(probe, profile, *flags, query=query)
    finally:
        probe.unlink()


def look_at(page, profile, *flags, query=""):
    """Open a page as it is."""
    quiet = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    quiet += ["--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", f"--user-data-dir={profile}"]
    command = [CHROMIUM, *quiet, *flags, "--dump-dom", f"file://{page}{query}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def count_printed_sides(page, profile, folder):
    """How many sides a page has when it is printed."""
    made = folder / f"{page.stem}.pdf"
    look_at(page, profile, "--no-pdf-header-footer", f"--print-to-pdf={made}")
    return len(re.findall(rb"/Type\s*/Page\b", made.read_bytes()))
