"""Pages that hang or exhaust what reads them carelessly; each must take a moment only."""

import pytest

from tests.shard.test_document import document
from tests.support.markdown import rendered, whole

MARK = "the end"

PAGES = {
    "nested wrappers": "<div>" * 3000 + MARK,
    "nested lists": "<ul><li>" * 1500 + MARK,
    "nested quotes": "<blockquote>" * 1500 + MARK,
    "nested tables": "<table><tr><td>" * 600 + MARK,
    "nested emphasis": "<p>" + "<b><i>" * 1500 + MARK,
    "nested definitions": "<dl><dt id=a>x<dd>" * 600 + MARK,
    "nested ruby": "<ruby>" * 1500 + MARK,
    "table of many cells": "<table>" + ("<tr>" + "<td>x" * 100) * 1000 + f"</table>{MARK}",
    "spans without end": "<table>"
    + "<tr><td colspan=9999 rowspan=9999>x" * 500
    + f"</table>{MARK}",
    "long text beside many rows": "<table><tr><td rowspan=9999>"
    + "word " * 20_000
    + "<td>x"
    + "<tr><td>x" * 5_000
    + f"</table>{MARK}",
    "one long line": "<p>" + "word " * 1_000_000 + MARK,
    "one long word": "<p>" + "x" * 5_000_000 + " " + MARK,
    "equal headings": "<h2>Same</h2>" * 5_000 + MARK,
    "many marks": "<p>" + "<b>x</b><i>y</i>" * 10_000 + MARK,
    "many specials": "<p>" + "**_`[$\\" * 50_000 + " " + MARK,
    "many breaks": "<p>" + "a<br>" * 20_000 + MARK,
    "many fences": "<pre>" + "```\n" * 50_000 + "</pre>" + MARK,
    "open formulas": "<p>" + "\\( $ \\[ " * 20_000 + MARK,
    "long text far down": "<div>" * 1500 + "word " * 500_000 + MARK,
    "long list far down": "<ul><li>" * 500 + "word " * 500_000 + MARK,
    "long attribute": '<p title="' + "x" * 1_000_000 + '">' + MARK,
    "long comment": "<!--" + "x" * 1_000_000 + "-->" + MARK,
}


@pytest.mark.parametrize("name", sorted(PAGES))
def test_hostile_page_keeps_its_text(name: str):
    assert MARK in whole(document(PAGES[name]))


@pytest.mark.parametrize("name", sorted(PAGES))
def test_hostile_page_keeps_the_budget(name: str):
    found = rendered(document(PAGES[name]), (), 10_000)

    assert sum(len(part.content) for part in found.sections) <= 10_000


@pytest.mark.parametrize("name", sorted(PAGES))
def test_hostile_page_grows_by_a_bounded_factor(name: str):
    assert len(whole(document(PAGES[name]))) < 40 * len(PAGES[name])
