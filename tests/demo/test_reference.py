"""The reference says what the program is: no symbol of it is missing, none is made up."""

import typer

from common import frames
from common.errors import AGENT_ERRORS, DEGRADED_REASONS
from common.settings import SETTINGS
from deploy.cli import app
from gateway.metrics import Metrics
from gateway.schemas import fetch_spec, search_spec
from shard.adapters import ADAPTERS
from shard.archive import Archive
from tests.demo.corpus import html_pages, symbols, tree


def test_reference_has_every_setting_with_its_default(demo: dict[str, Archive]):
    told = symbols(demo["reference"], "settings/")

    assert set(told) == {row.name for row in SETTINGS}
    for row in SETTINGS:
        assert f"Default: {row.default or 'none'}." in told[row.name]
        assert row.help in told[row.name]


def test_reference_has_every_error_of_the_tools(demo: dict[str, Archive]):
    told = symbols(demo["reference"], "errors/agent")

    assert set(told) == {agent.error for agent in AGENT_ERRORS.values()}


def test_reference_has_every_code_of_the_wire(demo: dict[str, Archive]):
    assert set(symbols(demo["reference"], "errors/wire")) == set(AGENT_ERRORS)


def test_reference_has_every_reason_for_a_degraded_answer(demo: dict[str, Archive]):
    told = symbols(demo["reference"], "errors/degraded")

    assert set(told) == set(DEGRADED_REASONS.values())


def test_reference_has_every_metric(demo: dict[str, Archive]):
    metrics = {
        metric.name + ("_total" if metric.type == "counter" else "")
        for metric in Metrics().registry.collect()
    }

    assert set(symbols(demo["reference"], "http/metrics")) == metrics


def test_reference_has_every_request(demo: dict[str, Archive]):
    told = symbols(demo["reference"], "protocol/frames")

    assert set(told) == {
        kind.__struct_config__.tag
        for kind in (
            frames.DescribeRequest,
            frames.QueryRequest,
            frames.SpellRequest,
            frames.PreviewRequest,
            frames.DocumentRequest,
        )
    }


def test_reference_has_every_adapter(demo: dict[str, Archive]):
    assert set(symbols(demo["reference"], "adapters")) == {*ADAPTERS, "auto"}


def test_reference_has_every_command_with_its_options(demo: dict[str, Archive]):
    commands = typer.main.get_command(app).commands
    pages = {
        page.path.removeprefix("command/"): tree(page).text_content()
        for page in html_pages(demo["reference"])
        if page.path.startswith("command/")
    }

    assert set(pages) == {*commands, "shard", "gateway"}
    for verb, command in commands.items():
        for each in (command, *getattr(command, "commands", {}).values()):
            for option in each.params:
                for spelling in option.opts:
                    if spelling.startswith("--"):
                        assert spelling in pages[verb], f"{verb} {each.name} {spelling}"


def test_reference_has_every_argument_of_the_tools(demo: dict[str, Archive]):
    for spec in (search_spec(5, 10), fetch_spec()):
        told = symbols(demo["reference"], f"tool/{spec.name}")
        assert {f"{spec.name}.{name}" for name in spec.input_schema["properties"]} <= set(told)
