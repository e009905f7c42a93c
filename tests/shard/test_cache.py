"""The bound of the parsed documents that are kept."""

from shard.cache import DocumentCache
from shard.document import Document


class Sized(Document):
    """A document of so many bytes."""

    def __init__(self, size: int) -> None:
        super().__init__("path", "title", [])
        self.size = size


def test_cache_keeps_what_was_used_last_within_its_bytes():
    cache = DocumentCache(100)
    for name in "ab":
        cache.put(name, Sized(40))
    cache.get("a")
    cache.put("c", Sized(40))

    assert [cache.get(name) is not None for name in "abc"] == [True, False, True]
    assert cache.used == 80


def test_cache_does_not_keep_what_is_larger_than_itself():
    cache = DocumentCache(100)
    cache.put("small", Sized(50))
    cache.put("large", Sized(101))

    assert (len(cache), cache.used) == (1, 50)


def test_cache_counts_a_replaced_document_once():
    cache = DocumentCache(100)
    cache.put("a", Sized(60))
    cache.put("a", Sized(30))

    assert (len(cache), cache.used) == (1, 30)
