"""The story of `up`, from the operator's manifest to a cluster that answers."""

from collections.abc import Callable
from pathlib import Path

from common import manifest
from common.settings import demand_private, token
from deploy import cluster, demo
from deploy.cluster import Cluster
from deploy.corpus import Corpus, resolve
from deploy.inspection import Notify, Report
from deploy.port import free_port
from deploy.site import Site
from deploy.status import ClusterStatus

Say = Callable[[str], None]


def launch(site: Site, say: Say) -> tuple[Cluster, ClusterStatus]:
    """Validate, start, and wait; whatever goes wrong on the way leaves nothing running.

    Raises:
        ConfigError: The operator must edit something.
        Failed: An archive cannot be opened, or a library does not get ready; it is named.
    """
    secret = token(site.settings)
    demand_private(site.settings)
    with cluster.claim(site.run_dir):
        wanted = manifest.load(site.config)
        port = free_port(site.settings.mcp_host, site.settings.mcp_port)
        found = prepared(site, wanted, say)
        started = cluster.start(cluster.plan(site, found.manifest, port, secret))
        try:
            return started, started.wait_ready()
        except BaseException:
            started.stop()
            raise


def prepared(site: Site, wanted: manifest.Manifest, say: Say) -> Corpus:
    """Look into every archive, made before if they are those of the demo.

    Raises:
        ConfigError: An archive is not there or outside the corpus root.
        Failed: Archives that cannot be opened, one line for each.
    """
    if demo.is_demo(site.config):
        demo.build(demo.missing(wanted, site.root), lambda path: say(f"made {path}"))
    return validate(site, wanted, say, check=site.settings.zim_check)


def validate(site: Site, wanted: manifest.Manifest, say: Say, *, check: bool) -> Corpus:
    """Look into every archive; with ``check``, say how each checksum came out.

    Raises:
        ConfigError: An archive is not there or outside the corpus root.
        Failed: Archives that cannot be opened, one line for each.
    """
    return resolve(wanted, site.root, check=check, notify=_progress(say))


def _progress(say: Say) -> Notify:
    def notify(path: Path, report: Report) -> None:
        say(f"checked {path.name}: {'good' if report.ok else report.error}")

    return notify
