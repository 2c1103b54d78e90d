"""The history of the state's schema, for alembic. Run by :mod:`monitor.store.migration`, never by hand."""
