"""What becomes of each invalid archive: refused with a reason, or used as far as it goes."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.shard.index import survey
from tests.support.data import real_data

pytestmark = pytest.mark.real

NO_ARCHIVE = "expected a ZIM archive"
CUT = "damaged or cut off: Zim file(s) is of bad size or corrupted"
LAYOUTS = ("noTitleListingV0", "nons", "withns")

REFUSED = {
    "empty.zim": NO_ARCHIVE,
    "html_not_zim.zim": NO_ARCHIVE,
    "random_bytes.zim": NO_ARCHIVE,
    "truncated_ray_charles_200k.zim": CUT,
    "wikipedia_cr_all_2015-04.real-but-damaged.zim": CUT,
    **{f"small.{layout}.embedded.zim": NO_ARCHIVE for layout in LAYOUTS},
    **{f"small.{layout}.embedded.multi.zim": NO_ARCHIVE for layout in LAYOUTS},
    **{
        f"invalid.{damage}.{layout}.zim": reason
        for damage, reason in {
            "smaller_than_header": NO_ARCHIVE,
            "invalid_checksumpos": CUT,
            "bad_mimetype_list": "damaged or cut off: Error getting mimelists",
            "invalid_mimelistpos": "damaged or cut off: mimelistPos must be 80",
            "nonsorted_dirent_table": "damaged or cut off: Dirent table is not properly sorted",
            "offset_in_cluster": "damaged or cut off: Error parsing cluster",
            "outofbounds_clusterptrpos": "damaged or cut off: Cluster pointer table outside",
            "outofbounds_first_direntptr": "damaged or cut off: Invalid dirent pointer",
            "outofbounds_last_direntptr": "damaged or cut off: Invalid dirent pointer",
            "outofbounds_urlptrpos": "damaged or cut off: Dirent pointer table outside",
        }.items()
        for layout in LAYOUTS
    },
    "invalid.outofbounds_titleptrpos.withns.zim": "damaged or cut off: Title index table outside",
}
"""Why each cannot be opened."""

OPENED = {
    # Fail on first use: the cluster that holds the pages is out of the file.
    "invalid.outofbounds_first_clusterptr.noTitleListingV0.zim": ("titles", 1, 2),
    "invalid.outofbounds_first_clusterptr.nons.zim": ("titles", 1, 2),
    "invalid.outofbounds_first_clusterptr.withns.zim": ("xapian", 3, 17),
    # Open without a word. One entry of `withns` is a redirect and never listed.
    "invalid.bad_mimetype_in_dirent.noTitleListingV0.zim": ("titles", 2, 2),
    "invalid.bad_mimetype_in_dirent.nons.zim": ("titles", 2, 2),
    "invalid.bad_mimetype_in_dirent.withns.zim": ("xapian", 15, 17),
    "invalid.nonsorted_title_index.nons.zim": ("titles", 2, 2),
    "invalid.nonsorted_title_index.withns.zim": ("xapian", 16, 17),
    "invalid.outofbounds_first_title_entry.nons.zim": ("titles", 2, 2),
    "invalid.outofbounds_first_title_entry.withns.zim": ("xapian", 16, 17),
    "invalid.outofbounds_last_title_entry.nons.zim": ("titles", 2, 2),
    "invalid.outofbounds_last_title_entry.withns.zim": ("xapian", 16, 17),
    "invalid.outofbounds_titleptrpos.nons.zim": ("titles", 2, 2),
    "zim-tools_bad_checksum.zim": ("titles", 4, 4),
}
"""What searches each, and how many of its entries can be read."""

SURVEY_SECONDS = 60


@pytest.fixture(scope="module")
def surveys() -> dict[str, Any]:
    files = sorted((real_data() / "bad").iterdir())
    with ThreadPoolExecutor(2) as pool:
        return dict(zip([file.name for file in files], pool.map(_survey, files), strict=True))


def _survey(path: Path) -> Any:
    # A process of its own: native code meets bytes that nobody meant it to read.
    done = subprocess.run(
        [sys.executable, "-m", survey.__name__, str(path)],
        capture_output=True,
        check=False,
        timeout=SURVEY_SECONDS,
        cwd=Path(survey.__file__).parents[3],
    )
    return json.loads(done.stdout) if done.returncode == 0 else {"exit": done.returncode}


def test_every_bad_archive_has_an_expectation(surveys) -> None:
    assert set(surveys) == REFUSED.keys() | OPENED.keys()
    assert (len(REFUSED), len(OPENED)) == (42, 14)


def test_invalid_archives_are_refused_with_the_reason(surveys) -> None:
    unexpected = {
        name: surveys[name]
        for name, reason in REFUSED.items()
        if not surveys[name].get("refused", "").startswith(f"{name}: {reason}")
    }

    assert unexpected == {}


def test_damage_that_libzim_does_not_see_costs_only_what_is_damaged(surveys) -> None:
    outcomes = {
        name: (surveys[name]["index"], surveys[name]["readable"], surveys[name]["entries"])
        for name in OPENED
    }

    assert outcomes == OPENED
    assert all(surveys[name]["query"] == surveys[name]["titles"] == "" for name in OPENED)


def test_the_checksum_tells_every_damage(surveys) -> None:
    assert [name for name in OPENED if surveys[name]["sound"]] == []
