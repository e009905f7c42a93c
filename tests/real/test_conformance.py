"""The official conformance scenarios, against a cluster over real archives."""

import subprocess

import pytest

from tests.cluster.running import RunningCluster
from tests.support.data import real_data

pytestmark = [pytest.mark.real, pytest.mark.cluster, pytest.mark.slow]


def test_official_scenarios_pass(eleven: RunningCluster) -> None:
    command = real_data().parent / "tools" / "mcp-conformance"

    result = subprocess.run(
        ["bash", str(command), eleven.url], capture_output=True, text=True, timeout=600, check=False
    )

    assert result.returncode == 0, result.stdout + result.stderr
