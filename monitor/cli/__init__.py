"""
The command line: one file a verb, no logic in it.

Exit codes: 0 fine, 1 something failed a check, 2 the input was wrong, with a hint.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import monitor

VERBS = ("demo", "run", "evaluate", "ground", "explain", "lint", "test", "status", "export", "prune", "schema")


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; exits the process."""
    given = sys.argv[1:] if arguments is None else arguments
    from monitor.errors import MonitorError

    try:
        _app(given)(args=given, standalone_mode=True, prog_name="monitor")
    except MonitorError as error:
        from monitor.cli.output import complain

        complain(error)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _app(given: list[str]):  # type: ignore[no-untyped-def]  # typer is imported here only
    """The typer application; only the verb that is asked for is imported, all of them for help."""
    import typer

    app = typer.Typer(
        name="monitor",
        help="Watch recorded conversations of data-analytics agents: are the figures right, and how often not?",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )

    def common(
        _: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="print the version and exit"),
    ) -> None:
        """Watch recorded conversations of data-analytics agents: are the figures right, and how often not?"""

    app.callback()(common)
    asked = [verb for verb in given if verb in VERBS][:1]
    for verb in asked or VERBS:
        module = import_module(f"monitor.cli.{verb}")
        app.command(name=verb)(getattr(module, verb))
    return app


def _version(asked: bool) -> None:
    if asked:
        print(f"conversation-monitor {monitor.__version__}")
        sys.exit(0)
