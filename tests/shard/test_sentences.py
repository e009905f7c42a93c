import pytest

from shard.sentences import is_complete, sentences


def parts(text: str) -> list[str]:
    return [text[begin:end] for begin, end in sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "It was named by J. R. Smith in 1901.",
        "Some values (e.g. WIX or NSIS) are not the default.",
        "Dr. Dent and Mrs. Hill lived in St. Albans vs. London.",
        "Cats of the genus Felis (i.e. Small cats) purr.",
        "Eine Reihe von Fragen, vgl. Kapitel zwei.",
        "Пры т. зв. Рэформе яна была зменена.",
        "a label without a closing mark",
        "",
    ],
)
def test_sentence_stays_whole(text: str):
    assert parts(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four…", ["One.", "Two!", "Three?", "Four…"]),
        ('He said "no." Then he left.', ['He said "no."', "Then he left."]),
        ("It ends (here.) «Next» it goes on.", ["It ends (here.)", "«Next» it goes on."]),
        ("これは文です。次の文です。", ["これは文です。", "次の文です。"]),
        ("Першы сказ. Другі сказ.", ["Першы сказ.", "Другі сказ."]),
        ("Version 3.11 is new. python 2 is not.", ["Version 3.11 is new. python 2 is not."]),
    ],
)
def test_sentences_are_told_apart(text: str, expected: list[str]):
    assert parts(text) == expected


@pytest.mark.parametrize("text", ["Yes.", "Really?", 'He said "no."', "是。", "See above.)"])
def test_sentence_with_a_closing_mark_is_complete(text: str):
    assert is_complete(text)


@pytest.mark.parametrize("text", ["Tags", "see below:", "json.dumps(obj)", ""])
def test_label_is_not_complete(text: str):
    assert not is_complete(text)
