"""What every study of the studio is given and answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from footfall.errors import FootfallError


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a study found, or has found so far.

    Attributes:
        picture: HTML. words: a sentence. rows: a table of plain text, two or more columns.
        controller: the text of a controller that came out; empty for none.
        numbers: what was drawn.
    """

    picture: str = ""
    words: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    controller: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict)


class Progress(Protocol):
    """Takes the fraction done, a few words and what was found so far."""

    def __call__(self, part: float, words: str = "", sketch: Result | None = None) -> None: ...


@dataclass(frozen=True)
class Subject:
    """What is studied.

    Attributes:
        controller: its file's text. setting: that of the studio, as a dictionary.
        drive: how a walker is balanced step by step; None for one that is not.
    """

    controller: str
    setting: Mapping[str, Any]
    drive: Mapping[str, Any] | None = None

    def experiment(self, without: tuple[str, ...] = (), **parts: Any) -> Any:
        """The controller on the studio's terrain, from where that begins, with its friction, gravity and load.

        Args:
            without: numbers that are varied and not held. parts: of the experiment.
        """
        from footfall.clusters.cores import usable_cores
        from footfall.study.sweeps.experiment import Experiment

        held = {"ground.friction": float(self.setting["friction"]), "body.load": float(self.setting["load"])}
        return Experiment(
            self.controller,
            figure=self._figure(),
            terrain=str(self.setting["terrain"]),
            set={name: value for name, value in held.items() if name not in without},
            threads=max(1, usable_cores() - 1),  # the studio needs one
            **parts,
        )

    def unbalanced(self, study: str) -> None:
        """Refuse a walker that is balanced step by step, where a study knows nothing of that."""
        if self.drive is not None:
            raise FootfallError(
                f"{study}: this walker is balanced step by step, which only the push rose and the basin know of; "
                "switch the balance off, or choose a SIMBICON controller"
            )

    def _figure(self) -> str:
        """The MJCF text of the controller's figure under the studio's gravity."""
        import mujoco

        from footfall.control.registry import parse_controller
        from footfall.figures import Figure

        spec = mujoco.MjSpec.from_string(Figure.load(parse_controller(self.controller).figure).xml)
        spec.option.gravity = [0.0, 0.0, -float(self.setting["gravity"])]
        return str(spec.to_xml())
