"""The documentation as a website: what ``docs/conf.py`` adds to Sphinx. ``make docs`` builds it in build/site."""
