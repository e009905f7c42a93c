"""References go both ways, byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.errors import InvalidRef
from common.refs import Ref, format_ref, parse_ref

any_text = st.text(st.characters(exclude_categories=["Cs"]))


@given(library=any_text.filter(bool), path=any_text)
def test_ref_round_trips_for_any_library_and_path(library: str, path: str) -> None:
    assert parse_ref(format_ref(library, path)) == Ref(library, path)


@pytest.mark.parametrize(
    ("library", "path", "expected"),
    [
        pytest.param("Wikipedia", "Bell_test", "corpus://Wikipedia/Bell_test", id="plain"),
        pytest.param("C++", "a b", "corpus://C%2B%2B/a%20b", id="spaces and plus signs"),
        pytest.param("C#", "c#.html", "corpus://C%23/c%23.html", id="hash"),
        pytest.param("Q", "what?x=1&y='2'", "corpus://Q/what%3Fx%3D1%26y%3D%272%27", id="query"),
        pytest.param("W", "100%", "corpus://W/100%25", id="percent"),
        pytest.param("W", 'A/"Heroes"', "corpus://W/A/%22Heroes%22", id="old namespace, quotes"),
        pytest.param("W", "Мінск", "corpus://W/%D0%9C%D1%96%D0%BD%D1%81%D0%BA", id="Cyrillic"),
        pytest.param("W", "😀", "corpus://W/%F0%9F%98%80", id="emoji"),
        pytest.param("W", "", "corpus://W/", id="empty path"),
        pytest.param("W", "/a//b/", "corpus://W//a//b/", id="slashes at every place"),
        pytest.param("W", "../x", "corpus://W/../x", id="dots are nothing special"),
    ],
)
def test_ref_has_the_documented_form(library: str, path: str, expected: str) -> None:
    assert format_ref(library, path) == expected
    assert parse_ref(expected) == Ref(library, path)


@pytest.mark.parametrize(
    "text",
    [
        "corpus://W/%d0%9c",
        "corpus://W/%D0%9C",
        "corpus://W/М",
        "corpus://%57/%D0%9C",
    ],
)
def test_ref_accepts_equivalent_spellings(text: str) -> None:
    assert parse_ref(text) == Ref("W", "М")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("Bell_test", id="no scheme"),
        pytest.param("http://Wikipedia/Bell_test", id="other scheme"),
        pytest.param("corpus://", id="no library"),
        pytest.param("corpus://Wikipedia", id="no path part"),
        pytest.param("corpus:///Bell_test", id="empty library"),
        pytest.param("corpus://W/%", id="lone percent"),
        pytest.param("corpus://W/%zz", id="no hex digits"),
        pytest.param("corpus://W/%FF", id="not UTF-8"),
        pytest.param("corpus://W/\ud800", id="lone surrogate"),
        pytest.param("corpus://W/" + "a" * 9000, id="too long"),
    ],
)
def test_ref_that_does_not_parse_is_refused(text: str) -> None:
    with pytest.raises(InvalidRef, match="invalid reference"):
        parse_ref(text)
