"""3LP: human-like walking in closed form (Faraji and Ijspeert 2018), for one walker or a hundred thousand.

A :class:`Person` of any height and mass and a :class:`Walk` (speed, frequency, double support, ground, style) give a
:class:`Gait`; :func:`record_walk` lets it walk, with pushes, changes and turns, and :func:`walk_motion` makes a
motion of it. :class:`Crowd` walks many at once on a device. Nothing is integrated: each state follows from the last
in closed form.
"""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
