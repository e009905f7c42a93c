import pytest

from shard.languages import iso_639_1


@pytest.mark.parametrize(
    ("spelling", "code"),
    [
        ("eng", "en"),
        ("en", "en"),
        ("EN", "en"),
        (" deu ", "de"),
        ("ger", "de"),
        ("=en", "en"),
        ("eng,fra", "en"),
        ("pt-br", "pt"),
        ("zh_Hans", "zh"),
        ("bel", "be"),
        ("cre", "cr"),
        ("grc", ""),
        ("mul", ""),
        ("xx", ""),
        ("", ""),
        ("-", ""),
    ],
)
def test_language_is_normalised_to_two_letters(spelling, code) -> None:
    assert iso_639_1(spelling) == code
