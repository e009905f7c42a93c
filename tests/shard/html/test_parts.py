from shard.html.parts import GIANT_CHARS, PART_CHARS
from tests.shard.test_document import document
from tests.support.markdown import missing_words, rendered, whole

PARAGRAPH = "<p>" + "It was the best of times. " * 40 + "</p>"
BOOK = PARAGRAPH * 60


def test_page_without_headings_is_read_in_parts():
    page = document(BOOK)
    ids = [section.id for section in page.sections]

    assert ids == ["", *(f"part-{n}" for n in range(1, len(ids)))]
    assert len(ids) == 1 + -(-60 * 1040 // PART_CHARS)


def test_part_is_of_bounded_size_and_ends_with_a_paragraph():
    parts = rendered(document(BOOK)).sections

    assert all(len(part.content) <= PART_CHARS * 1.1 for part in parts)
    assert all(part.content.endswith("times.") for part in parts)


def test_parts_are_the_whole_page():
    page = document(BOOK)
    text = whole(page)

    assert text.count("best of times") == 60 * 40
    assert missing_words(page, text) == []


def test_giant_chapter_is_cut_below_its_heading():
    page = document(
        f"<h2 id=one>One</h2><p>Short.</p><h2 id=two>Two</h2>{BOOK}<h3>End</h3><p>x</p>"
    )
    ids = [section.id for section in page.sections]

    assert ids[:5] == ["", "one", "two", "two-part-1", "two-part-2"]
    assert ids[-1] == "end"
    assert page.sections[ids.index("two-part-1")].level == 3
    assert rendered(page, ("two",)).sections[0].content.count("best of times") == 60 * 40


def test_page_that_is_not_giant_stays_whole():
    assert len(document("<p>" + "x " * (GIANT_CHARS // 2 - 10) + "</p>").sections) == 1


def test_giant_list_is_cut_between_items_and_numbered_on():
    items = "".join(f"<li>Item number {n} of the list</li>" for n in range(3000))
    page = document(f"<ol>{items}</ol>")
    text = whole(page)

    assert len(page.sections) > 5
    assert "\n2999. Item number 2998 of the list" in text
    assert text.count("Item number") == 3000


def test_giant_line_is_cut_between_words():
    page = document("<p>" + "word " * 40_000)

    assert whole(page).count("word") == 40_000
    assert all(len(part.content) < PART_CHARS + 100 for part in rendered(page).sections)


def test_giant_item_gives_up_its_bullet_and_its_list_is_cut():
    items = "".join(f"<li>Item number {n} of the list</li>" for n in range(3000))
    page = document(f"<ul><li>Before</li><li>Holder<ul>{items}</ul></li><li>After</li></ul>")
    text = whole(page)

    assert text.startswith("## Part 1\n\n- Before\n\nHolder\n\n## Part 2\n\n- Item number 0")
    assert text.endswith("- After")
    assert all(len(part.content) < PART_CHARS * 1.3 for part in rendered(page).sections)
