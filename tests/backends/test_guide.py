"""The guide's files: what they start is what there is."""

from __future__ import annotations

import re
import shlex

import pytest
import yaml

import shoal as library
from shoal.cli import app


def commands(tree):
    """Every command in a file of services or pods."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key == "command":
                yield value
            else:
                yield from commands(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from commands(value)


def check(command):
    """Look whether a command is one of ours or of Dask, with options that it has."""
    import typer.main
    from click import Command, Context
    from distributed.cli.dask_scheduler import main as scheduler
    from distributed.cli.dask_worker import main as worker

    ours = typer.main.get_command(app)
    what: Command
    if command[0] == "shoal":
        what = ours.commands[command[1]]
    else:
        what = {"scheduler": scheduler, "worker": worker}[command[1]]
    known = {
        name
        for one in what.get_params(Context(what))
        for name in (*one.opts, *getattr(one, "secondary_opts", ()))
    }
    given = [part.partition("=")[0] for part in command[2:] if part.startswith("-")]
    assert given
    assert set(given) <= known, set(given) - known


@pytest.mark.parametrize("name", ["docker-compose.yml", "kubernetes.yaml"])
def test_what_is_started(repository, name):
    """Commands of the compose file and the sketch exist, with the options they are given."""
    text = (repository / "docs/cluster" / name).read_text()
    every = [one for tree in yaml.safe_load_all(text) for one in commands(tree)]
    assert len(every) == 3
    for command in every:
        check(command)


def test_the_image(repository):
    """The image installs an extra that there is; the sketch names the version of now."""
    import tomllib

    said = tomllib.loads((repository / "pyproject.toml").read_text())
    text = (repository / "docs/cluster/Dockerfile").read_text()
    (extra,) = re.findall(r"/src\[(\w+)\]", text)
    assert extra in said["project"]["optional-dependencies"]
    sketch = (repository / "docs/cluster/kubernetes.yaml").read_text()
    assert set(re.findall(r"shoal:([\d.]+)", sketch)) == {library.__version__}


def test_commands_of_the_guide(repository):
    """Every shoal command of the guide has the options that it is given."""
    text = (repository / "docs/cluster/guide.md").read_text().replace("\\\n", " ")
    lines = re.findall(r"^\$ (shoal .*)$", text, flags=re.MULTILINE)
    assert len(lines) == 2
    for line in lines:
        check(shlex.split(line))
