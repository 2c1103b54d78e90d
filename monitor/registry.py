"""
Where formats, sources, checks and sinks are found by name.

One module adds one component: ``monitor/formats/openai_chat.py`` registers ``openai_chat`` by decorator and is
imported only when that name is asked for. Packages outside register the same way through an entry point of
the group ``conversation_monitor.<kind>``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from monitor.errors import ConfigError

T = TypeVar("T")


class Registry(Generic[T]):
    """Classes of one kind by name. *package* holds the built-in modules, named as the components they register."""

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind
        self._package = package
        self._classes: dict[str, type[T]] = {}

    def register(self, name: str) -> Callable[[type[T]], type[T]]:
        """Class decorator that makes the class known as *name*."""

        def decorate(cls: type[T]) -> type[T]:
            self._classes[name] = cls
            return cls

        return decorate

    def get(self, name: str) -> type[T]:
        """The class called *name*, importing its module when needed. Raises ConfigError with the known names."""
        if name not in self._classes:
            self._load(name)
        try:
            return self._classes[name]
        except KeyError:
            known = ", ".join(self.names())
            raise ConfigError(f"unknown {self.kind} {name!r}", hint=f"use one of: {known}") from None

    def names(self) -> list[str]:
        """Every known name, built-in and from entry points, sorted; nothing is imported."""
        package = importlib.import_module(self._package)
        built_in = {
            module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_")
        } - set(getattr(package, "HELPERS", ()))
        outside = {entry.name for entry in entry_points(group=self._group)}
        return sorted(built_in | outside | set(self._classes))

    @property
    def _group(self) -> str:
        return f"conversation_monitor.{self.kind}"

    def _load(self, name: str) -> None:
        if name.isidentifier() and name in self.names():
            for entry in entry_points(group=self._group, name=name):
                self._classes[name] = entry.load()
                return
            importlib.import_module(f"{self._package}.{name}")
