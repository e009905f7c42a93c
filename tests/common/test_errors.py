"""The tree of errors and its two tables agree."""

from common import errors


def test_every_error_code_is_unique() -> None:
    codes = [error.code for error in errors.walk()]

    assert len(codes) == len(set(codes))


def test_every_error_code_has_a_row_for_the_agent() -> None:
    assert {error.code for error in errors.walk()} == set(errors.AGENT_ERRORS)


def test_every_shard_error_has_a_reason_for_degraded() -> None:
    failures = {error.code for error in errors.walk(errors.ShardError)} | {"archive", "protocol"}

    assert failures == set(errors.DEGRADED_REASONS)


def test_every_error_code_is_documented_in_the_module() -> None:
    for error in errors.walk():
        assert f"[{error.code}]" in (errors.__doc__ or ""), error


def test_request_errors_are_never_retryable() -> None:
    assert not any(error.retryable for error in errors.walk(errors.RequestError))
    assert not errors.DeadlineExceeded.retryable
    assert not errors.Quarantined.retryable
