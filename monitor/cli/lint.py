"""``monitor lint``: are configuration and rules valid?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def lint(
    config: Annotated[Path | None, typer.Option(help="monitor.yaml; default: the one in this folder, if any")] = None,
    rules: Annotated[Path | None, typer.Option(help="a folder of rules, or one rule's file")] = None,
) -> None:
    """Check monitor.yaml and the rules without running anything. Exits 2 with file, line, field and remedy."""
    from monitor.config import load_config
    from monitor.rulecases import load_cases
    from monitor.rules import load_rules

    settings = load_config(config)
    for source in settings.sources:
        source.build()
        source.build_format()
    chosen = load_rules(rules or settings.rules)
    cases = sum(len(load_cases(rule.path)) for rule in chosen if rule.path)
    print(f"fine: {len(settings.sources)} sources, {len(chosen)} rules, {cases} cases")
    for rule in chosen:
        print(
            f"  {rule.name} {rule.identity} check {rule.check} rate {rule.sample.rate:g}"
            + ("" if rule.enabled else " (off)")
        )
