"""What the system lets this process have open."""

import resource

FILES = 4 * 4096 + 1024
"""Four per connection to a replica (measured), for as many as ZeroMQ is told of, and clients."""


def allow_open_files(wanted: int = FILES) -> int:
    """Raise the limit of open files as far as it goes, at most to ``wanted``; return what it is.

    The usual 1,024 are used up by 250 replicas, of which the others would never be reached.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    best = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft == resource.RLIM_INFINITY or soft >= best:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (best, hard))
    return best
