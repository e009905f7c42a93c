"""Every archive is looked into before anything starts, by a process of its own."""

import json
import os
import sys
from functools import partial
from pathlib import Path

import msgspec
import pytest

from common.errors import ConfigError
from common.manifest import Library, Manifest, load, render
from deploy.corpus import resolve
from deploy.errors import Failed
from deploy.inspection import Report, inspect_all

INSPECTOR = (sys.executable, str(Path(__file__).with_name("inspector.py")))

inspect = partial(inspect_all, command=INSPECTOR, together=False)


def archive(folder: Path, name: str, **report: object) -> Path:
    """Write an archive whose inspection ends as ``report`` says."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"ok": True, **report}))
    return path


def manifest(**paths: str) -> Manifest:
    return Manifest(tuple(Library(name=name, path=path) for name, path in paths.items()))


def test_reports_come_by_path_also_with_other_output_before_them(tmp_path: Path) -> None:
    paths = [archive(tmp_path, f"{number}.zim", pages=number) for number in range(4)]

    reports = inspect(paths)

    assert [reports[path].pages for path in paths] == [0, 1, 2, 3]


def test_many_archives_are_looked_into_together_and_the_bad_ones_say_why(
    tmp_path: Path, wiki_zim: Path, stack_zim: Path
) -> None:
    cut = tmp_path / "cut.zim"
    cut.write_bytes(wiki_zim.read_bytes()[:5000])

    reports = inspect_all([wiki_zim, cut, stack_zim])

    assert [reports[path].ok for path in (wiki_zim, cut, stack_zim)] == [True, False, True]
    assert reports[stack_zim].adapter == "stackexchange"
    assert "damaged" in (reports[cut].error or "")


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        pytest.param({"ok": False, "error": "no ZIM file"}, "no ZIM file", id="refused"),
        pytest.param({"ok": False}, "cannot be opened", id="refused without a word"),
        pytest.param({"signal": "SIGSEGV"}, "SIGSEGV", id="killed the inspector"),
        pytest.param({"complaint": "a bug"}, "a bug", id="inspector failed"),
        pytest.param({"hang": 1}, "did not end", id="hung"),
    ],
)
def test_archive_that_cannot_be_opened_is_a_report_with_the_reason(
    tmp_path: Path, outcome: dict[str, object], words: str
) -> None:
    path = archive(tmp_path, "a.zim", **outcome)

    report = inspect([path], seconds=1 if "hang" in outcome else 30)[path]

    assert not report.ok
    assert words in (report.error or "")


def test_interruption_leaves_no_inspector(tmp_path: Path) -> None:
    hung = archive(tmp_path, "a.zim", hang=1)
    good = archive(tmp_path, "b.zim")

    def interrupt(path: Path, report: Report) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        inspect([good, hung], notify=interrupt)

    assert not running_with(str(hung))


def running_with(word: str) -> bool:
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.fsencode(word) in (entry / "cmdline").read_bytes():
                return True
        except OSError:
            continue
    return False


def test_all_broken_archives_stop_the_start_each_with_its_library(tmp_path: Path) -> None:
    archive(tmp_path, "good.zim")
    archive(tmp_path, "cut.zim", ok=False, error="truncated")
    archive(tmp_path, "sick.zim", signal="SIGABRT")

    with pytest.raises(Failed) as failed:
        resolve(
            manifest(Good="good.zim", Cut="cut.zim", Sick="sick.zim"), tmp_path, inspect=inspect
        )

    cut, sick = str(failed.value).splitlines()
    assert "'Cut'" in cut
    assert "truncated" in cut
    assert "'Sick'" in sick
    assert "SIGABRT" in sick


def test_missing_archive_is_named_before_any_is_opened(tmp_path: Path) -> None:
    archive(tmp_path, "hung.zim", hang=1)

    with pytest.raises(ConfigError, match=r"'Mine'.*gone\.zim"):
        resolve(manifest(Hung="hung.zim", Mine="gone.zim"), tmp_path, inspect=inspect)


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        pytest.param({"z.zim": "2024-01-01", "a.zim": "2025-01-01"}, "a.zim", id="date first"),
        pytest.param(
            {"w_2024-01.zim": "2024-01-01", "w_2025-01.zim": ""}, "w_2024-01.zim", id="some date"
        ),
        pytest.param({"w_2024-01.zim": "", "w_2025-01.zim": ""}, "w_2025-01.zim", id="then name"),
    ],
)
def test_glob_becomes_the_newest_archive(
    tmp_path: Path, dates: dict[str, str], expected: str
) -> None:
    for name, date in dates.items():
        archive(tmp_path / "wiki", name, date=date)

    found = resolve(manifest(Wiki="wiki/*.zim"), tmp_path, inspect=inspect)

    assert [library.path for library in found.manifest.libraries] == [f"wiki/{expected}"]


def test_glob_with_a_broken_candidate_is_refused(tmp_path: Path) -> None:
    archive(tmp_path, "w_2024.zim", date="2024-01-01")
    archive(tmp_path, "w_2025.zim", ok=False, error="truncated")

    with pytest.raises(Failed, match=r"w_2025\.zim: truncated"):
        resolve(manifest(Wiki="w_*.zim"), tmp_path, inspect=inspect)


def test_resolved_manifest_keeps_everything_but_the_glob(tmp_path: Path) -> None:
    archive(tmp_path, "w_2024.zim")
    wanted = Library(
        name="C# & co".replace("&", "+"), path="w_*.zim", adapter="devdocs", replicas=3
    )
    target = tmp_path / "resolved.toml"

    found = resolve(Manifest((wanted,)), tmp_path, inspect=inspect)
    target.write_text(render(found.manifest))

    assert load(target).libraries == (msgspec.structs.replace(wanted, path="w_2024.zim"),)


@pytest.mark.parametrize("name", ["corner_cases#&.zim", "100%;[x] 'y'.zim", "Ж🦊.zim"])
def test_archive_may_have_any_name(tmp_path: Path, name: str) -> None:
    path = archive(tmp_path, name)

    found = resolve(manifest(Odd=name), tmp_path, inspect=inspect)

    assert found.served[0].archive == path


def test_only_the_chosen_archive_is_checked_and_told(tmp_path: Path) -> None:
    archive(tmp_path, "w_2024.zim", date="2024-01-01")
    newest = archive(tmp_path, "w_2025.zim", date="2025-01-01")
    told: list[Path] = []

    resolve(
        manifest(Wiki="w_*.zim"),
        tmp_path,
        check=True,
        notify=lambda path, report: told.append(path),
        inspect=inspect,
    )

    assert told == [newest]
