import asyncio

from common.endpoints import endpoint, socket_dir
from common.manifest import Library
from gateway.discovery import LocalDiscovery


def test_local_discovery_finds_the_sockets_of_each_library(sockets):
    folder = socket_dir(sockets)
    folder.mkdir()
    libraries = [Library(name=name, path="x.zim") for name in ("C", "C++", "Absent")]
    for library in libraries[:2]:
        for number in ("0", "10", "2", "0.lock"):
            (folder / f"{library.slug}.{number}").touch()

    found = asyncio.run(LocalDiscovery(sockets).find(libraries))

    assert found == {
        "C": [endpoint(folder / f"{libraries[0].slug}.{n}") for n in (0, 2, 10)],
        "C++": [endpoint(folder / f"{libraries[1].slug}.{n}") for n in (0, 2, 10)],
        "Absent": [],
    }


def test_local_discovery_without_a_run_directory_finds_nothing(sockets):
    library = Library(name="C", path="x.zim")

    assert asyncio.run(LocalDiscovery(sockets / "absent").find([library])) == {"C": []}
