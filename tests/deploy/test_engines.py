"""The verbs `render swarm` and `render kubernetes`, as the operator calls them."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from common.errors import ConfigError
from deploy.remote import KEYS
from deploy.rendering import app

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a caller of `render` in a folder with a manifest, a token and keys."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MCP_TOKEN_FILE", "token")
    text = 'version = 1\n[[library]]\nname = "wiki"\npath = "elsewhere/wiki.zim"\n'
    Path("corpus.toml").write_text(text)
    Path("token").write_text("abc")
    Path("keys").mkdir()
    for name in KEYS:
        Path("keys", name).write_text(name)

    def call(*arguments: str) -> Result:
        result = CliRunner().invoke(app, arguments)
        if isinstance(result.exception, ConfigError):
            raise result.exception
        return result

    return call


def test_stack_is_printed(run: Run) -> None:
    stack = yaml.safe_load(run("swarm", "--corpus", "/srv/zim", "--gateways", "3").output)

    assert set(stack["services"]) == {"gateway", "shard-wiki"}
    assert stack["services"]["gateway"]["deploy"]["replicas"] == 3
    assert stack["services"]["shard-wiki"]["volumes"][0]["source"] == "/srv/zim"
    for carried in [*stack["secrets"].values(), *stack["configs"].values()]:
        assert Path(carried["file"]).is_absolute()
        assert Path(carried["file"]).exists()


def test_stack_without_a_token_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MCP_TOKEN_FILE")

    with pytest.raises(ConfigError, match="MCP_TOKEN_FILE"):
        run("swarm")


def test_objects_are_written_into_a_file(run: Run) -> None:
    result = run("kubernetes", "--namespace", "corpus", "--output", "all.yaml")

    assert result.output == ""
    kinds = [one["kind"] for one in yaml.safe_load_all(Path("all.yaml").read_text())]
    assert kinds[0] == "Namespace"
    assert kinds.count("Deployment") == 2


def test_images_are_those_that_are_asked_for(run: Run) -> None:
    images = ("--gateway-image", "r.example/g:2", "--shard-image", "r.example/s:2")

    services = yaml.safe_load(run("swarm", *images).output)["services"]

    assert services["gateway"]["image"] == "r.example/g:2"
    assert services["shard-wiki"]["image"] == "r.example/s:2"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("swarm", "--corpus", "zim"), "--corpus: expected an absolute path"),
        (("swarm", "--keys", "nowhere"), "--keys: expected a readable file"),
        (("kubernetes", "--claim", "a", "--corpus", "/b"), "only one of --claim and --corpus"),
        (("kubernetes", "--min-gateways", "3", "--max-gateways", "2"), "--max-gateways: expected"),
    ],
)
def test_options_that_contradict_are_refused_by_name(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        run(*arguments)
