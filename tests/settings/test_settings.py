"""Recipes: what was asked, in TOML and back; every mistake named by its key."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import RequestError
from shoal.settings import build, load, names, whole
from shoal.settings.tree import settings_and_run

TREE = {
    "input": {"path": "a b/c.csv", "missing": ["", "N/A"], "types": {"zip code": "text"}},
    "roles": {"quasi_identifiers": ["age", 'say "hi"'], "drop": ["ünï\tcode"]},
    "protect": {"k": 3, "method": "mdav", "seed": 7},
    "release": {"aggregate": "median", "decimals": {"pay": 2}, "keep_order": True},
}


def test_round_trip(write):
    """What is written is read back equal."""
    settings = build(TREE)
    assert load(write("r.toml", settings.to_toml())) == settings


def test_a_mark_at_the_beginning_is_no_part_of_a_recipe(tmp_path):
    """A recipe that an editor saved with a byte order mark is read as one without."""
    file = tmp_path / "r.toml"
    file.write_bytes(b"\xef\xbb\xbf" + build(TREE).to_toml().encode("utf-8"))
    assert load(file) == build(TREE)


def test_a_form_that_is_not_known_is_refused(write):
    """A recipe of another form than ours is an error in a sentence."""
    with pytest.raises(RequestError, match=r"is of form .2.; only 1 can be read"):
        load(write("r.toml", "form = 2\n" + build(TREE).to_toml()))


@given(st.lists(st.text(min_size=1), unique=True), st.text())
def test_any_name_survives(tmp_path_factory, columns, path):
    """Names of any characters survive a recipe."""
    settings = build(
        {"protect": {"k": 2}, "roles": {"other": columns}, "input": {"path": path,
         "types": dict.fromkeys(columns, "text")}}
    )  # fmt: skip
    try:
        text = settings.to_toml().encode("utf-8")
    except UnicodeEncodeError:
        return  # half a surrogate pair is no text
    file = tmp_path_factory.mktemp("r") / "r.toml"
    file.write_bytes(text)
    assert load(file) == settings


def test_plain_toml():
    """Any TOML reader understands a recipe."""
    tree = tomllib.loads(build(TREE).to_toml())
    assert tree["protect"] == {"k": 3, "method": "mdav", "seed": 7} | tree["protect"]
    assert tree["input"]["types"] == {"zip code": "text"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[protect]\nk = 3\nmehtod = 'mdav'\n", "r.toml: protect.mehtod is not a known key; did you mean 'method'"),
        ("[protct]\nk = 3\n", "r.toml: protct is not a known key; did you mean 'protect'?"),
        ("[protect]\nk = '3'\n", "r.toml: protect.k must be a whole number"),
        ("[protect]\nk = 2.5\n", "r.toml: protect.k must be a whole number"),
        ("[protect]\nk = true\n", "r.toml: protect.k must be a whole number"),
        ("[protect]\nk = 0\n", "r.toml: protect.k must be at least 2, not 0"),
        ("[protect]\nk = -1\n", "must be at least 2, not -1"),
        ("[protect]\nk = 1\n", "r.toml: protect.k = 1 gives no protection"),
        ("[protect]\nk = 3\nseed = -1\n", "r.toml: protect.seed must be greater than or equal to 0"),
        ("[protect]\nk = 3\nseed = 1.5\n", "r.toml: protect.seed must be a whole number"),
        ("[roles]\nother = ['a']\n", "r.toml: protect is needed and not given"),
        ("[protect]\nseed = 1\n", "r.toml: protect.k is needed and not given"),
        ("[protect]\nk = 3\n[roles]\nquasi_identifiers = 'age'\n", "r.toml: roles.quasi_identifiers must be a list of names"),
        ("[protect]\nk = 3\n[roles]\nother = [1]\n", "r.toml: roles.other.0 must be a text"),
        ("[protect]\nk = 3\n[release]\naggregate = 'sum'\n", "r.toml: release.aggregate must be 'mean', 'median', 'mode'"),
        ("[protect]\nk = 3\n[release]\ndecimals = -1\n", "decimals must lie between 0 and 30"),
        ("[protect]\nk = 3\nk = 4\n", "is not TOML"),
        ("k = \n", "is not TOML"),
        ("input = 3\n[protect]\nk = 3\n", "r.toml: input must be a table"),
        ("x = " + "[" * 2000 + "]" * 2000, "nested too deeply"),
    ],
)  # fmt: skip
def test_mistakes_in_a_recipe(write, text, message):
    """A mistake is one line with the key's path and, for a wrong name, the nearest one."""
    with pytest.raises(shoal.RequestError) as caught:
        load(write("r.toml", text))
    assert message in str(caught.value), str(caught.value)
    assert "\n" not in str(caught.value)


def test_recipes_that_are_no_files(write, tmp_path):
    """A recipe that is not there, is a folder or no text is an error in words."""
    for path, message in (
        (tmp_path / "none.toml", "there is no recipe"),
        (tmp_path, "cannot be read"),
        (write("b.toml", b"\xff\xfe"), "not UTF-8"),
    ):
        with pytest.raises(shoal.RequestError, match=message):
            load(path)


def test_arguments():
    """Names and whole numbers of any spelling are taken, other things refused."""
    import numpy as np

    assert names("age", "x") == ["age"]
    assert names(np.array(["a", "b"]), "x") == ["a", "b"]
    assert names(None, "x") == []
    assert names([0, "a"], "x") == ["0", "a"]
    assert whole(np.int64(3), "k") == 3
    for wrong in (2.0, "3", None, True):
        with pytest.raises(shoal.RequestError, match="k must be a whole number"):
            whole(wrong, "k")
    for wrong in (None, True):
        with pytest.raises(shoal.RequestError, match="must be column names"):
            names([wrong], "quasi_identifiers")
    for wrong in (True, 1.5, [1.5]):
        with pytest.raises(shoal.RequestError, match="must be column names"):
            names(wrong, "quasi_identifiers")


@pytest.mark.parametrize(
    "name", ["types", "column_weights", "round", "search", "hierarchies", "orders"]
)
@pytest.mark.parametrize("wrong", [5, [1], ("a", "b")])
def test_arguments_by_name_are_dicts(name, wrong):
    """What is said of columns by name is refused in words where it is no dict."""
    with pytest.raises(shoal.RequestError, match=name.removesuffix("s")):
        settings_and_run({"k": 2, name: wrong})
