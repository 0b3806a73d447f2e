"""The command line as people and scripts use it."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import forks
import naive
from shoal import anonymize_file
from thorough import spread

QUASI = "age,sex,postcode,admission_date,length_of_stay,weight,income"
TEXT = "who,a,b,s\n" + "".join(f"CANARY{i},{i % 7},{i * 1.5},s{i % 3}\n" for i in range(12))


@pytest.fixture
def table(write):
    return write("t.csv", TEXT)


ROLES = ("-k", 3, "--quasi", "a,b", "--sensitive", "s", "--identifier", "who")


def test_make_runs_main_job(shoal, repository, tmp_path):
    """The README's main job, verified and counted by the twin; one changed cell is found."""
    recipe = repository / "src/shoal/datasets/patients.toml"
    out = tmp_path / "out"
    ran = shoal("run", recipe, "-o", f"{out}/", "--force")
    assert (ran.code, ran.out) == (0, "")
    assert sorted(p.name for p in out.iterdir()) == [
        "release.csv", "report.html", "report.json",
    ]  # fmt: skip
    assert sorted(p.name for p in (tmp_path / "out.private").iterdir()) == [
        "commitment.key", "report.html", "report.json", "run.toml",
    ]  # fmt: skip
    assert "verified" in ran.err
    assert f"private, not to be published: {out}.private/: report.json, report.html" in ran.err
    assert shoal("verify", out / "release.csv", "-k", 5, "--quasi", QUASI).code == 0
    assert naive.class_sizes((out / "release.csv").read_text(), QUASI.split(","))[0] >= 5
    lines = (out / "release.csv").read_text().splitlines()
    lines[7] = "0" + lines[7] if lines[7][0] != '"' else lines[7].replace("[", "(", 1)
    (out / "changed.csv").write_text("\n".join(lines) + "\n")
    ran = shoal("verify", out / "changed.csv", "-k", 5, "--quasi", QUASI)
    assert ran.code == 3
    assert "NOT SAFE" in ran.err
    assert shoal("verify", out / "release.csv", "-k", 6, "--quasi", QUASI).code == 3


def test_anonymize_file(shoal, table, tmp_path):
    """-o F.csv writes the release and a report, a recipe to F.private/; stdout stays empty."""
    ran = shoal("anonymize", table, *ROLES, "-o", tmp_path / "r.csv")
    assert (ran.code, ran.out) == (0, "")
    assert {"r.csv", "r.report.json", "r.private"} <= {p.name for p in tmp_path.iterdir()}
    assert (tmp_path / "r.private/run.toml").is_file()
    report = json.loads((tmp_path / "r.report.json").read_text())
    assert report["roles"]["identifier"] == ["who"]
    rows = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text())))
    assert len(rows) == 12
    assert set(rows[0]) == {"a", "b", "s"}
    for path in [*tmp_path.glob("r.*.*"), *tmp_path.glob("r.private/*"), tmp_path / "r.csv"]:
        assert "CANARY" not in path.read_text()


def test_json_on_stdout(shoal, table, tmp_path):
    """--json prints the report, and nothing else, on stdout."""
    ran = shoal("anonymize", table, *ROLES, "-o", tmp_path / "r.csv", "--json")
    assert json.loads(ran.out)["k"] == 3
    ran = shoal("inspect", table, "--json")
    assert [c["name"] for c in json.loads(ran.out)["columns"]] == ["who", "a", "b", "s"]
    assert {m["name"] for m in json.loads(shoal("methods", "--json").out)} >= {"mdav", "cbfs-nc"}
    ran = shoal("verify", tmp_path / "r.csv", "-k", 3, "--quasi", "a,b", "--json")
    assert json.loads(ran.out)["ok"] is True
    ran = shoal("anonymize", table, *ROLES, "-o", "-", "--json")
    assert (ran.code, ran.out) == (2, "")


