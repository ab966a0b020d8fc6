"""Other bodies and grounds for one walk (Data-Driven Biped Control, section 5 and figure 7).

The paper says that its walk is stable under all of them with the same reference and gains. What the authors' programs
do: 15 kg are added to the left shin; legs are 21 cm longer or shorter in thigh and shin each, the reference's pelvis is
raised or lowered by as much and its distance over the ground stays; short legs come with the whole weight and with half
of it; one leg is 1 cm shorter in thigh and shin. Short legs and the uneven ones walk with friction 2 and a swing foot
that is lifted by 4 cm. They used three clips, and runs of 10 s.

Here all variations share one clip, one set of gains, and the clip's friction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from footfall.figures import Figure
from footfall.methods.tracking.controller import TrackingController
from footfall_reproductions.data_driven.figure_5 import fitted_to
from footfall_reproductions.tables import paper_table


@dataclass(frozen=True)
class Variation:
    """A condition under which the walk is tried.

    Attributes:
        what: its description.
        body: edits of bodies, as a command line takes them.
        terrain: its name.
        friction: as a share of the walk's own.
    """

    what: str
    body: Sequence[str] = ()
    terrain: str = "flat"
    friction: float = 1.0

    @property
    def name(self) -> str:
        """Short, lower case, with hyphens."""
        return self.what.replace(" %", "").replace(",", "").replace(" ", "-").lower()

    def figure(self, walk: TrackingController) -> Figure:
        """The walk's figure with this body."""
        own = Figure.load(walk.figure)
        return own.with_body_parameters(own.body_parameters(self.body)) if self.body else own

    def controller(self, walk: TrackingController) -> TrackingController:
        """The walk on this body and ground."""
        fitted = fitted_to(walk, self.figure(walk)) if self.body else walk
        return fitted.changed(friction=walk.repertoire.ground.friction * self.friction)


VARIATIONS = tuple(Variation(**variation) for variation in paper_table("data_driven", "variations")["variation"])
"""Figure 7's, and the walk itself."""
