"""Texts of the desk: every language says all of it, and the page asks for nothing else."""

from __future__ import annotations

import re

LINE = re.compile(r'^  "([^"]+)": "(.*)",$')
USED = re.compile(r'\btn?\(\s*"([^"]+)"')
PLACE = re.compile(r"\{(\w+)\}")

SENTENCES = "de_sentences", "de_errors"  # of the program


def texts(repository, language):
    """The texts of a language by their keys."""
    path = repository / "src/shoal/web/static" / f"{language}.js"
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [LINE.match(line) for line in lines if line.startswith('  "')]
    assert all(found)
    assert len({one[1] for one in found}) == len(found) > 500
    return {one[1]: one[2] for one in found}


def test_both_languages_have_the_same_texts(repository):
    """German has every key of English, each with the same places, and no text is empty."""
    english, german = texts(repository, "en"), texts(repository, "de")
    assert list(german) == list(english)
    for key, text in english.items():
        assert text.strip()
        assert german[key].strip()
        assert set(PLACE.findall(german[key])) == set(PLACE.findall(text)), key


def test_sentences_of_the_program_have_the_same_places(repository):
    """The German form of a sentence says all that is filled into the English one."""
    folder = repository / "src/shoal/web/static"
    text = "".join((folder / f"{one}.js").read_text(encoding="utf-8") for one in SENTENCES)
    pairs = re.findall(r'^  \["(.+)", "(.+)"\],$', text, re.MULTILINE)
    assert len(pairs) > 200
    assert len({english for english, _ in pairs}) == len(pairs)
    for english, german in pairs:
        assert set(PLACE.findall(german)) == set(PLACE.findall(english)), english


def test_every_text_that_the_page_names_is_there(repository):
    """What modules ask for by a whole key has a text, and counts have their plural."""
    english = texts(repository, "en")
    folder = repository / "src/shoal/web/static"
    modules = [path for path in folder.glob("*.js") if path.stem not in ("en", "de")]
    used = {key for path in modules for key in USED.findall(path.read_text(encoding="utf-8"))}
    assert len(used) > 300
    assert used <= set(english)
    assert {key.removesuffix(".many") for key in english if key.endswith(".many")} <= set(english)


def test_texts_stand_in_one_file(repository):
    """No module has a sentence of its own: what people read is in the files of texts."""
    folder = repository / "src/shoal/web/static"
    sentence = re.compile(r'"[A-Z][a-z]+ [a-z]+ [a-z ]+')
    for path in folder.glob("*.js"):
        if path.stem not in ("en", "de", *SENTENCES):
            assert not sentence.findall(path.read_text(encoding="utf-8")), path.name
