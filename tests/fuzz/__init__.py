"""Files with mistakes in them: whatever they hold, footfall takes them or refuses them in one line.

    python -m tests.fuzz --count 100000

from the repository's root. ``mutation`` makes mistakes, ``subjects`` has the files and what is done with them,
``workers`` does it in processes of their own, so that a crash is noticed.
"""
