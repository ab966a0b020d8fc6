"""What each marker of a set is called: Plug-in Gait's labels, and the names that other sets use for the same places.

Known sets: Plug-in Gait (``LASI``), OpenSim's examples (``L.ASIS``, ``L.Knee.Lat``), and sets of gait laboratories
(``LLFC`` and ``LMFC`` for the condyles of the femur, ``LLMAL`` and ``LMMAL`` for the malleoli). Joint centres that a
file brings along (``LHJC``, ``LKJC``, ``LAJC``) count too.
"""

import re
from collections.abc import Mapping, Sequence

_SIDED: Mapping[str, tuple[str, ...]] = {
    "ASI": ("ASI", "ASIS"),
    "PSI": ("PSI", "PSIS"),
    "THI": ("THI", "THIGH", "THIGHUPPER"),
    "KNE": ("KNE", "KNEE", "KNEELAT", "KNEELATERAL", "LFC", "LKNE", "LEK"),
    "KNM": ("KNM", "KNEEMED", "KNEEMEDIAL", "MFC", "MKNE", "MEK"),
    "TIB": ("TIB", "SHANK", "SHANKUPPER"),
    "ANK": ("ANK", "ANKLE", "ANKLELAT", "ANKLELATERAL", "LMAL", "LANK"),
    "ANM": ("ANM", "MED", "ANKLEMED", "ANKLEMEDIAL", "MMAL", "MANK"),
    "HEE": ("HEE", "HEEL", "CAL", "CALC"),
    "TOE": ("TOE", "TOETIP", "MT2", "TOEMID", "MT1"),
    "SHO": ("SHO", "SHOULDER", "ACROMIUM", "ACROMION", "ACR"),
    "ELB": ("ELB", "ELBOW", "ELBOWLAT", "LEL"),
    "WRA": ("WRA", "WRIST", "WRISTLAT", "WRI"),
    "WRB": ("WRB", "WRISTMED"),
    "FIN": ("FIN", "FINGER", "HAND"),
    "FHD": ("FHD",),
    "BHD": ("BHD",),
    "HJC": ("HJC",),
    "KJC": ("KJC",),
    "AJC": ("AJC",),
}
_CENTRE: Mapping[str, tuple[str, ...]] = {
    "SACR": ("SACR", "SACRUM", "VSACRAL", "SACRAL"),
    "C7": ("C7",),
    "T10": ("T10",),
    "CLAV": ("CLAV", "CLAVICLE", "SJN"),
    "STRN": ("STRN", "STERNUM"),
    "HEAD": ("TOPHEAD", "HEAD", "TOPOFHEAD"),
}


def find_labels(names: Sequence[str]) -> dict[str, int]:
    """Index of the marker at each place, by Plug-in Gait's labels: ``LASI``, ``RKNE``, ``C7``, and ``LKNM``, ``LANM``,
    ``LHJC`` … beside them. A subject's name before a colon is skipped."""
    plain: dict[str, int] = {}
    for k, name in enumerate(names):
        plain.setdefault(re.sub(r"[^A-Z0-9]", "", name.rsplit(":", 1)[-1].upper()), k)
    found: dict[str, int] = {}
    for label, words in _SIDED.items():
        for side in "LR":
            long = "LEFT" if side == "L" else "RIGHT"
            tries = [f"{start}{word}" for word in words for start in (side, long)]
            tries += [f"{word}{side}" for word in words if len(word) > 3]
            hit = next((plain[word] for word in tries if word in plain), None)
            if hit is not None:
                found[f"{side}{label}"] = hit
    for label, words in _CENTRE.items():
        hit = next((plain[word] for word in words if word in plain), None)
        if hit is not None:
            found[label] = hit
    return found
