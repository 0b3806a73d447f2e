"""Pages that the code writes: methods, commands, public names, schemas. They are not kept."""

from __future__ import annotations

import json
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


def write_all(_: Any = None) -> None:
    """Write every generated page."""
    api_pages.write(PLACE / "api")
    command_pages.write(PLACE / "commands")
    method_pages.write(PLACE / "methods")
    schema(PLACE / "schemas")


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before Sphinx reads its sources."""
    app.connect("builder-inited", write_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    write_all()
