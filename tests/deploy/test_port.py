import socket
from collections.abc import Iterator

import pytest

from common.errors import ConfigError
from deploy.errors import Failed
from deploy.port import free_port


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_port_in_use_is_named(taken: int) -> None:
    with pytest.raises(Failed, match=rf"MCP_PORT: .* {taken}, which is in use"):
        free_port("127.0.0.1", taken)


def test_zero_takes_a_port_that_can_be_listened_on() -> None:
    port = free_port("127.0.0.1", 0)

    assert port > 0
    assert free_port("127.0.0.1", port) == port


@pytest.mark.parametrize("host", ["no.such.host.invalid", "192.0.2.1", "a" * 300])
def test_host_that_is_not_this_machine_is_a_configuration_error(host: str) -> None:
    with pytest.raises(ConfigError, match="MCP_HOST"):
        free_port(host, 0)
