"""The studio: author, watch and poke walking bipeds in the browser.

A studio is a page that several browsers may watch. A core without any page (:mod:`footfall.studio.core`) holds the
walker and does everything that can be done; one thread owns its simulation. It reports what happens through events. A
scene draws it (:mod:`footfall.studio.scene`), panels let people change it (:mod:`footfall.studio.panels`), and the page
they stand on is viser's with footfall's own timeline in it (:mod:`footfall.studio.page`).
"""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
