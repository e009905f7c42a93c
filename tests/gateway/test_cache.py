"""The cache of answers: bounded in bytes, what was not asked for longest goes."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.cache import ENTRY_BYTES, Cache


def size(*values: bytes) -> int:
    return sum(1 + len(value) + ENTRY_BYTES for value in values)


def test_cache_returns_what_was_put() -> None:
    cache = Cache(size(b"value"))
    cache.put(b"k", b"value")

    assert cache.get(b"k") == b"value"
    assert cache.get(b"?") is None
    assert cache.used == size(b"value")


def test_cache_drops_what_was_not_asked_for_longest() -> None:
    cache = Cache(size(b"one", b"two"))
    cache.put(b"1", b"one")
    cache.put(b"2", b"two")
    cache.get(b"1")
    cache.put(b"3", b"six")

    assert [cache.get(key) for key in (b"1", b"2", b"3")] == [b"one", None, b"six"]


def test_cache_replaces_the_value_of_a_key() -> None:
    cache = Cache(size(b"longer"))
    cache.put(b"k", b"short")
    cache.put(b"k", b"longer")

    assert cache.get(b"k") == b"longer"
    assert cache.used == size(b"longer")


def test_cache_of_no_bytes_keeps_nothing() -> None:
    cache = Cache(0)
    cache.put(b"k", b"")

    assert (len(cache), cache.used) == (0, 0)


def test_cache_leaves_the_others_when_one_value_is_too_large() -> None:
    cache = Cache(size(b"small"))
    cache.put(b"s", b"small")
    cache.put(b"l", b"much larger")

    assert cache.get(b"s") == b"small"
    assert cache.get(b"l") is None


@given(st.lists(st.tuples(st.binary(max_size=2), st.binary(max_size=900))), st.integers(0, 3000))
def test_cache_never_takes_more_than_it_may(puts: list[tuple[bytes, bytes]], most: int) -> None:
    cache = Cache(most)
    for key, value in puts:
        cache.put(key, value)

    kept = {key: cache.get(key) for key, _ in puts}
    sizes = [len(key) + len(v) + ENTRY_BYTES for key, v in kept.items() if v is not None]
    assert cache.used == sum(sizes) <= most
