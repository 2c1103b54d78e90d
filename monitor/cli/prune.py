"""``monitor prune``: forget what is old."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def prune(
    config: Annotated[Path | None, typer.Option(help="monitor.yaml; default: the one in this folder")] = None,
    days: Annotated[
        int | None, typer.Option(min=0, help="keep texts this many days; default: state.texts_days")
    ] = None,
) -> None:
    """Delete texts that are past their time; scores stay.

    Texts are questions, answers, explanations, fragments of conversations and quarantine entries.
    """
    from datetime import UTC, datetime, timedelta

    from monitor.config import load_config
    from monitor.store import Store

    settings = load_config(config)
    kept = settings.state.texts_days if days is None else days
    before = datetime.now(UTC) - timedelta(days=kept)
    with Store.open(settings.state.url, must_exist=True) as store:
        gone = store.prune(texts_before=before, quarantine_before=before, groups_before=before)
    print(
        f"older than {kept} days: {gone.turn_texts} turns' texts, {gone.outcome_texts} explanations, "
        f"{gone.groups} conversations' fragments, {gone.quarantine} quarantine entries deleted"
    )
