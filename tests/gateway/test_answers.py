import msgspec
import pytest

from common.frames import SectionEntry
from gateway.answers import MAX_HIT_BYTES, Degraded, Hit, SearchAnswer, fit


def hit(number, *, chars=300, title="Title", sections=3, section_title="A section"):
    return Hit(
        ref=f"corpus://Lib/{number}",
        library="Lib",
        kind="article",
        title=title,
        snapshot="2026-06",
        snippet="слово " * (chars // 6),
        relevant_sections=[SectionEntry(f"s{i}", section_title) for i in range(sections)],
    )


def size(answer):
    return len(msgspec.json.encode(answer))


def test_answer_that_fits_is_left_alone():
    answer = SearchAnswer(results=[hit(1)])

    assert fit(answer) is answer


@pytest.mark.parametrize("count", [1, 5, 10])
@pytest.mark.parametrize(
    "wide",
    [
        pytest.param({"title": "заголовок " * 60}, id="titles"),
        pytest.param({"section_title": "раздел " * 80}, id="sections"),
        pytest.param({"chars": 3000}, id="snippets"),
    ],
)
def test_answer_is_cut_to_its_size(count, wide):
    answer = SearchAnswer(
        results=[hit(number, **wide) for number in range(count)],
        degraded=[Degraded(library="Other", reason="timeout")],
        note="no page has all the words",
    )

    fitted = fit(answer)

    assert size(fitted) <= MAX_HIT_BYTES * max(5, count)
    assert [each.ref for each in fitted.results] == [each.ref for each in answer.results]


def test_snippet_gives_way_before_the_section_hints():
    answer = SearchAnswer(results=[hit(number, chars=1200) for number in range(5)])

    fitted = fit(answer)

    assert all(len(each.relevant_sections) == 3 for each in fitted.results)
    assert all(each.snippet.endswith("…") for each in fitted.results)
