"""What is served in a run directory, as its resolved manifest and its record say."""

from common import manifest
from common.errors import ConfigError
from common.manifest import Library, Manifest
from deploy import record
from deploy.errors import Failed
from deploy.site import RunDir
from deploy.supervisor import Numbers, first_numbers


def resolved(run_dir: RunDir) -> Manifest:
    """Return the manifest of the cluster that was started in ``run_dir`` last.

    Raises:
        Failed: None was.
    """
    if not run_dir.manifest.exists():
        raise Failed(f"no cluster has been started in {run_dir.path}")
    return manifest.load(run_dir.manifest)


def library(run_dir: RunDir, name: str) -> Library:
    """Return the library that an operator calls ``name``, in whatever case.

    Raises:
        ConfigError: There is none; the message names those there are.
    """
    known = resolved(run_dir).libraries
    for one in known:
        if one.name.casefold() == name.casefold():
            return one
    names = ", ".join(repr(one.name) for one in known)
    raise ConfigError(f"LIBRARY: expected one of {names}, got {name!r}")


def numbers(run_dir: RunDir) -> Numbers:
    """Return the numbers of the replicas of each library; those of a start if none runs."""
    known, found = resolved(run_dir), record.read(run_dir)
    return found.numbers(known) if found else first_numbers(known)