def test_stdout(shoal, table, tmp_path):
    """-o - writes verified csv to stdout and the summary to stderr."""
    ran = shoal("anonymize", table, *ROLES, "-o", "-")
    assert ran.code == 0
    assert naive.class_sizes(ran.out, ["a", "b"])[0] >= 3
    assert "verified" in ran.err
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_canaries_in_a_parquet_file(shoal, tmp_path):
    """Names, dropped cells, unused levels, the index and the file's metadata reach no file."""
    levels = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 4), ["a", "b", "CANARY-level"])
    table = pa.table(
        {
            "who": [f"CANARY-{i}" for i in range(8)],
            "x": list(range(8)),
            "y": [i / 3 for i in range(8)],
            "gone": ["CANARY-gone"] * 8,
            "ill": levels,
            "__index_level_0__": [f"CANARY-index-{i}" for i in range(8)],
        }
    )
    field = table.schema.field("x").with_metadata({"note": "CANARY-field"})
    schema = table.schema.set(1, field).with_metadata({"pandas": "CANARY-metadata"})
    pq.write_table(table.cast(schema), tmp_path / "in.parquet")
    (tmp_path / "out").mkdir()
    for name in ("csv/", "p.parquet", "z.csv.gz"):
        ran = shoal("anonymize", tmp_path / "in.parquet", "-k", 3, "--quasi", "x,y", "--sensitive",
                    "ill", "--identifier", "who,__index_level_0__", "--drop", "gone", "--json",
                    "-o", f"{tmp_path}/out/{name}")  # fmt: skip
        assert ran.code == 0, ran.err
        assert "CANARY" not in ran.out + ran.err
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert len(files) == 3 * (3 + 4)
    for path in files:
        content = path.read_bytes()
        assert b"CANARY" not in content
        assert path.suffix != ".gz" or b"CANARY" not in gzip.decompress(content)


