"""The page of the certificate's schema."""

from __future__ import annotations

import json
from pathlib import Path

from shoal.release.pack.certificate import schema_json


def write(folder: Path) -> None:
    """Write the page of the certificate's schema."""
    folder.mkdir(parents=True, exist_ok=True)
    tree = json.loads(schema_json())
    lines = ["# Certificate", "", tree.get("description", ""), "", "| field | type | meaning |",
             "|---|---|---|"]  # fmt: skip
    for name, field in tree["properties"].items():
        kind = field.get("type") or field.get("$ref", "").rpartition("/")[2] or "one of several"
        lines.append(f"| `{name}` | {kind} | {field.get('description', field.get('title', ''))} |")
    lines += ["", "## JSON schema", "", "```json", json.dumps(tree, indent=2), "```", ""]
    (folder / "certificate.md").write_text("\n".join(lines), encoding="utf-8")
