"""The limit of open files, raised in a process of its own."""

import subprocess
import sys

import pytest

CODE = """
import resource
from gateway.limits import allow_open_files
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
told = allow_open_files(400)
print(told, *resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("soft", "hard", "raised"),
    [
        pytest.param(200, 1000, 400, id="as far as wanted"),
        pytest.param(200, 300, 300, id="as far as it goes"),
        pytest.param(600, 1000, 600, id="never lowered"),
    ],
)
def test_limit_is_raised(soft: int, hard: int, raised: int) -> None:
    code = CODE.format(soft=soft, hard=hard)
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )

    assert result.stdout.split() == [str(raised), str(raised), str(hard)]
