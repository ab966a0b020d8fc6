"""What developers run in a checkout, from its root: ``python -m tools.NAME``. No part of the package."""
