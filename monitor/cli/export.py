"""``monitor export``: tables as Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    folder: Annotated[Path, typer.Argument(help="where the Parquet files go; made when missing")],
    config: Annotated[Path | None, typer.Option(help="monitor.yaml; default: the one in this folder")] = None,
    texts: Annotated[bool, typer.Option("--texts", help="also questions, answers and explanations")] = False,
) -> None:
    """Write the tables of the state as Parquet.

    live_scores and the others, readable by pandas, DuckDB and BigQuery.
    """
    from monitor import export as exporting
    from monitor.cli import output
    from monitor.config import load_config
    from monitor.store import Store

    with Store.open(load_config(config).state.url, must_exist=True) as store:
        for name, rows in exporting.export(store, folder, texts=texts).items():
            print(f"{name}: {output.counted(rows, 'row')}")
