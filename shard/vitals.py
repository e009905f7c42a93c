"""What a worker tells about itself."""

import os
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(slots=True)
class Vitals:
    """What the server and the keeper know; `DescribeReply` tells it.

    Attributes:
        bound_at: When it bound its endpoint, on the monotonic clock; 0.0 before that.
        restarts: Workers that its keeper forked before it.
    """

    keeper_pid: int = 0
    restarts: int = 0
    bound_at: float = 0.0
    draining: bool = False

    def uptime(self) -> float:
        """Return the seconds since it bound its endpoint."""
        return time.monotonic() - self.bound_at if self.bound_at else 0.0


def resident_bytes() -> int:
    """Return the memory of this process; 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
