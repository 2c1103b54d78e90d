"""``python -m monitor``: the same as ``monitor``."""

from monitor.cli import main

main()