def test_other_columns_byte_for_byte(shoal, write, tmp_path):
    """Columns that are kept are kept byte for byte: quotes, zeros, spaces, signs of all kinds."""
    odd = ['"quoted"', "007", " lead", "trail ", '"a""b"', '"x,y"', "ünï", '""', "", "1.500", "+5",
           "=1+1"]  # fmt: skip
    path = write("t.csv", "a,o\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(odd)))
    ran = shoal("anonymize", path, "-k", 2, "--quasi", "a", "--keep-unique", "o", "-o",
                tmp_path / "r.csv", "--keep-order")  # fmt: skip
    assert ran.code == 0, ran.err
    lines = (tmp_path / "r.csv").read_bytes().decode().split("\n")[1:-1]
    assert [line.split(",", 1)[1] for line in lines] == odd
    assert "warning: the rows keep the input's order" in ran.err


def test_run_repeats(shoal, table, tmp_path):
    """run.toml repeats the run: same groups, other order; it needs --force or -o to write."""
    shoal("anonymize", table, *ROLES, "-o", tmp_path / "r.csv", "--method", "cbfs-nc")
    first = (tmp_path / "r.csv").read_text().splitlines()
    assert shoal("run", tmp_path / "r.private/run.toml").code == 2
    assert shoal("run", tmp_path / "r.private/run.toml", "--force").code == 0
    second = (tmp_path / "r.csv").read_text().splitlines()
    assert sorted(first) == sorted(second)
    assert shoal("run", tmp_path / "r.private/run.toml", "-o", f"{tmp_path}/again/").code == 0
    report = json.loads((tmp_path / "again" / "report.json").read_text())
    assert report["method"] == "cbfs-nc"
    table.write_text(TEXT + "CANARY99,1,1,s1\n")
    ran = shoal("run", tmp_path / "r.private/run.toml", "--force")
    assert ran.code == 2
    assert "has changed" in ran.err
    assert shoal("run", tmp_path / "r.private/run.toml", "--input", table, "--force").code == 0


def test_a_recipe_on_another_file_says_whose_choice_it_follows(shoal, table, write, tmp_path):
    """On another file, method and iterations are the recipe's, which is said, or chosen again."""
    roles = ("-k", 3, "--quasi", "a,b", "--sensitive", "s", "--identifier", "who")
    few = ("--max-iterations", 7)
    assert shoal("anonymize", table, *roles, *few, "-o", f"{tmp_path}/first/").code == 0
    recipe = tmp_path / "first.private" / "run.toml"
    own = tomllib.loads(recipe.read_text())["protect"]
    assert own["method"] == "ilsmc+"
    other = write("other.csv", TEXT + TEXT.partition("\n")[2].replace("CANARY", "OTHER"))
    said = f"method ilsmc+ and its {own['max_iterations']:,} iterations are from the recipe"
    for number, words in enumerate((["run", recipe, "--input", other],
                                    ["anonymize", other, "--recipe", recipe])):  # fmt: skip
        ran = shoal(*words, "-o", f"{tmp_path}/kept{number}/")
        assert ran.code == 0, ran.err
        assert said in ran.err
        kept = tomllib.loads((tmp_path / f"kept{number}.private" / "run.toml").read_text())
        assert kept["protect"]["max_iterations"] == own["max_iterations"]
        ran = shoal(*words, "--choose-again", "-o", f"{tmp_path}/chosen{number}/")
        assert ran.code == 0, ran.err
        assert "from the recipe" not in ran.err
        assert "auto chose ilsmc+" in ran.err
        fresh = tomllib.loads((tmp_path / f"chosen{number}.private" / "run.toml").read_text())
        assert fresh["protect"]["max_iterations"] != own["max_iterations"]
    again = shoal("run", recipe, "--input", table, "-o", f"{tmp_path}/same/")
    assert again.code == 0
    assert "from the recipe" not in again.err
    ran = shoal("anonymize", table, *roles, "--choose-again", "-o", f"{tmp_path}/none/")
    assert (ran.code, "say --recipe FILE" in ran.err) == (2, True)


def test_recipe_for_roles(shoal, table, write, tmp_path):
    """Roles can come from a recipe; what is said on the command line wins."""
    recipe = write("roles.toml", "[roles]\nquasi_identifiers = ['a', 'b']\nidentifiers = ['who']\n"
                                 "[protect]\nk = 2\n")  # fmt: skip
    ran = shoal("anonymize", table, "--recipe", recipe, "-k", 4, "-o", tmp_path / "r.csv", "--json")
    assert ran.code == 0, ran.err
    tree = json.loads(ran.out)
    assert (tree["k"], tree["roles"]["quasi-identifier"]) == (4, ["a", "b"])


def test_names_with_commas(shoal, write, tmp_path):
    """A column name with a comma is given in quotes."""
    path = write("t.csv", '"a,b",c\n1,x\n2,x\n')
    ran = shoal("anonymize", path, "-k", 2, "--quasi", '"a,b"', "-o", tmp_path / "r.csv")
    assert ran.code == 0, ran.err
    assert (tmp_path / "r.csv").read_text().startswith('"a,b",c\n')


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("-k", 3, "--quasi", "a"), 2, "column 'who': no two records share a value"),
        (("-k", 3), 2, "'who' may identify people"),
        (("-k", 3, "--quasi", "a,zz", "--identifier", "who"), 2, "no column 'zz'"),
        (("-k", 13, "--quasi", "a", "--identifier", "who"), 2, "n = 12 records < k = 13"),
        (("-k", 0, "--quasi", "a"), 2, "k must be at least 2"),
        (("-k", 1, "--quasi", "a"), 2, "--allow-k1"),
        (("-k", "2.5", "--quasi", "a"), 2, "invalid value for '-k'"),
        (("--quasi", "a"), 2, "k is needed"),
        (("-k", 3, "--quasi", "a", "--seed", "-1"), 2, "seed must be"),
        (("-k", 3, "--quasi", "a", "--method", "magic"), 2, "no method 'magic'"),
        (
            ("-k", 3, "--quasi", "a,b,s", "--identifier", "who", "--method", "optimal-1d"),
            2,
            "texts and missing cells count several times",
        ),
        (("-k", 3, "--quasi", "a", "--type", "a"), 2, "say COLUMN=VALUE"),
        (("-k", 3, "--quasi", "a", "--decimals", "x"), 2, "--decimals must be"),
        (("-k", 3, "--sensitive", "s", "--identifier", "who"), 2, "no quasi-identifier"),
    ],
)
def test_refusals(shoal, table, tmp_path, arguments, code, message):
    """What cannot be done is refused on one line of stderr, and nothing is written."""
    ran = shoal("anonymize", table, *arguments, "-o", tmp_path / "r.csv")
    assert ran.code == code
    assert message in ran.err
    assert len(ran.err.splitlines()) == 1
    assert "CANARY" not in ran.err
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_zero_is_said_too(shoal, write, tmp_path):
    """An option of zero is not the same as one that was not given."""
    path = write("t.csv", "x,s\n1.25,a\n1.25,b\n-1.35,c\n-1.35,a\n")
    roles = ("--quasi", "x", "--sensitive", "s")
    ran = shoal("anonymize", path, "-k", 2, *roles, "--decimals", 0, "-o", "-")
    assert sorted(line.split(",")[0] for line in ran.out.split()[1:]) == ["-1", "-1", "1", "1"]
    recipe = write("r.toml", "[protect]\nk = 2\nseed = 7\n")
    ran = shoal(
        "anonymize", path, *roles, "--recipe", recipe, "--seed", 0, "-o", tmp_path / "r.csv"
    )
    assert "seed = 0" in (tmp_path / "r.private/run.toml").read_text()
    assert shoal("anonymize", path, *roles, "--recipe", recipe, "-k", 0, "-o", "-").code == 2
    assert shoal("anonymize", path, "-k", 2, "--quasi", "", "-o", "-").code == 2


