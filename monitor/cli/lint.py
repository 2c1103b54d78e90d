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
    from monitor.cli import output
    from monitor.config import DEFAULT_FILE, load_config
    from monitor.rulecases import load_cases
    from monitor.rules import load_rules
    from monitor.sources.file import FileSource

    settings = load_config(config)
    for source in settings.sources:
        reader = source.build()
        source.build_format()
        if isinstance(reader, FileSource) and (unmatched := reader.unmatched()):
            waits = "it is waited for" if reader.follow else "monitor run stops there"
            output.note(f"warning: source {source.name}: {unmatched.message}; {waits} ({unmatched.hint})")
    chosen = load_rules(rules or settings.rules)
    cases = sum(len(load_cases(rule.path)) for rule in chosen if rule.path)
    if config is None and not Path(DEFAULT_FILE).exists():
        print(f"there is no {DEFAULT_FILE} here: the defaults hold, and the rules are checked")
    what = ((len(settings.sources), "source"), (len(chosen), "rule"), (cases, "case"))
    print(f"fine: {', '.join(output.counted(number, name) for number, name in what)}")
    for rule in chosen:
        print(
            f"  {rule.name} {rule.identity} check {rule.check} rate {rule.sample.rate:g}"
            + ("" if rule.enabled else " (off)")
        )
