from pathlib import Path

import pytest

from deploy import logs


def test_tail_gives_the_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("".join(f"line {number}\n" for number in range(100_000)))

    assert logs.tail(log, 2) == ["line 99998", "line 99999"]
    assert logs.tail(log, 0) == []
    assert logs.tail(tmp_path / "none.log", 5) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("first\nlast\n\n", "last", id="plain"),
        pytest.param('{"event": "cannot open", "error": "cut"}\n', "cannot open: cut", id="json"),
        pytest.param("[1]\n", "[1]", id="other json"),
    ],
)
def test_last_words_are_one_line(tmp_path: Path, text: str, words: str) -> None:
    log = tmp_path / "a.log"
    log.write_text(text)

    assert logs.last_words(log) == words


def test_last_words_of_a_silent_program_say_where_to_look(tmp_path: Path) -> None:
    assert str(tmp_path / "a.log") in logs.last_words(tmp_path / "a.log")


def test_follow_yields_whole_lines_also_across_a_rotation(tmp_path: Path) -> None:
    log, other = tmp_path / "a.log", tmp_path / "later.log"
    log.write_text("old\n")
    lines = logs.follow([log, other])

    with log.open("a") as file:
        file.write("one\nhal")
    first = next(lines)
    with log.open("a") as file:
        file.write("f\n")
    second = next(lines)
    log.rename(tmp_path / "a.log.1")
    log.write_text("new\n")
    third = next(lines)
    other.write_text("made\n")

    assert [first, second, third, next(lines)] == [
        (log, "one"),
        (log, "half"),
        (log, "new"),
        (other, "made"),
    ]