def test_a_page_of_another_release_does_not_stay(shoal, table, tmp_path):
    """--no-report looks at no page, and with --force leaves none that is out of date."""
    out = tmp_path / "r.csv"
    (tmp_path / "r.report.html").write_text("mine")
    assert shoal("anonymize", table, *ROLES, "-o", out, "--no-report").code == 0
    assert (tmp_path / "r.report.html").read_text() == "mine"
    assert shoal("anonymize", table, *ROLES, "-o", out, "--no-report", "--force").code == 0
    assert not (tmp_path / "r.report.html").exists()


def test_line_break_in_a_list_of_columns(shoal, table):
    """An unquoted line break does not cut a list of columns short."""
    ran = shoal("anonymize", table, "-k", 3, "--quasi", "a\nb", "--identifier", "who", "-o", "-")
    assert (ran.code, ran.out) == (2, "")


def test_times_with_the_delimiter_in_them(shoal, write, tmp_path):
    """Released cells that hold the delimiter stand in quotes."""
    path = write("t.csv", 't n\n"2020-01-01 10:00" 1\n"2020-01-01 10:02" 2\n')
    ran = shoal("anonymize", path, "-k", 2, "--delimiter", " ", "-o", tmp_path / "r.csv")
    assert ran.code == 0, ran.err
    assert '"2020-01-01 10:01" 1' in (tmp_path / "r.csv").read_text()


def test_names_that_are_not_utf8(shoal, table, tmp_path):
    """File names that are not UTF-8 are refused on one line."""
    for arguments in ((table, "-o", tmp_path / "\udce9.csv"), (tmp_path / "\udce9.csv", "-o", "-")):
        ran = shoal("anonymize", *arguments, *ROLES)
        assert ran.code == 2
        assert "not plain UTF-8" in ran.err


def test_input_is_never_the_output(shoal, table, tmp_path):
    """Same path, hard link, link: the input stays as it is, even with --force."""
    os.link(table, tmp_path / "hard.csv")
    (tmp_path / "soft.csv").symlink_to(table)
    for name in ("t.csv", "hard.csv", "soft.csv"):
        ran = shoal("anonymize", table, *ROLES, "-o", tmp_path / name, "--force")
        assert ran.code == 2
        assert "same file" in ran.err
    assert table.read_text() == TEXT
    assert len(list(tmp_path.iterdir())) == 3


def test_inspect(shoal, table):
    """inspect counts, suspects with reasons, and shows no cell."""
    ran = shoal("inspect", table)
    assert ran.code == 0
    assert "identifier: no two records share a value" in ran.out
    assert "CANARY" not in ran.out
    assert shoal("inspect", "none.csv").code == 2


def test_inspect_suspects(shoal, tmp_path):
    """Constant, empty, nested and running columns are told apart."""
    table = pa.table({"const": [1, 1, 1], "none": pa.array([None] * 3, pa.string()),
                      "list": [[1], [2], [3]], "run": [7, 8, 9],
                      "day": [1.5, 1.5, 2.5]})  # fmt: skip
    pq.write_table(table, tmp_path / "t.parquet")
    columns = json.loads(shoal("inspect", tmp_path / "t.parquet", "--json").out)["columns"]
    assert {c["name"]: c["reason"] for c in columns} == {
        "const": "every record has the same value",
        "none": "every cell is missing",
        "list": "its cells cannot be grouped, and most are unique",
        "run": "no two records share a value: a running number?",
        "day": "two values, as yes and no are, perhaps known elsewhere",
    }
    (tmp_path / "h.csv").write_text("a,b\n")
    assert "there are no records" in shoal("inspect", tmp_path / "h.csv").out


