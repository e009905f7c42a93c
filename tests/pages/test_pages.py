import re
from pathlib import Path

import pytest

from tests.pages.golden import cases, read, written
from tests.support.markdown import problems, rendered

CASES = [pytest.param(case, id=f"{case.parent.name}/{case.stem}") for case in cases()]


@pytest.mark.parametrize("case", CASES)
def test_page_becomes_its_markdown(case: Path):
    assert written(read(case)) == case.with_suffix(".md").read_text("utf-8")


@pytest.mark.parametrize("case", CASES)
def test_page_keeps_every_invariant(case: Path):
    assert problems(read(case)) == []


@pytest.mark.parametrize("case", CASES)
def test_each_section_is_fetched_alone_as_in_the_whole(case: Path):
    document = read(case)
    whole = {part.id: part.content for part in rendered(document).sections}
    for section in document.sections:
        (part,) = rendered(document, (section.id,)).sections
        lines = ["", *part.content.split("\n")]

        assert [line for line in whole.get(section.id, "").split("\n") if line not in lines] == []


def test_every_markdown_has_its_page():
    pages = {case.with_suffix("") for case in cases()}
    orphans = [md for md in Path(__file__).parent.glob("*/*.md") if md.with_suffix("") not in pages]

    assert orphans == []
    assert all(re.fullmatch(r"[a-z0-9-]+", page.name) for page in pages)
