"""Changing a Compose project while agents use it: start, scale, replace an archive."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from common import manifest, settings
from common.errors import ConfigError
from common.manifest import Library, Manifest
from deploy import compose, demo, docker, gateways, project, status
from deploy.containers import GATEWAY
from deploy.corpus import Corpus, resolve
from deploy.errors import Failed
from deploy.image import inspector
from deploy.inspection import Report
from deploy.port import free_port
from deploy.site import Site, base_url

Say = Callable[[str], None]

LOOPBACK = "127.0.0.1"
"""The only address at which a project is published."""

_TICK = 0.2


class Prepared(NamedTuple):
    """What is to run."""

    project: dict[str, Any]
    manifest: Manifest


def prepare(site: Site, where: project.Files, say: Say) -> Prepared:
    """Look into every archive inside the shard image, and write the project's files.

    Raises:
        ConfigError: The operator must edit something.
        Failed: There is no image, or an archive cannot be opened; it is named. Nothing is written.
    """
    secret = settings.token(site.settings)
    wanted = manifest.load(site.config)
    # Wrong names are told before anybody waits for a disk.
    compose.services(wanted, site.settings)
    if demo.is_demo(site.config):
        demo.build(demo.missing(wanted, site.root), lambda path: say(f"made {path}"))
    found = _inspected(site, wanted, say)
    rendered = compose.render(found, site.settings, site.environment, _place(site, where), secret)
    project.write(where, rendered, found.manifest)
    project.write_dotenv(where, site.environment)
    return Prepared(rendered, found.manifest)


def start(site: Site, where: project.Files, say: Say) -> tuple[str, status.ClusterStatus]:
    """Start what the manifest says, and return address and status once every library is ready.

    Raises:
        ConfigError: The operator must edit something.
        Failed: An archive cannot be opened, or a library does not get ready; it is named. What had
            not been running before is gone again.
    """
    ran = project.known(where, site.environment) and bool(project.containers())
    port = site.settings.mcp_port
    if not ran:
        port = free_port(LOOPBACK, port)
    elif port == 0:
        port = compose.port(project.read(where)[0])
    site = site._replace(settings=msgspec.structs.replace(site.settings, mcp_port=port))
    prepared = prepare(site, where, say)
    url = base_url(LOOPBACK, port)
    try:
        docker.lines("compose", "up", "--detach", "--remove-orphans")
        return url, _wait_ready(url, compose.token(prepared.project), prepared.manifest)
    except BaseException:
        if not ran:
            docker.lines("compose", "down", "--remove-orphans")
        raise


def scale_library(where: project.Files, name: str, count: int) -> Library:
    """Run ``count`` replicas of a library; return it when every gateway has them all ready.

    Raises:
        ConfigError: There is no such library.
        Failed: The project does not run, or a replica does not get ready.
    """
    running, known = project.read(where)
    library = _find(known, name)
    service = compose.service(running, library)
    _running(service)
    _up({service: count}, service)
    what = f"library {library.name!r}: not all {count} replicas got ready"
    gateways.wait_ready(project.containers(service), compose.shard_port(running), what)
    return library


def scale_gateways(where: project.Files, count: int) -> None:
    """Run ``count`` gateways; return when all of them take calls.

    Raises:
        Failed: The project does not run, or a gateway does not get ready.
    """
    running, _ = project.read(where)
    _running(GATEWAY)
    there = project.replicas()
    shards = {name: there[name] for name in running["services"][GATEWAY]["depends_on"]}
    _up({**shards, GATEWAY: count}, GATEWAY)
    gateways.wait_serving()


def replace(site: Site, where: project.Files, name: str, say: Say) -> Library:
    """Serve the archive that a library's path means now, and return the library with it.

    New replicas come first; the old ones go once every gateway has the new ones ready.

    Raises:
        ConfigError: The library or its archive is not there.
        Failed: The archive cannot be opened, or no new replica gets ready: the old ones serve on.
    """
    running, known = project.read(where)
    library = _find(known, name)
    service = compose.service(running, library)
    old = _running(service)
    operator, root = compose.sources(running)
    site = site._replace(config=operator, root=root)
    wanted = _find(manifest.load(operator), library.name)
    served = _inspected(site, Manifest((wanted,)), say).served[0]
    # With the settings of the start: this command may have been given in another shell.
    given = compose.shard_settings(running)
    rendered = compose.shard(served, settings.load(given), given, _place(site, where))
    changed = {**running, "services": {**running["services"], service: rendered}}
    project.write(where, changed, _exchanged(known, served.library))
    try:
        _up({service: 2 * len(old)}, service)
        what = f"library {library.name!r}: no new replica got ready"
        gateways.wait_ready(_besides(service, old), compose.shard_port(running), what)
    except BaseException:
        _remove(_besides(service, old))
        project.write(where, running, known)
        raise
    _remove(old)
    return served.library


def _inspected(site: Site, wanted: Manifest, say: Say) -> Corpus:
    def tell(path: Path, report: Report) -> None:
        say(f"checked {path.name}: {'good' if report.ok else report.error}")

    inspect = inspector(project.image("shard", site.environment), site.root)
    check = site.settings.zim_check
    return resolve(wanted, site.root, check=check, notify=tell, inspect=inspect)


def _place(site: Site, where: project.Files) -> compose.Place:
    return compose.Place(site.root, where.config, project.SHARD, site.config)


def _wait_ready(url: str, token: str, wanted: Manifest) -> status.ClusterStatus:
    at = time.monotonic() + gateways.READY_SECONDS
    while True:
        current = status.read(url, token)
        missing = status.unready(current, wanted)
        if current and not missing:
            return current
        if time.monotonic() >= at:
            late = f"within {gateways.READY_SECONDS:.0f} s"
            if current is None:
                said = docker.lines("compose", "logs", "--no-log-prefix", "--tail", "1", GATEWAY)
                raise Failed(f"the gateway gave no status at {url} {late}: {' '.join(said)}")
            raise Failed(f"not ready {late}: library " + ", ".join(missing))
        time.sleep(_TICK)


def _find(known: Manifest, name: str) -> Library:
    for library in known.libraries:
        if library.name.casefold() == name.casefold():
            return library
    names = ", ".join(repr(library.name) for library in known.libraries)
    raise ConfigError(f"LIBRARY: expected one of {names}, got {name!r}")


def _exchanged(known: Manifest, library: Library) -> Manifest:
    return Manifest(
        tuple(library if each.name == library.name else each for each in known.libraries)
    )


def _running(service: str) -> list[str]:
    found = project.containers(service)
    if not found:
        raise Failed(f"no container of {service} runs: run make start")
    return found


def _besides(service: str, old: list[str]) -> list[str]:
    return [each for each in project.containers(service) if each not in old]


def _up(counts: Mapping[str, int], service: str) -> None:
    # What runs is left as it is; only what is missing is made, as the files say now. Not without
    # its dependencies: Compose would take such a container for one of another project file, and
    # replace it the next time.
    scales = [word for name, count in counts.items() for word in ("--scale", f"{name}={count}")]
    docker.lines("compose", "up", "--detach", "--no-recreate", *scales, service)


def _remove(containers: list[str]) -> None:
    if containers:
        docker.lines("stop", *containers)
        docker.lines("rm", "--force", *containers)
