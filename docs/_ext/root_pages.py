"""The pages that lie beside the README, on the site."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
ROOT_PAGES = {  # of the repository, by their place on the site
    "CONTRIBUTING.md": "house", "RELEASING.md": "releasing", "SECURITY.md": "security",
    "CHANGELOG.md": "changelog",
}  # fmt: skip


def write(folder: Path) -> None:
    """Copy the pages that lie beside the README; their links lead to places of the site."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, place in ROOT_PAGES.items():
        text = (REPOSITORY / name).read_text(encoding="utf-8")
        text = re.sub(r"\]\(docs/", "](../../", text)
        text = re.sub(r"\]\(README\.md(#systems)?\)", "](../../start/install.md)", text)
        for other, there in ROOT_PAGES.items():
            text = text.replace(f"]({other})", f"]({there}.md)")
        (folder / f"{place}.md").write_text(text, encoding="utf-8")
