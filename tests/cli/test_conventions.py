"""Command line conventions: the script that checks them, help, stdin, variables, errors."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
import typer.main
from command_tree import every_command
from typer.testing import CliRunner

from shoal.cli import app
from shoal.cli.command import HELP, fold, split_example
from shoal.cli.config import KEYS, config_path, read_config
from shoal.errors import RequestError
from shoal.settings.table import TABLE

SCRIPT = Path(__file__).with_name("conventions.sh")
DOOR = Path(__file__).with_name("door.py")
TEXT = "age,pay,ill\n" + "".join(f"{20 + i},{1000 + 37 * i},s{i % 3}\n" for i in range(12))
ROLES = ("-k", 3, "--quasi", "age,pay", "--sensitive", "ill", "--method", "mdav")


def examples():
    """Return the example of every command by its words."""
    return {
        path.removeprefix("shoal "): split_example(command.help)[1]
        for path, command, _ in every_command()
    }


@pytest.fixture
def door(tmp_path):
    """The words that run a command in a fork of one process that has imported it."""
    path = tmp_path / "door"
    with subprocess.Popen([sys.executable, DOOR, path]) as server:
        try:
            while not path.exists():
                assert server.poll() is None
                time.sleep(0.02)
            yield [sys.executable, "-I", "-S", DOOR, path]
        finally:
            server.kill()


def conventions(*command):
    """Run the script of conventions on a command; all its checks pass."""
    ran = subprocess.run(["bash", SCRIPT, *command], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("\nok ") >= 39


@pytest.mark.slow
def test_the_script_of_conventions_passes(door):
    """All checks of the shell script pass, at least 40."""
    conventions(*door)


@pytest.mark.slow
def test_the_script_of_conventions_passes_from_the_start():
    """So they do where every command is an interpreter of its own."""
    conventions(sys.executable, "-m", "shoal")


def test_every_command_has_help_and_one_example(shoal):
    """-h prints the usage, one example of this command, how to be quiet, and no type of Python."""
    for path, example in examples().items():
        ran = shoal(*path.split(), "-h")
        assert (ran.code, ran.err) == (0, ""), path
        assert f"Usage: shoal {path} " in ran.out
        assert ran.out.count("Example:") == 1, path
        assert example.startswith(f"shoal {path}")
        assert "--quiet" in ran.out, path
        assert "--help" in ran.out, path
        assert not re.search(r"<\w+>|list\[", ran.out), path


def test_examples_can_be_pasted():
    """However narrow the terminal is, the lines of an example are one command line."""
    for example in examples().values():
        for width in (30, 60, 200):
            text = "\n".join(fold(example, width))
            assert shlex.split(text.replace("\\\n", " ")) == shlex.split(example)


def completed(line, monkeypatch):
    """Return what bash is offered for the last word of a line."""
    from typer._completion_classes import BashComplete

    words = line.split(" ")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    root = typer.main.get_command(app)
    return BashComplete(root, {}, "shoal", "_SHOAL_COMPLETE").complete().splitlines()


def test_what_is_completed(write, tmp_path, monkeypatch):
    """Commands, options, methods, words and plain column names; no name that a shell would run."""
    write("t.csv", "age;pay;pa y;$(touch ran);`x`\n1;2;3;4;5\n")
    monkeypatch.chdir(tmp_path)
    assert completed("shoal anon", monkeypatch) == ["anonymize"]
    assert "--quasi" in completed("shoal anonymize t.csv --qua", monkeypatch)
    assert "mdav" in completed("shoal anonymize t.csv --method md", monkeypatch)
    assert completed("shoal anonymize t.csv --effort qu", monkeypatch) == ["quick"]
    assert completed("shoal anonymize t.csv --quasi ", monkeypatch) == ["age", "pay"]
    assert completed("shoal anonymize t.csv --quasi age,", monkeypatch) == ["age,pay"]
    assert completed("shoal anonymize none.csv --quasi ", monkeypatch) == []


def test_a_release_of_stdin(write, tmp_path):
    """The recipe names no input, which is gone, but its hash; a run takes another from stdin."""
    content = write("t.csv", TEXT).read_bytes()
    scratch = tmp_path / "scratch"
    scratch.mkdir()

    def run(*words):
        every = [*map(str, words), "--from", "csv", "--work", str(scratch)]
        return CliRunner().invoke(app, every, input=content)

    ran = run("anonymize", "-", *ROLES, "-o", tmp_path / "r.csv", "--no-report")
    assert ran.exit_code == 0, ran.stderr
    recipe = tomllib.loads((tmp_path / "r.private/run.toml").read_text())
    assert "path" not in recipe["input"]
    assert len(recipe["input"]["sha256"]) == 64
    for file in (tmp_path / "r.private").iterdir():
        assert b"shoal-stdin-" not in file.read_bytes()
    ran = run("run", tmp_path / "r.private/run.toml", "--input", "-", "-o", "-")
    assert ran.exit_code == 0, ran.stderr
    assert sorted(ran.stdout.splitlines()) == sorted((tmp_path / "r.csv").read_text().splitlines())
    assert list(scratch.iterdir()) == []


def test_stdin_holds_one_table(shoal):
    """Two tables cannot both come from stdin."""
    ran = shoal("measure", "-", "-", "--from", "csv")
    assert (ran.code, ran.out) == (2, "")
    assert "only one table" in ran.err


def test_memory_of_a_variable(shoal, write, tmp_path, monkeypatch):
    """A limit from a variable is said; a recipe keeps its own, and an option comes first."""
    table = write("t.csv", TEXT)
    monkeypatch.setenv("SHOAL_MEMORY", "2GB")
    ran = shoal("anonymize", table, *ROLES, "-o", tmp_path / "r.csv", "--no-report")
    assert "--memory 2GB, from SHOAL_MEMORY" in ran.err
    recipe = tmp_path / "r.private/run.toml"
    assert tomllib.loads(recipe.read_text())["protect"]["memory"] == "2GB"
    ran = shoal("anonymize", table, *ROLES, "-o", "-", "--memory", "3GB")
    assert (ran.code, "SHOAL_MEMORY" in ran.err) == (0, False)
    monkeypatch.setenv("SHOAL_MEMORY", "no amount")
    ran = shoal("run", recipe, "-o", tmp_path / "again.csv", "--no-report")
    assert ran.code == 0, ran.err
    again = tomllib.loads((tmp_path / "again.private/run.toml").read_text())
    assert again["protect"]["memory"] == "2GB"
    assert shoal("anonymize", table, *ROLES, "-o", "-").code == 2


def test_a_scheduler_of_a_variable_is_for_engines(shoal, write, tmp_path, monkeypatch):
    """A variable that names a cluster does not stand in the way of runs on this machine."""
    monkeypatch.setenv("SHOAL_SCHEDULER", "tcp://head:8786")
    table = write("t.csv", TEXT)
    ran = shoal("anonymize", table, *ROLES, "-o", tmp_path / "r.csv", "--no-report")
    assert ran.code == 0, ran.err


REFUSED = sorted({*TABLE} - {*KEYS})


@pytest.mark.parametrize("name", ["k", "seed", "method", "quasi_identifiers", "l", "protect"])
def test_what_decides_about_a_release_is_refused(shoal, write, monkeypatch, name):
    """Neither a configuration file nor a variable may hold k, roles, models, method or seed."""
    monkeypatch.setenv("SHOAL_CONFIG", str(write("config.toml", f"{name} = 5\n")))
    ran = shoal("presets")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert f"{name} is never read from a configuration file" in ran.err
    monkeypatch.setenv("SHOAL_CONFIG", os.devnull)
    monkeypatch.setenv(f"SHOAL_{name.upper()}", "5")
    ran = shoal("presets")
    assert (ran.code, ran.out) == (2, "")
    assert f"SHOAL_{name.upper()} is never read from a variable" in ran.err


def test_no_other_option_is_a_key(write, monkeypatch):
    """Every option of the table is a key of resources and paths, or is refused as one."""
    assert {*TABLE} & {*KEYS} == {"threads", "memory", "work", "scheduler"}
    for name in REFUSED:
        monkeypatch.setenv("SHOAL_CONFIG", str(write("config.toml", f"{name} = 5\n")))
        with pytest.raises(RequestError, match=f"{name} is never read from a configuration file"):
            read_config()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("threads = 0", "threads must be a whole number from 1"),
        ("threads = true", "threads must be"),
        ('quiet = "yes"', "quiet must be true or false"),
        ('progress = "bar"', "progress must be one of auto, lines, json, none"),
        ("memory = 4", "memory must be a text"),
        ("threads", "not a TOML file"),
        ("quite = true", "did you mean 'quiet'?"),
    ],
)
def test_wrong_configuration_files(shoal, write, monkeypatch, content, words):
    """A wrong value, an unknown key and a file that is no TOML are errors in a line."""
    monkeypatch.setenv("SHOAL_CONFIG", str(write("config.toml", content)))
    ran = shoal("presets")
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert words in ran.err
    assert shoal("presets", HELP[0]).code == 0


def test_where_the_configuration_file_is(tmp_path, shoal, monkeypatch):
    """SHOAL_CONFIG names it, and it must be there then; else it is in the user's folder."""
    monkeypatch.setenv("SHOAL_CONFIG", str(tmp_path / "none.toml"))
    assert config_path() == tmp_path / "none.toml"
    assert "there is no file" in shoal("presets").err
    monkeypatch.delenv("SHOAL_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_path() == tmp_path / "shoal" / "config.toml"
    assert shoal("presets").code == 0


def test_quiet_and_verbose(shoal, write, monkeypatch):
    """What is said on the command line comes before variables; both at once are refused."""
    table = write("t.csv", TEXT)
    verify = ("verify", table, "-k", 1, "--quasi", "age", "--keep", "pay,ill")
    assert shoal(*verify, "-q").out == shoal("-q", *verify).out == ""
    monkeypatch.setenv("SHOAL_QUIET", "1")
    assert shoal(*verify).out == ""
    assert shoal(*verify, "-v").out != ""
    ran = shoal(*verify, "-q", "-v")
    assert (ran.code, ran.out) == (2, "")
    assert "not both" in ran.err
    ran = shoal(*verify, "--progress", "bars")
    assert (ran.code, "--progress must be one of" in ran.err) == (2, True)


def test_errors_as_json(shoal, write):
    """With --json stdout holds one object whatever comes, but nothing where a table goes there."""
    table = write("t.csv", TEXT)
    ran = shoal("anonymize", table, "-k", 30, "--json", "-o", table.with_name("r.csv"))
    error = json.loads(ran.out)["error"]
    assert set(error) == {"kind", "message", "hint", "exit_code"}
    assert (ran.code, error["exit_code"]) == (2, 2)
    assert ran.err == f"shoal: {error['message']}\n"
    ran = shoal("anonymize", table, *ROLES, "--json", "-o", "-")
    assert (ran.code, ran.out) == (2, "")
    ran = shoal("verify", table, "-k", 5, "--quasi", "age", "--json", "--progress", "json")
    assert (ran.code, json.loads(ran.out)["ok"]) == (3, False)


def test_an_unexpected_error_shows_no_value(shoal, write, monkeypatch):
    """A mistake of the program is exit code 1; its object in JSON holds the kind of error alone."""
    from shoal.judge import verify

    def wrong(*_, **__):
        raise ZeroDivisionError("CANARY")

    monkeypatch.setattr(verify, "verify", wrong)
    table = write("t.csv", TEXT)
    printed = []
    monkeypatch.setattr("shoal.cli.output.write_stdout", printed.append)
    with pytest.raises(ZeroDivisionError):
        shoal("verify", table, "-k", 5, "--json")
    error = json.loads(printed[0])["error"]
    assert (error["kind"], error["exit_code"]) == ("Unexpected", 1)
    assert "CANARY" not in printed[0]
