from gateway.analysis import analyse
from gateway.ranking import candidates
from gateway.spelling import best_spelling, respelt
from tests.gateway.replies import hit, reply


def test_words_that_no_library_has_are_told() -> None:
    replies = {"a": reply(frequencies=[0, 4]), "b": reply(frequencies=[0, 0])}

    assert candidates(replies, analyse("oister stout")).misspelt == ("oister",)


def test_the_spelling_that_most_documents_have_wins() -> None:
    assert best_spelling("stuot", [{"stout": 3, "stoot": 2}, {"stoot": 2}]) == "stoot"


def test_of_equal_spellings_the_one_with_the_same_first_letter_wins() -> None:
    assert best_spelling("bear", [{"aear": 2, "beer": 2}]) == "beer"


def test_without_proposals_there_is_no_spelling() -> None:
    assert best_spelling("stuot", [{}, {"stout": 0}]) == ""


def test_a_respelt_query_has_the_new_words_and_text() -> None:
    corrected = respelt(analyse("What is Oister stuot?"), {"oister": "oyster", "stuot": "stout"})

    assert corrected.words == ("oyster", "stout")
    assert corrected.text == "What is oyster stout?"
    assert corrected.corrected


def test_a_query_without_spellings_stays_as_it_is() -> None:
    analysis = analyse("oister stout")

    assert respelt(analysis, {"oister": ""}) is analysis


def test_only_whole_words_are_respelt() -> None:
    assert respelt(analyse("stuo stuoo"), {"stuo": "stout"}).text == "stout stuoo"


def test_two_words_that_become_one_are_one() -> None:
    assert respelt(analyse("stout stuot"), {"stuot": "stout"}).words == ("stout",)


def test_the_note_tells_what_is_shown_instead() -> None:
    corrected = respelt(analyse("oister stuot zzz"), {"oister": "oyster", "stuot": "stout"})

    ranked = candidates({"a": reply([hit("x", [1, 1, 0])], frequencies=[2, 2, 0])}, corrected)

    assert ranked.note == (
        "showing results for oyster stout zzz; no page has all the words; without: zzz"
    )
