import pytest

from gateway.schemas import fetch_spec, search_spec

SPECS = [search_spec(5, 10), fetch_spec()]


def keys(schema):
    if isinstance(schema, dict):
        yield from schema
        for value in schema.values():
            yield from keys(value)
    if isinstance(schema, list):
        for value in schema:
            yield from keys(value)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_schemas_are_plain_objects(spec):
    for schema in (spec.input_schema, spec.output_schema):
        assert schema["type"] == "object"
        assert not {"anyOf", "oneOf", "allOf", "$ref"} & set(keys(schema))


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_output_schema_also_fits_an_error(spec):
    assert "required" not in spec.output_schema
    assert {"error", "message", "retryable"} <= set(spec.output_schema["properties"])


def test_search_tells_its_limits():
    assert "5 unless given, at most 10" in str(search_spec(5, 10).input_schema)
