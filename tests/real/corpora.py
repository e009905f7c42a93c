"""The published archives as corpora: the eleven that judged queries run over, and the odd ones."""

from pathlib import Path

from tests.support.data import real_data

ELEVEN = {
    "Ray Charles": "mediawiki/wikipedia_en_ray_charles_maxi_2019-08.zim",
    "Wikipedia 100": "mediawiki/wikipedia_en_100_mini_2022-10.zim",
    "Wikibooks": "mediawiki/wikibooks_be_all_nopic_2017-02.noTitleListingV0.zim",
    "Wikipedia": "mediawiki/wikipedia_en_gensim-sample_nopic_vector2022.zim",
    "CMake": "devdocs/devdocs.io_en_cmake-3.25_2026-11.zim",
    "Python": "devdocs/devdocs.io_en_python-3.11_2026-11.zim",
    "Beer": "stackexchange/beer.stackexchange.com_en_all_nopic_2026-11.zim",
    "Coffee": "stackexchange/coffee.stackexchange.com_en_all_nopic_2026-11.zim",
    "cranfield": "ir/cranfield/cranfield.zim",
    "med": "ir/med/med.zim",
    "cisi": "ir/cisi/cisi.zim",
}
"""The archives of mediawiki (but the split one), devdocs and stackexchange, and the three of ir."""

ODD = {
    "Ray Charles 2015": "mediawiki/split/wikipedia_en_ray_charles_2015-06.zim",
    "Corner cases": "other/corner_cases#&.zim",
    "Example": "other/example.zim",
    "Foo": "other/foo-zstd.zim",
    "Characters": "other/kiwix-android_characters_encoding.zim",
    "Poor": "other/poor.zim",
    "Small": "other/small.withns.zim",
    "Spelling": "other/spelling_correction_test.zim",
    "Tonedear": "other/tonedear.com_en_2024-09.zim",
}
"""The split archive, and what is in other."""


def paths(corpus: dict[str, str]) -> dict[str, Path]:
    """Return the archives of a corpus by library name; skip the test where there are none."""
    root = real_data()
    return {name: root / path for name, path in corpus.items()}
