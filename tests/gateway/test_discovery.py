import asyncio
import socket
import subprocess
import sys
import threading

import pytest
from structlog.testing import capture_logs

from common.endpoints import endpoint, socket_dir
from common.manifest import Library
from gateway import discovery
from gateway.discovery import DnsDiscovery, LocalDiscovery
from tests.gateway.scripted import WAIT, run, until


class Names:
    """A server of names: what stands in `known` resolves, what is in `stuck` blocks until then."""

    def __init__(self, **known):
        self.known = {f"shard-{name}": found for name, found in known.items()}
        self.stuck = set()
        self.released = threading.Event()
        self.asked = []

    def __call__(self, host):
        self.asked.append(host)
        if host in self.stuck:
            assert self.released.wait(WAIT)
        found = self.known.get(host, socket.gaierror(socket.EAI_NONAME, "Name not known"))
        if isinstance(found, Exception):
            raise found
        return found


@pytest.fixture
def patient(monkeypatch):
    """Wait for every look-up: on a busy machine the shortest takes longer than is waited for."""
    monkeypatch.setattr(discovery, "LOOKUP_PATIENCE", WAIT)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(discovery, "LOOKUP_PATIENCE", 0.001)


@pytest.fixture
def look(clock):
    """Return a function that looks for libraries again, a tick later."""

    def made(names):
        found = DnsDiscovery("shard-{slug}", 7100, resolve=names, clock=clock)

        async def find(*slugs):
            clock.now += discovery.LOOKUP_INTERVAL
            return await found.find(libraries(*slugs))

        find.idle = lambda slug: not found._names[f"shard-{slug}"].under_way
        find.why_none = lambda slug: found.why_none(libraries(slug)[0])
        return find

    return made


def libraries(*names):
    return [Library(name=name, path="x.zim") for name in names]


def test_local_discovery_finds_the_sockets_of_each_library(sockets):
    folder = socket_dir(sockets)
    folder.mkdir()
    named = libraries("C", "C++", "Absent")
    for library in named[:2]:
        for number in ("0", "10", "2", "0.lock"):
            (folder / f"{library.slug}.{number}").touch()

    found = asyncio.run(LocalDiscovery(sockets).find(named))

    assert found == {
        "C": [endpoint(folder / f"{named[0].slug}.{n}") for n in (0, 2, 10)],
        "C++": [endpoint(folder / f"{named[1].slug}.{n}") for n in (0, 2, 10)],
        "Absent": [],
    }


def test_local_discovery_without_a_run_directory_finds_nothing(sockets):
    found = LocalDiscovery(sockets / "absent")

    assert asyncio.run(found.find(libraries("C"))) == {"C": []}
    assert "c.*" in found.why_none(libraries("C")[0])


def test_dns_discovery_finds_every_address_of_each_service(look, patient):
    find = look(Names(a=["10.0.0.1", "10.0.0.2"], b=["fd00::1"]))

    assert run(find("a", "b")) == {
        "a": ["tcp://10.0.0.1:7100", "tcp://10.0.0.2:7100"],
        "b": ["tcp://[fd00::1]:7100"],
    }


def test_dns_discovery_follows_addresses_that_come_and_go(look, patient):
    names = Names(a=["10.0.0.1"])
    find = look(names)

    async def main():
        yield await find("a")
        names.known["shard-a"] = ["10.0.0.1", "10.0.0.2"]
        yield await find("a")
        del names.known["shard-a"]
        yield await find("a")

    async def collected():
        return [found["a"] async for found in main()]

    one, two = "tcp://10.0.0.1:7100", "tcp://10.0.0.2:7100"
    assert run(collected()) == [[one], [one, two], []]


@pytest.mark.parametrize(
    "surprise",
    [
        pytest.param(socket.gaierror(socket.EAI_NONAME, "Name not known"), id="unknown"),
        pytest.param(socket.gaierror(socket.EAI_AGAIN, "Try again"), id="later"),
        pytest.param(UnicodeError("label too long"), id="no name"),
        pytest.param(RuntimeError(), id="bug"),
    ],
)
def test_name_that_does_not_resolve_has_no_address_and_holds_no_other(look, patient, surprise):
    find = look(Names(a=surprise, b=["10.0.0.1"]))

    assert run(find("a", "b")) == {"a": [], "b": ["tcp://10.0.0.1:7100"]}
    assert (str(surprise.args[-1]) if surprise.args else "RuntimeError") in find.why_none("a")


