"""``monitor test``: does every rule agree with the cases beside it?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def test(
    config: Annotated[Path | None, typer.Option(help="monitor.yaml; default: the one in this folder, if any")] = None,
    rules: Annotated[Path | None, typer.Option(help="a folder of rules, or one rule's file")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one result a line")] = False,
) -> None:
    """Run the cases beside the rules. Exits 1 when a rule disagrees with one."""
    import asyncio

    from monitor.cli import output
    from monitor.config import load_config
    from monitor.log import printable
    from monitor.rulecases import run_cases
    from monitor.rules import load_rules

    settings = load_config(config)
    results = asyncio.run(run_cases(load_rules(rules or settings.rules), settings.errors))
    wrong = [result for result in results if not result.agreed]
    if as_json:
        for result in results:
            output.json_line(
                {"rule": result.rule, "case": result.case, "agreed": result.agreed, "disagreement": result.disagreement}
            )
    else:
        for result in wrong:
            print(f"{result.rule}: {printable(result.case)}: {printable(result.disagreement, 500)}")
        print(f"{len(results) - len(wrong)} passed, {len(wrong)} failed")
    raise typer.Exit(1 if wrong else 0)
