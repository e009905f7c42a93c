"""Programs that end as soon as they are started: what they said last is the reason."""

from collections.abc import Mapping

from common.errors import ConfigError
from deploy.control import Supervisor
from deploy.errors import Failed
from deploy.logs import last_words
from deploy.site import RunDir

_BAD_CONFIGURATION = 2
"""What ours end with when the operator must edit something, and say what."""


def refuse(run_dir: RunDir, labels: Mapping[str, str]) -> None:
    """Pass over nothing that ended: ``labels`` say what to call each program that was started.

    Asking supervisord also makes it begin at once rather than at its next tick.

    Raises:
        ConfigError: A program refuses its configuration.
        Failed: One ended for another reason.
    """
    for program in Supervisor(run_dir.supervisor_socket).programs() or ():
        if program.name in labels and program.has_ended:
            said = last_words(run_dir.logs / f"{program.name}.log")
            error = ConfigError if program.exit_status == _BAD_CONFIGURATION else Failed
            raise error(f"{labels[program.name]}: its process ended at the start: {said}")
