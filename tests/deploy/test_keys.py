"""Key pairs for both sides of a network."""

import stat
from pathlib import Path

import pytest
import zmq

from deploy import keys
from deploy.errors import Failed


def test_each_side_gets_a_pair_whose_halves_belong_together(tmp_path: Path) -> None:
    keys.write(tmp_path / "keys")

    pairs = [
        ((tmp_path / f"keys/{side}.pub").read_bytes(), (tmp_path / f"keys/{side}.key").read_bytes())
        for side in keys.SIDES
    ]
    assert len({*pairs[0], *pairs[1]}) == 4
    for public, secret in pairs:
        assert zmq.curve_public(secret.strip()) == public.strip()


def test_secrets_can_be_read_by_their_owner_alone(tmp_path: Path) -> None:
    keys.write(tmp_path)

    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("*.key")}

    assert modes == {"gateway.key": 0o600, "shard.key": 0o600}


def test_keys_that_are_there_stay_and_none_is_added(tmp_path: Path) -> None:
    (tmp_path / "shard.pub").write_text("mine")

    with pytest.raises(Failed, match=r"shard\.pub, which is not overwritten"):
        keys.write(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["shard.pub"]
    assert (tmp_path / "shard.pub").read_text() == "mine"


def test_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(Failed, match="expected a folder to write keys into"):
        keys.write(tmp_path / "file")
