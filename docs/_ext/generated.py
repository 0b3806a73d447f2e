"""Pages that the code writes: methods, commands, public names, schemas. They are not kept."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import api_pages
import command_pages
import method_pages

PLACE = Path(__file__).parents[1] / "generated"


def schema(folder: Path) -> None:
    """Write the page of the certificate's schema."""
    from shoal.save.pack.certificate import schema_json

    folder.mkdir(parents=True, exist_ok=True)
    tree = json.loads(schema_json())
    lines = ["# Certificate", "", tree.get("description", ""), "", "| field | type | meaning |",
             "|---|---|---|"]  # fmt: skip
    for name, field in tree["properties"].items():
        kind = field.get("type") or field.get("$ref", "").rpartition("/")[2] or "one of several"
        lines.append(f"| `{name}` | {kind} | {field.get('description', field.get('title', ''))} |")
    lines += ["", "## JSON schema", "", "```json", json.dumps(tree, indent=2), "```", ""]
    (folder / "certificate.md").write_text("\n".join(lines), encoding="utf-8")


ROOT_PAGES = {  # of the repository, by their place on the site
    "CONTRIBUTING.md": "house", "RELEASING.md": "releasing", "SECURITY.md": "security",
    "CHANGELOG.md": "changelog",
}  # fmt: skip


def root_pages(folder: Path) -> None:
    """Copy the pages that lie beside the README; their links lead to places of the site."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, place in ROOT_PAGES.items():
        text = (PLACE.parents[1] / name).read_text(encoding="utf-8")
        text = re.sub(r"\]\(docs/", "](../../", text)
        text = re.sub(r"\]\(README\.md(#systems)?\)", "](../../start/install.md)", text)
        for other, there in ROOT_PAGES.items():
            text = text.replace(f"]({other})", f"]({there}.md)")
        (folder / f"{place}.md").write_text(text, encoding="utf-8")


def without_folders(_: Any, name: str, source: list[str]) -> None:
    """Links to folders lead nowhere on a site: leave their words."""
    if name == "records/README":
        source[0] = re.sub(r"\[([^]]*)\]\(labels/?\)", r"\1", source[0])


def write_all(_: Any = None) -> None:
    """Write every generated page."""
    api_pages.write(PLACE / "api")
    command_pages.write(PLACE / "commands")
    method_pages.write(PLACE / "methods")
    schema(PLACE / "schemas")
    root_pages(PLACE / "developers")


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before Sphinx reads its sources."""
    app.connect("builder-inited", write_all)
    app.connect("source-read", without_folders)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    write_all()
