"""
Bring a state to the schema that this program knows, from nothing or from any older one.

A newer schema is refused, and so is a database that is not a state. Only one process migrates at a time, in one
transaction: a process that dies meanwhile leaves the state as it was.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, insert, inspect, text

import monitor
from monitor.errors import StoreError
from monitor.store.database import Database
from monitor.store.lock import Lock
from monitor.store.schema import meta

HEAD = "0001"
"""The newest schema version; a test holds it to the newest migration."""
VERSIONS = ("0001",)
MIGRATIONS = Path(__file__).parent / "migrations"
LOCK_SECONDS = 10.0


def version(connection: Connection) -> str | None:
    """The schema version of a state, None for an empty database. Raises StoreError when it is not a state."""
    tables = inspect(connection).get_table_names()
    if "alembic_version" in tables:
        found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        return None if found is None else str(found)
    if tables:
        raise StoreError(
            f"the database holds other tables ({', '.join(sorted(tables)[:3])}) and is no state of conversation-monitor",
            hint="name an empty or new database as state",
        )
    return None


def migrate(database: Database, lock: Lock | None) -> None:
    """
    Create or upgrade the schema where it is needed, under *lock*, which the caller releases.

    Raises StoreError when the schema is newer, or when another process holds the lock for too long.
    """
    if _is_current(database) or not (lock is None or _await_lock(database, lock)):
        return
    database.keep_log()
    with database.write() as connection:
        upgrade(connection)


def upgrade(connection: Connection, target: str = "head") -> None:
    """Run the migrations up to *target* in the transaction of *connection*."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    fresh = version(connection) is None
    command.upgrade(config, target)
    if fresh:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        values = {"created_at": now, "created_by": monitor.__version__}
        connection.execute(insert(meta), [{"key": key, "value": value} for key, value in values.items()])


def _is_current(database: Database) -> bool:
    with database.read() as connection:
        found = version(connection)
    if found is not None and found not in VERSIONS:
        raise StoreError(
            f"the state {database.name} has schema {found} and this program knows up to {HEAD}",
            hint="install the version of conversation-monitor that wrote it, or a newer one",
        )
    return found == HEAD


def _await_lock(database: Database, lock: Lock) -> bool:
    """Whether the lock was got; False when another process migrated the state meanwhile."""
    deadline = time.monotonic() + LOCK_SECONDS
    while not lock.acquire():
        if _is_current(database):
            return False
        if time.monotonic() > deadline:
            raise StoreError(
                f"the state {database.name} has to be migrated and {lock.holder()} uses it",
                hint="stop that process and start again",
            )
        time.sleep(0.05)
    return True
