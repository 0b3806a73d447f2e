"""`shoal verify` on the command line: exit codes, what is printed where, and what never is."""

from __future__ import annotations

import json

import pytest

import shoal as library
from shoal.settings.kinds import NUMBERS, SIZE_OF

SAFE = "age,zip,s,pain\n" + "1,x,a,mild\n1,x,b,mild\n2,y,a,severe\n2,y,b,mild\n"
ASKED = ("-k", 2, "--quasi", "age,zip", "--sensitive", "s,pain")


def test_all_options_together(shoal, write):
    """Every option is understood; a safe file is 0 on stdout, another one 3 on stderr."""
    path = write("r.csv", SAFE.replace("1,x", '"[1,2)",x').replace("2,y", '"[2,3)",y'))
    tree = write("tree.csv", "a;A;*\nb;B;*\n")
    options = (
        "--l", "s=2", "--l-kind", "entropy", "--t", "0.5", "--alpha", "s=0.5", "--k-of", "age=2",
        "--hierarchy", f"s={tree}", "--order", "pain=mild,severe", "--against", path,
        "--missing-as", "own",
    )  # fmt: skip
    ran = shoal("verify", path, *ASKED, *options)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("verified: 4 records in 2 classes")
    for word in ("entropy l-diversity of 's': 2", "hierarchical", "ordered", "k of 'age': 2"):
        assert word in ran.out
    ran = shoal("verify", path, *ASKED, *options, "--t", "pain=0.1")
    assert ran.code == 2  # a number for all and one for a column do not go together
    ran = shoal("verify", path, *ASKED, "--t", "pain=0.1")
    assert (ran.code, ran.out) == (3, "")
    assert "break t-closeness (equal distance) of 'pain'" in ran.err


def test_json_is_on_stdout_always(shoal, write):
    """With --json good and bad findings are on stdout, and the exit code tells them apart."""
    path = write("r.csv", SAFE)
    for k, code in ((2, 0), (3, 3)):
        ran = shoal("verify", path, "-k", k, "--quasi", "age,zip", "--json")
        assert (ran.code, ran.err) == (code, "")
        found = json.loads(ran.out, parse_constant=pytest.fail)
        assert found["ok"] == (code == 0)
        assert found["sizes"]["table"] == [{"size": 2, "classes": 2}]


def test_no_value_is_ever_shown(shoal, write):
    """Whatever fails, no cell of a record is printed."""
    cells = [f"canary{i}" for i in range(30)]
    rows = [f"{cells[i]},{cells[i + 10]},{cells[i + 20]}\n" for i in range(10)]
    path = write("r.csv", "a,b,s\n" + "".join(rows))
    other = write("o.csv", "a,s\n" + "".join(f"{cells[i]},{cells[i + 20]}\n" for i in range(10)))
    asked = ("verify", path, "-k", 3, "--quasi", "a,b", "--sensitive", "s", "--l", 2, "--t", 0.1,
             "--alpha", 0.4, "--k-of", "a=4", "--against", other)  # fmt: skip
    tree = write("tree.csv", "x;X;*\n")
    errors = (("--hierarchy", f"s={tree}"), ("--order", "s=x,y"))
    runs = [shoal(*asked), shoal(*asked, "--json"), *(shoal(*asked, *more) for more in errors)]
    assert [ran.code for ran in runs] == [3, 3, 2, 2]
    assert not any("canary" in ran.out + ran.err for ran in runs)


def test_names_with_commas(shoal, write):
    """A column whose name has a comma stands in quotes in --k-of as elsewhere."""
    path = write("r.csv", '"a,b",c\n1,1\n1,1\n2,1\n2,1\n')
    quasi = ("-k", 2, "--quasi", '"a,b",c')
    assert shoal("verify", path, *quasi, "--k-of", '"a,b",c=2').code == 0
    assert shoal("verify", path, *quasi, "--k-of", '"a,b"=3').code == 3
    assert shoal("verify", path, *quasi, "--k-of", "a,b=3").code == 2


