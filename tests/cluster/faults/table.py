"""The figures of a soak as a table for people."""

from collections.abc import Iterable
from statistics import median

from tests.cluster.faults.report import Report

HEAD = (
    "| fault | calls | failed | wrong | degraded | longest call, s | p50, ms | whole again, s |",
    "|---|---:|---:|---:|---:|---:|---:|---:|",
)


def table(rows: Iterable[tuple[str, Report]]) -> list[str]:
    """Return the lines of a Markdown table."""
    return [*HEAD, *(_row(fault, report) for fault, report in rows)]


def notes(rows: Iterable[tuple[str, Report]]) -> list[str]:
    """Return what else is to be said of each fault, as a list."""
    return [
        f"* {fault}: " + "; ".join(f"{name}: {text}" for name, text in told.items()) + "."
        for fault, report in rows
        if (told := _told(report))
    ]


def _told(report: Report) -> dict[str, str]:
    missing = ", ".join(
        f"{library} {reason} {count}" for (library, reason), count in report.degraded.most_common(3)
    )
    suffered = {"calls that the hurt library failed": str(report.suffered)}
    return {
        **report.notes,
        **({"named in `degraded`": missing} if missing else {}),
        **(suffered if report.suffered else {}),
    }


def _row(fault: str, report: Report) -> str:
    cells = [
        fault,
        f"{report.calls:,}",
        str(len(report.failed)),
        str(len(report.wrong)),
        f"{report.degraded_answers} ({report.degraded_share:.1%})",
        f"{report.longest:.2f}",
        f"{report.p50 * 1000:.0f}",
        f"{median(report.whole):.2f} (at most {max(report.whole):.2f})" if report.whole else "–",
    ]
    return "| " + " | ".join(cells) + " |"
