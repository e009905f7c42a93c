import codecs

import pytest

from shard.html.parse import MAX_BYTES, MAX_TAGS, parse


def text_of(content: bytes) -> str:
    return "".join(parse(content).itertext())


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("<p>Café</p>".encode(), id="utf-8"),
        pytest.param(codecs.BOM_UTF8 + "<p>Café</p>".encode(), id="utf-8 with a mark"),
        pytest.param("<p>Café</p>".encode("utf-16"), id="utf-16"),
        pytest.param(codecs.BOM_UTF16_BE + "<p>Café</p>".encode("utf-16-be"), id="utf-16-be"),
        pytest.param('<meta charset="latin-1"><p>Café</p>'.encode("cp1252"), id="latin-1"),
        pytest.param(
            '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-15"><p>Café</p>'
            .encode("iso-8859-15"),
            id="declared in http-equiv",
        ),
        pytest.param('<meta charset="utf-16"><p>Café</p>'.encode(), id="utf-8 declared as utf-16"),
    ],
)  # fmt: skip
def test_text_is_read_in_its_encoding(content: bytes):
    assert "Café" in text_of(content)


def test_unknown_encoding_is_read_as_utf_8_with_replacements():
    assert text_of(b'<meta charset="klingon"><p>Caf\xe9!</p>') == "Caf\ufffd!"


@pytest.mark.parametrize("content", [b"", b"  \n", b"<!-- only -->", b"<?xml version='1.0'?>"])
def test_empty_page_gives_an_empty_tree(content: bytes):
    root = parse(content)

    assert root.tag == "html"
    assert text_of(content).strip() == ""


@pytest.mark.parametrize("depth", [300, 3_000, 50_000])
def test_deep_page_keeps_its_text(depth: int):
    found = text_of(b"<div>" * depth + b"bottom" + b"</div>" * depth + b"after")

    assert "bottom" in found
    assert "after" in found


def test_text_of_more_than_ten_megabytes_is_not_cut():
    assert len(text_of(b"<p>" + b"ab " * 4_000_000 + b"</p>")) == 12_000_000


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"<p>begin" + b"<i>x</i>" * (MAX_TAGS // 2) + b"<p>end", id="tags"),
        pytest.param(b"<p>begin <b>" + b"word " * (MAX_BYTES // 5) + b"end", id="bytes"),
        pytest.param(b"<main><p>begin" + b"<br>" * MAX_TAGS + b"end</main>", id="in main"),
    ],
)
def test_page_beyond_the_bounds_is_cut_and_says_so(content: bytes):
    found = text_of(content)

    assert found.startswith("begin")
    assert "end" not in found
    assert found.endswith("(The page goes on; this is what could be read of it.)")


def test_page_at_the_bounds_is_whole():
    assert text_of(b"<p>" + b"<br>" * (MAX_TAGS - 1) + b"end") == "end"
