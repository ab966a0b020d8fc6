"""The studio: author, watch and poke walking bipeds in the browser.

A studio is a page that several browsers may watch. A core without any page (:mod:`footfall.studio.core`) holds the
walker and does everything that can be done; one thread owns its simulation. It reports what happens through events. A
scene draws it (:mod:`footfall.studio.scene`) and panels of widgets let people change it (:mod:`footfall.studio.panels`,
:mod:`footfall.studio.widgets`). A server (:mod:`footfall.studio.server`) tells every page what changes and hears what
people do, in typed messages (:mod:`footfall.studio.messages`); the page itself is in ``footfall/studio/page``.
"""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
