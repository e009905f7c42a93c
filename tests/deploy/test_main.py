"""How the command ends when something else than its own errors ends it."""

import sys
from types import ModuleType

import pytest

from deploy.__main__ import main


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyboardInterrupt(), "interrupted"),
        (OSError(28, "No space left on device"), "[Errno 28] No space left on device"),
    ],
)
def test_command_that_is_cut_short_says_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    said: str,
) -> None:
    def app(prog_name: str) -> None:
        del prog_name
        raise error

    module = ModuleType("deploy.cli")
    module.__dict__["app"] = app
    monkeypatch.setitem(sys.modules, "deploy.cli", module)

    with pytest.raises(SystemExit) as end:
        main()

    assert end.value.code == 1
    assert capsys.readouterr().err == f"corpus-mcp: {said}\n"