def test_stuck_look_up_keeps_the_last_answer_and_holds_no_other(look, impatient):
    names = Names(a=["10.0.0.1"], b=["10.0.0.2"])
    find = look(names)

    async def found(**wanted):
        while not (last := await find("a", "b")).items() >= wanted.items():
            pass
        return last

    async def main():
        await found(a=["tcp://10.0.0.1:7100"], b=["tcp://10.0.0.2:7100"])
        await until(lambda: find.idle("a"))
        names.stuck.add("shard-a")
        names.known |= {"shard-a": ["10.0.0.8"], "shard-b": ["10.0.0.9"]}
        during = await found(b=["tcp://10.0.0.9:7100"])
        names.released.set()
        return during, await found(a=["tcp://10.0.0.8:7100"])

    during, _ = run(main())
    assert during["a"] == ["tcp://10.0.0.1:7100"]


def test_name_is_looked_up_by_one_thread_at_a_time(look, impatient):
    names = Names()
    names.stuck.add("shard-a")
    find = look(names)

    async def main():
        for _ in range(5):
            await find("a")
        assert "under way" in find.why_none("a")
        names.released.set()

    run(main())
    assert names.asked == ["shard-a"]


def test_name_is_not_looked_up_more_often_than_at_intervals(clock, patient):
    names = Names(a=["10.0.0.1"])
    found = DnsDiscovery("shard-{slug}", 7100, resolve=names, clock=clock)

    async def main():
        return [await found.find(libraries("a")) for _ in range(3)]

    assert run(main()) == [{"a": ["tcp://10.0.0.1:7100"]}] * 3
    assert names.asked == ["shard-a"]


def test_slow_names_hold_up_no_other_however_many_they_are(look, clock, impatient, monkeypatch):
    monkeypatch.setattr(discovery, "LOOKUP_THREADS", 2)
    names = Names(a=["10.0.0.1"])
    names.stuck = {"shard-x", "shard-y"}
    find = look(names)

    async def main():
        await find("x", "y")
        await until(lambda: len(names.asked) == 2)
        clock.now += discovery.SLOW_LOOKUP
        names.released.set()
        await until(lambda: find.idle("x") and find.idle("y"))
        # Stuck again, and known for it: the threads of the others are free.
        names.released.clear()
        while not (await find("x", "y", "a"))["a"]:
            pass
        assert not find.idle("x")
        names.released.set()

    run(main())


def test_look_ups_leave_no_thread_behind(look, patient):
    find = look(Names(a=["10.0.0.1"]))
    run(find("a"))

    async def ended():
        await until(lambda: not [t for t in threading.enumerate() if t.name == "look-up"])

    run(ended())


def test_stuck_look_up_does_not_delay_the_end_of_the_process():
    script = (
        "import asyncio, threading\n"
        "from common.manifest import Library\n"
        "from gateway.discovery import DnsDiscovery\n"
        "stuck = DnsDiscovery('{slug}', 1, resolve=lambda host: threading.Event().wait())\n"
        "print(asyncio.run(stuck.find([Library(name='a', path='x.zim')])))\n"
    )

    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=WAIT, check=False
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "{'a': []}\n", "")


def test_name_that_fails_and_works_again_is_logged_once_each(look, patient):
    names = Names(b=["10.0.0.1"])
    find = look(names)

    async def main():
        await find("a", "b")
        await find("a", "b")
        names.known["shard-a"] = ["10.0.0.2"]
        await find("a", "b")
        await find("a", "b")

    with capture_logs() as logged:
        run(main())

    said = [(entry["event"], entry["service"]) for entry in logged]
    assert said == [("look-up fails", "shard-a"), ("look-up works again", "shard-a")]


def test_library_that_is_gone_is_not_looked_up(look, patient):
    names = Names(a=["10.0.0.1"], b=["10.0.0.2"])
    find = look(names)

    async def main():
        await find("a", "b")
        return await find("b")

    assert run(main()) == {"b": ["tcp://10.0.0.2:7100"]}
    assert names.asked.count("shard-a") == 1


def test_real_name_is_found(patient):
    found = DnsDiscovery("{slug}", 7100)

    assert run(found.find(libraries("localhost"))) == {"localhost": ["tcp://127.0.0.1:7100"]}