def test_methods_and_version(shoal):
    """methods lists every method with its source; --version says which one this is."""
    ran = shoal("methods")
    assert "ilsmc+  (auto chooses this one for numbers)" in ran.out
    assert "Domingo-Ferrer" in ran.out
    assert shoal("--version").out == "shoal 0.1.0\n"
    assert shoal("warmup").code == 0


def test_usage_errors(shoal):
    """Unknown commands and options are usage errors."""
    assert shoal("anonimize").code == 2
    assert shoal("verify", "x.csv").code == 2
    assert shoal("verify", "x.csv", "-k", 2, "--quasi", "a").code == 2
    assert shoal("methods", "--nope").code == 2


def run_module(*arguments, **options):
    command = [sys.executable, "-m", "shoal", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


CLOSED = b"shoal: stdout is closed; nothing could be written to it\n"


@pytest.mark.parametrize(
    "arguments", [("methods",), ("inspect", "FILE"), ("anonymize", "FILE", *ROLES, "-o", "-")]
)
def test_stdout_full_or_closed(table, arguments):
    """A full or closed stdout is one line and exit code 2."""
    words = [table if word == "FILE" else word for word in arguments]
    with Path("/dev/full").open("wb") as full:
        code, told = forks.run(words, full.fileno())
    assert (code, told.count(b"\n")) == (2, 1)
    assert b"No space left" in told
    assert forks.run(words, None) == (2, CLOSED)


def test_stdout_closed_by_a_shell(table):
    """A process that is started without a stdout says so."""
    base = [sys.executable, "-m", "shoal", "inspect", str(table)]
    closed = ["sh", "-c", 'exec "$@" >&-', "sh", *base]
    ran = subprocess.run(closed, stderr=subprocess.PIPE, check=False)
    assert (ran.returncode, ran.stderr) == (2, CLOSED)


@pytest.mark.parametrize(
    "arguments",
    [
        ("methods",), ("methods", "--json"), ("--help",), ("anonymize", "--help"), ("--version",),
        ("certificate", "schema"), ("inspect", "FILE"), ("anonymize", "FILE", *ROLES, "-o", "-"),
    ],
)  # fmt: skip
def test_whoever_stops_reading_has_read_enough(table, arguments):
    """A reader of stdout that goes away early ends a command quietly, with exit code 0."""
    words = [table if word == "FILE" else word for word in arguments]
    reader, writer = os.pipe()
    os.close(reader)
    code, told = forks.run(words, writer)
    os.close(writer)
    assert code == 0, told
    assert b"stdout" not in told
    assert b"Traceback" not in told
    assert arguments[0] == "anonymize" or not told


def test_a_release_that_is_not_safe_is_so_for_whoever_stops_reading(table):
    """The exit code of a verdict does not change with how much of it is read."""
    reader, writer = os.pipe()
    os.close(reader)
    base = [sys.executable, "-m", "shoal", "verify", str(table), "-k", "9", "--quasi", "a"]
    ran = subprocess.run([*base, "--json"], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (3, b"")


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_help_without_room(word):
    """A help text that finds no room is one line and exit code 2."""
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "shoal", word], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (ran.returncode, ran.stderr.count(b"\n")) == (2, 1)
    assert b"No space left" in ran.stderr


def test_python_dash_m(table, tmp_path):
    """`python -m shoal` is the same command, in a process of its own."""
    told = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    process = run_module("anonymize", table, *ROLES, "-o", "-", cwd=tmp_path, env=told)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert naive.class_sizes(io.StringIO(out.decode()).read(), ["a", "b"])[0] >= 3
    assert b"\r" not in err  # no progress bar where nobody looks
    assert b"pyarrow.lib" in err
    assert b"pandas.core" not in err  # which pyarrow would import


@pytest.mark.slow
def test_progress_on_a_terminal(tmp_path):
    """On a terminal a run of over a second shows how far it is; the bar is gone at the end."""
    path = tmp_path / "big.csv"
    matrix = np.random.default_rng(0).normal(size=(30_000, 4))
    np.savetxt(path, matrix, delimiter=",", header="a,b,c,d", comments="")
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "shoal",
        "anonymize",
        path,
        "-k",
        "3",
        "-o",
        tmp_path / "r.csv",
        "--effort",
        "quick",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    seen = b""
    with contextlib.suppress(OSError):  # the terminal closes when the run ends
        while part := os.read(ours, 4096):
            seen += part
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0
    assert out == b""
    assert b"grouping" in seen
    assert b"verified" in seen


def lines_until_grouping(process):
    """Wait until a run says that it groups; return the lines it said."""
    lines = []
    while not lines or not lines[-1].startswith("grouping"):
        line = process.stderr.readline().decode()
        assert line, lines
        lines.append(line)
    return lines


@pytest.mark.parametrize("number", spread([signal.SIGINT, signal.SIGTERM], 1))
def test_interrupted(tmp_path, number):
    """Ctrl-C and a polite kill end with 130, one line, and nothing written."""
    rng = np.random.default_rng(0)
    path = tmp_path / "big.csv"
    np.savetxt(path, rng.normal(size=(60_000, 4)), delimiter=",", header="a,b,c,d", comments="")
    long = ("--method", "cbfs-nc3")
    process = run_module("anonymize", path, "-k", 3, *long, "-o", f"{tmp_path}/out/")
    before = lines_until_grouping(process)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    *after, last = err.decode().splitlines()
    assert last == "shoal: interrupted, nothing was written"
    before += after  # stages, and no other lines
    assert all(re.match(r"[a-z ]+(:|,|$)", line) and "Error" not in line for line in before), before
    assert [p.name for p in tmp_path.iterdir()] == ["big.csv"]


def written(folder):
    """Every file and folder below one, by its path from there."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


WRITING = [
    ("anonymize", "IN", *ROLES, "-o", "no/x.csv"),
    ("anonymize", "IN", *ROLES, "-o", "no/out/"),
    ("anonymize", "IN", *ROLES, "--pack", "no/pack"),
    ("anonymize", "IN", *ROLES, "--memory", "4GB", "-o", "no/x.csv"),
    ("refine", "IN", "--group", "s", "-k", 3, "--quasi", "a,b", "--drop", "who", "-o", "no/x.csv"),
    ("run", "RECIPE", "--input", "IN", "-o", "no/x.csv"),
    ("measure", "IN", "OUT", "--html", "no/page.html"),
    ("compare", "IN", "-k", 3, "--quasi", "a,b", "--drop", "who,s", "--methods", "mdav",
     "-o", "no/folder"),
    ("plot", "sizes", "REPORT", "-o", "no/chart.svg"),
    ("hierarchy", "build", "IN", "--column", "a", "-o", "no/a.csv"),
    ("hierarchy", "build", "IN", "--column", "a", "-o", "no/trees/"),
    ("certificate", "key", "no/key.pem"),
]  # fmt: skip


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """A folder with a table and a release of it."""
    place = tmp_path_factory.mktemp("released")
    (place / "t.csv").write_text(TEXT)
    anonymize_file(
        place / "t.csv", place / "out.csv", k=3, quasi_identifiers=["a", "b"], sensitive=["s"],
        identifiers=["who"], method="mdav",
    )  # fmt: skip
    return place


@pytest.mark.parametrize("arguments", WRITING)
def test_no_folder_is_made_that_nobody_asked_for(shoal, released, arguments):
    """Whatever writes says that the folder above its output is missing, and makes nothing."""
    names = {
        "IN": released / "t.csv", "OUT": released / "out.csv",
        "REPORT": released / "out.report.json", "RECIPE": released / "out.private" / "run.toml",
    }  # fmt: skip
    before = written(released)
    words = [
        names.get(word, released / word if str(word).startswith("no/") else word)
        for word in arguments
    ]
    words = [f"{word}/" if str(old).endswith("/") else word
             for word, old in zip(words, arguments, strict=True)]  # fmt: skip
    ran = shoal(*words)
    assert ran.code == 2
    assert f"there is no folder '{released}/no'" in ran.err
    assert ran.err.count("\n") == 1
    assert written(released) == before


def test_a_folder_that_is_the_output_is_made(shoal, released):
    """-o out/ makes out and its private folder, where the folder above is there."""
    ran = shoal("anonymize", released / "t.csv", *ROLES, "-o", f"{released}/new/")
    assert ran.code == 0, ran.err
    assert (released / "new" / "release.csv").is_file()
    assert (released / "new.private" / "run.toml").is_file()
