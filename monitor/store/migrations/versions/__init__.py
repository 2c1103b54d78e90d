"""One module a step, ``r<number>_<what>.py``. A step that is released is never changed."""
