"""Where outcomes go: each module speaks to one kind of reader. The durable ones write through :mod:`monitor.store`."""
