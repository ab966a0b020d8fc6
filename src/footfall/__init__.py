"""footfall: physically simulated bipeds that walk.

    import footfall as ff

    simulation = ff.Simulation("walk", pushes=[ff.Push(-300, start=5.0, duration=0.1)], record=ff.Record())
    print(simulation.run(20.0).summary())
    ff.save(simulation.trace().motion(), "walk.html")

These are the names that people start with; the sub-packages hold the rest. Importing the package loads nothing heavy:
a name is loaded when it is first used.
"""

from footfall.lazy import lazy_names

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