def test_what_is_asked():
    """Numbers are for all columns or by column; own values of k by columns."""
    assert NUMBERS.read(["3"], "--l") == 3
    assert isinstance(NUMBERS.read(["3"], "--l"), int)
    assert NUMBERS.read(["a=2.5", "b=3"], "--l") == {"a": 2.5, "b": 3}
    own = SIZE_OF.read(["age,zip=10", '"x,y"=3'], "--k-of")
    assert SIZE_OF.argument(own) == {("age", "zip"): 10, ("x,y",): 3}
    for said in (["x"], ["1", "2"], ["a=1", "a=2"], ["a="]):
        with pytest.raises(library.RequestError, match="--t"):
            NUMBERS.read(said, "--t")
    for said in (["age"], ["age=x"], ["age=2.5"], ["age=²"], ["=3"]):
        with pytest.raises(library.RequestError, match="--k-of"):
            SIZE_OF.read(said, "--k-of")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--l", "x"), "--l must be one number"),
        (("--l", "0"), "l must be a whole number"),
        (("--l", "2", "--l-kind", "other"), "l_kind must be one of"),
        (("--t", "nan"), "t must be a number"),
        (("--k-of", "q=2"), "no quasi-identifier"),
        (("--against", "none.csv"), "there is no such file"),
    ],
)
def test_wrong_options(shoal, write, options, message):
    """What cannot be asked is exit code 2 and one line."""
    ran = shoal("verify", write("r.csv", SAFE), *ASKED, *options)
    assert ran.code == 2
    assert message in ran.err


def test_the_command_takes_a_reading(shoal, write):
    """`shoal measure --missing-as wildcard` prints the smallest candidate set beside the class."""
    text = "a,b\n1,x\n1,y\n2,x\n2,y\n"
    original, release = write("o.csv", text), write("r.csv", "a,b\n1,x\n1,*\n*,x\n*,*\n")
    ran = shoal("measure", original, release, "--quasi", "a,b", "--missing-as", "wildcard")
    assert ran.code == 0
    assert "smallest class 1, smallest candidate set 4" in ran.out
    told = shoal("verify", release, "-k", 2, "--quasi", "a,b", "--missing-as", "wildcard")
    assert "candidates of a class: least 4, median 4, largest 4" in told.out


@pytest.mark.parametrize("papers", ["report", "pack"])
def test_roles_are_those_of_the_papers_beside_it(shoal, write, tmp_path, papers):
    """Roles that nobody names are the papers', as stderr says; those that somebody names win."""
    rows = [(i % 4, i // 4, f"s{i % 3}", f"t{i % 2}") for i in range(24)]
    text = "a,b,s,u\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    asked = ("-k", 3, "--quasi", "a,b", "--sensitive", "s", "--l", 2, "--method", "mdav")
    out = ("--pack", tmp_path / "out") if papers == "pack" else ("-o", f"{tmp_path}/out/")
    assert shoal("anonymize", write("t.csv", text), *asked, *out).code == 0
    file = tmp_path / "out" / "release.csv"
    if papers == "pack":
        (tmp_path / "out" / "report.json").unlink()  # certificate and recipe know them, too
    ran = shoal("verify", file, "-k", 3, "--l", 2)
    where = "certificate.json" if papers == "pack" else "report.json"
    assert ran.code == 0, ran.err
    assert ran.err == (
        f"quasi-identifiers 'a', 'b' from '{where}' beside it\n"
        f"sensitive columns 's' from '{where}' beside it\n"
    )
    assert "distinct l-diversity of 's'" in ran.out
    ran = shoal("verify", file, "-k", 3, "--quasi", "a", "--sensitive", "u", "--l", 2)
    assert "distinct l-diversity of 'u'" in ran.out + ran.err
    assert "beside it" not in ran.out + ran.err
    told = json.loads(shoal("verify", file, "-k", 3, "--quasi", "a,b", "--l", 2, "--json").out)
    assert "roles" not in told
    assert told["roles_of_sensitive"] == f"sensitive columns 's' from '{where}' beside it"
    nobody = write("alone.csv", file.read_text())
    assert shoal("verify", nobody, "-k", 3, "--quasi", "a,b", "--l", 2).code == 2


def test_certificates_say_whose_roles_they_check(shoal, write, tmp_path):
    """A check of a pack says on stderr where its roles are from."""
    text = "a,b,s\n" + "".join(f"{i % 4},{i // 4},s{i % 3}\n" for i in range(24))
    roles = ("-k", 3, "--quasi", "a,b", "--sensitive", "s", "--l", 2, "--method", "mdav")
    assert shoal("anonymize", write("t.csv", text), *roles, "--pack", tmp_path / "out").code == 0
    ran = shoal("certificate", "check", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert ran.err == (
        "quasi-identifiers 'a', 'b' from certificate.json and the recipe 'run.toml' of the pack\n"
        "sensitive columns 's' from certificate.json and the recipe 'run.toml' of the pack\n"
    )
