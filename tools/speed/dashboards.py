"""asv's dashboards, made to open from disk without a network.

asv's page loads its scripts from public servers, and its data by requests that a browser refuses to a page on disk. The
scripts are copied from vendor/ to the page's folder, and the data become one more script.
"""

import json
import re
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

HTML = Path("reports/asv/html")
REMOTE = re.compile(r'<(script src|link rel="stylesheet" href)="https?://[^"]*/([^"/]+)"[^>]*?(></script>|>)')
HERE = {  # file of asv's page -> ours
    "jquery-3.3.1.min.js": "jquery.min.js",
    **{f"jquery.flot{part}.min.js": f"jquery.flot{part}.js" for part in ("", ".time", ".selection", ".categories")},
}


def publish(html: Path = HTML) -> Path:
    """Publish asv's results to `html`; returns the front page. Raises CalledProcessError where asv fails."""
    subprocess.run([sys.executable, "-m", "asv", "publish", "--no-pull"], check=True, stdout=subprocess.DEVNULL)
    return make_self_contained(html)


def make_self_contained(html: Path) -> Path:
    """Take the network out of what asv has published. Raises ValueError for a script that vendor/ lacks."""
    vendor = resources.files("lemmata.tools.speed") / "vendor"
    page = html / "index.html"

    def local(match: re.Match[str]) -> str:
        name = HERE.get(match[2], match[2])
        if not (vendor / name).is_file():
            raise ValueError(f"asv's page loads {match[2]}, which is not in tools/speed/vendor")
        text = (vendor / name).read_text(encoding="utf-8")
        (html / name).write_text(re.sub(r"@font-face\{[^}]*\}", "", text), encoding="utf-8")
        # data.js and offline.js come after jQuery, whose requests they answer, and before asv's own scripts
        tail = '></script>\n<script src="data.js"></script><script src="offline.js"></script>'
        end = tail if name == "jquery.min.js" else match[3]
        return f'<{match[1]}="{name}"{end}'

    text = REMOTE.sub(local, page.read_text(encoding="utf-8"))
    files = {str(path.relative_to(html)): json.loads(path.read_text()) for path in html.rglob("*.json")}
    (html / "data.js").write_text(f"window.ASV_FILES = {json.dumps(files)};\n", encoding="utf-8")
    for name in ("offline.js", "LICENSES.txt"):
        shutil.copyfile(str(vendor / name), html / name)
    page.write_text(text, encoding="utf-8")
    return page
