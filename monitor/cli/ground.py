"""``monitor ground FILE``: figure by figure, where each comes from."""

from __future__ import annotations

from typing import Annotated, Literal

import typer


def ground(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="records of {id, question, evidence, answer}; - for standard input"),
    ],
    mode: Annotated[
        Literal["strict", "membership"],
        typer.Option(
            help="strict: a value must belong to what the sentence names; membership: it is enough that the evidence has it"
        ),
    ] = "strict",
    as_json: Annotated[bool, typer.Option("--json", help="one record a line: {id, figures: [...]}")] = False,
    every: Annotated[bool, typer.Option("--all", help="name every record that cannot be read")] = False,
) -> None:
    """Show where each figure of an answer comes from. Exits 1 when one comes from nowhere, or belongs elsewhere.

    In the answer [1,374] is grounded, [!1,500] is not, [?564] could not be decided.
    """
    from monitor.cli import grounding

    raise typer.Exit(grounding.run(paths, mode=mode, as_json=as_json, every=every))
