"""Watch the conversations of AI data-analytics agents: check a known sample and tell people where answers are wrong."""

from __future__ import annotations

__version__ = "0.1.0"
