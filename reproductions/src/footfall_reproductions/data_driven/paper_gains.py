"""The paper's clips with its gains (Data-Driven Biped Control, figure 5), read from a table that a person can read."""

from dataclasses import dataclass

from footfall.methods.tracking.repertoire import TrackingGains
from footfall.motion.synthesis.cuts import ClipLoop
from footfall_reproductions.tables import paper_table

PUSH_GAINS = TrackingGains(c1_cor=0.25, c2_sag_behind=1.7, c2_sag_ahead=0.1, c2_cor=0.3, lift=0.04)
"""Figure 5, robustness to pushes, with the authors' lift."""


@dataclass(frozen=True)
class PaperClip:
    """A row of figure 5: the paper's name, the clip's file name, gains, friction, whether the clip is a walk that
    repeats, and the loop that the authors repeat where the best one falls."""

    name: str
    clip: str
    gains: TrackingGains
    friction: float
    walks: bool
    quick_ankle: bool
    loop: ClipLoop | None


def _read() -> dict[str, PaperClip]:
    clips = {}
    for name, row in paper_table("data_driven", "figure-5").items():
        sag, cor, behind, ahead, cor2, c3_sag, c3_cor = row["gains"]
        gains = TrackingGains(
            c1_sag=sag,
            c1_cor=cor,
            c2_sag_behind=behind,
            c2_sag_ahead=ahead,
            c2_cor=cor2,
            c3_sag=c3_sag,
            c3_cor=c3_cor,
            lift=row.get("lift", 0.0),
        )
        walks, quick = row.get("walks", True), row.get("quick_ankle", False)
        loop = ClipLoop(*row["loop"]) if "loop" in row else None
        clips[name] = PaperClip(row["paper"], row["clip"], gains, row.get("friction", 1.0), walks, quick, loop)
    return clips


PAPER_CLIPS = _read()
"""Short name -> row."""
