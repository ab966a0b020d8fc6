"""What is fuzzed: good files of every kind that footfall reads, and what is done with each.

A controller that parses is also built and run for some steps, if the kernel that it needs is compiled already; a figure
is posed. Nothing is compiled.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np

from footfall.control.kind import Controller
from footfall.control.registry import law_of, load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.controller import parse_tracking, print_tracking
from footfall.motion import load_motion, load_periodic, periodic_motion, save_motion, save_periodic
from footfall.motion.motion import Motion
from footfall.push import parse_push
from footfall.simulation import Record, Simulation
from footfall.terrain import parse_terrain
from tests.figures.adoption.disguise import disguised
from tests.fuzz import options
from tests.fuzz.mutation import Mistakes, mutated
from tests.fuzz.outcomes import REFUSED, SKIPPED, TAKEN

__all__ = ["KINDS", "Subject", "attempt", "content_of", "subjects"]

STEPS = 20
LIBRARY = Path(__file__).parents[2] / "src" / "footfall"
ROOMS = tuple(LIBRARY / "methods" / name for name in ("simbicon", "limit_cycle", "tracking"))
MOCAP = Path(__file__).parents[3] / "shared" / "data" / "mocap"
LARGEST_CLIP = 25_000
"""Bytes of a real clip: larger ones are mostly frames."""
BINARY = (".npz", ".glb", ".c3d")


@dataclass(frozen=True)
class Subject:
    """A good file and what is done with it.

    Attributes:
        name: of the file. content: its bytes. use: what is done with the changed file.
        mistakes: what is changed in it.
        beside: other files that it needs, by name.
    """

    name: str
    content: bytes
    use: Callable[[Path], str]
    mistakes: Mistakes = "text"
    beside: Mapping[str, bytes] = field(default_factory=dict)


def content_of(subject: Subject, seed: str) -> bytes:
    """A file with mistakes; the same for the same seed."""
    return mutated(subject.content, random.Random(seed), subject.mistakes)


def attempt(subject: Subject, content: bytes, folder: Path) -> str:
    """Use a file: TAKEN, REFUSED in one line, or SKIPPED for want of a kernel. Anything else is an exception."""
    for name, beside in subject.beside.items():
        (folder / name).write_bytes(beside)
    path = folder / subject.name
    path.write_bytes(content)
    try:
        return subject.use(path)
    except FootfallError as error:
        if not str(error) or "\n" in str(error):
            raise AssertionError(f"a refusal is one line, not {error!s:.300}") from error
        return REFUSED


# -- controllers ---------------------------------------------------------------------------------------------------


_figure = cache(Figure.load)
"""Read once: controllers name built-in ones."""


def _key(controller: Controller) -> tuple[object, ...]:
    """What a kernel depends on."""
    figure = _figure(controller.figure)
    ground, integration = controller.ground, controller.integration
    law = law_of(controller, figure)
    return law.kernel_key, figure.name, ground and ground.law, integration and integration.integrator


@cache
def _compiled() -> frozenset[tuple[object, ...]]:
    """Keys of the kernels of built-in controllers: others would take too long to compile."""
    files = [path for room in ROOMS for path in sorted((room / "library").glob("*.toml"))]
    return frozenset(_key(load_controller(path)) for path in files)


def _run(path: Path) -> str:
    controller = load_controller(path)
    if _key(controller) not in _compiled():
        return SKIPPED
    simulation = Simulation(controller, figure=_figure(controller.figure), record=Record(), threads=1)
    simulation.step(STEPS)
    simulation.outcome().summary(0)
    return TAKEN


def _of_library(*names: str) -> tuple[Subject, ...]:
    files = {path.stem: path for room in ROOMS for path in (room / "library").glob("*.toml")}
    return tuple(Subject("controller.toml", files[name].read_bytes(), _run) for name in names)


@cache
def controllers() -> tuple[Subject, ...]:
    """Planar ones that have most of the keys."""
    return _of_library("walk", "run", "back-flip", "stand", "sure-footed-walk", "ground-sight-walk")


@cache
def spatial() -> tuple[Subject, ...]:
    """Controllers of figures in space, whose kernels take longer to load."""
    return _of_library("walk-3d", "sturdy-walk-3d", "human-walk", "bird-run")


@cache
def tracking() -> tuple[Subject, ...]:
    """The first two steps of the built-in one."""
    whole = parse_tracking((LIBRARY / "methods/tracking/library/tracked-walk.toml").read_text(encoding="utf-8"))
    steps = [replace(step, successor=1 - k) for k, step in enumerate(whole.repertoire.fragments[:2])]
    short = replace(whole, repertoire=replace(whole.repertoire, fragments=tuple(steps)))
    return (Subject("controller.toml", print_tracking(short).encode(), _run),)


# -- figures -------------------------------------------------------------------------------------------------------


def _pose(path: Path) -> str:
    figure = Figure.load(path)
    assert np.isfinite(figure.default_qpos).all()
    assert np.isfinite(figure.standing_qpos()).all()
    figure.body_parameters([f"{figure.torso}*1.1"])
    assert len(figure.roles) >= 0
    _ = figure.sides, figure.mirror_dofs if figure.legs else None
    return TAKEN


@cache
def figures() -> tuple[Subject, ...]:
    """The built-in ones as MJCF."""
    folder = LIBRARY / "figures" / "library"
    return tuple(
        Subject("figure.xml", (folder / name).read_bytes(), _pose)
        for name in ("planar-biped.xml", "human-28.xml", "mocap-biped.xml")
    )


@cache
def bones() -> tuple[Subject, ...]:
    """The built-in ones as bones."""
    folder = LIBRARY / "figures" / "library"
    human = (folder / "human.bones").read_bytes()
    return (
        Subject("figure.bones", human, _pose),
        Subject("figure.bones", (folder / "robo-bird.bones").read_bytes(), _pose),
        Subject("figure.bones", (folder / "human-12.bones").read_bytes(), _pose, beside={"human.bones": human}),
    )


@cache
def strangers() -> tuple[Subject, ...]:
    """Bodies in other people's conventions, and what overrules the findings."""
    spec = disguised(Figure.load("human-28"), 1).spec
    spec.compile()
    human = spec.to_xml().encode()
    robot = (Path(__file__).parents[1] / "figures" / "adoption" / "small_robot.urdf").read_bytes()
    beside = (
        b'up = "z"\nforward = "x"\nsoles = [-0.05, 0.1, 0.06, 0.04]\nweld = ["a3", "b3"]\n[torque_limits]\n"a*" = 20\n'
    )
    return (
        Subject("stranger.xml", human, _pose),
        Subject("small.urdf", robot, _pose),
        Subject("small.footfall.toml", beside, _overrule, beside={"small.urdf": robot}),
    )


def _overrule(path: Path) -> str:
    return _pose(path.with_name("small.urdf"))


# -- terrains ------------------------------------------------------------------------------------------------------


def _stand_on(path: Path) -> str:
    return _stand(str(path))


def _stand(words: str) -> str:
    terrain = parse_terrain(words)
    x = np.linspace(-5.0, 50.0, 30)
    assert np.isfinite(terrain.height(x, 0.0)).all()
    assert np.isfinite(terrain.normal(x, 0.3)).all()
    _ = terrain.grid() if terrain.kind == "grid" else terrain.profile()
    return TAKEN


def _words(path: Path) -> str:
    return _stand(path.read_text(encoding="utf-8", errors="replace"))


def _push(path: Path) -> str:
    parse_push(path.read_text(encoding="utf-8", errors="replace")).rows(1)
    return TAKEN


@cache
def terrains() -> tuple[Subject, ...]:
    """Words, profiles and pictures; and pushes, which are words too."""
    import io

    from PIL import Image

    pictures = []
    for mode, size in (("L", (8, 6)), ("I;16", (5, 5))):
        picture = io.BytesIO()
        Image.new(mode, size, 90).save(picture, "png")
        pictures.append(Subject("ground.png", picture.getvalue(), _stand_on, mistakes="bytes"))
    words = (
        "slope:6,2,100 steps:0.05,0.6,20,2 stairs:0.15,0.3,10,1,2 random-steps:0.05,0.4,50,3,2 flat upward downward"
        " heightfield:ground.png,10,5,0.3,-1,-2"
    )
    profile = (LIBRARY / "terrain" / "library" / "upward.csv").read_bytes()
    beside = {"ground.png": pictures[0].content}
    return (
        *(Subject("words.txt", word.encode(), _words, beside=beside) for word in words.split()),
        *(Subject("words.txt", word, _push) for word in (b"600@5:0.1", b"0,340,0@8:0.4@torso")),
        *(Subject(f"ground.{suffix}", profile, _stand_on) for suffix in ("csv", "txt")),
        *pictures,
    )


# -- motions -------------------------------------------------------------------------------------------------------


def _move(path: Path) -> str:
    motion = load_motion(path)
    assert isinstance(motion, Motion)
    assert np.isfinite(motion.positions()).all()
    return TAKEN


def _move_amc(path: Path) -> str:
    return _move(path.with_suffix(".amc"))


def _cycle(path: Path) -> str:
    load_periodic(path)
    return TAKEN


@cache
def motions() -> tuple[Subject, ...]:
    """A short walk in every format, and real clips where there are some."""
    import tempfile

    from tests.motion.test_amc_c3d import AMC, ASF, c3d_bytes
    from tests.motion.test_markers import standing, trc_text
    from tests.motion.test_more_formats import deepmimic_walk
    from tests.motion.walks import walk

    found = [
        Subject("clip.trc", trc_text(*standing(frames=3)).encode(), _move),
        Subject("clip.amc", AMC.encode(), _move, beside={"clip.asf": ASF.encode()}),
        Subject("clip.asf", ASF.encode(), _move_amc, beside={"clip.amc": AMC.encode()}),
        *(Subject("clip.c3d", c3d_bytes(order=order), _move, mistakes="bytes") for order in (84, 85, 86)),
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for suffix in (".bvh", ".csv", ".npz", ".glb", ".gltf"):
            save_motion(walk(0.1), folder / f"clip{suffix}")
        save_motion(deepmimic_walk(5), folder / "clip.txt")
        save_periodic(periodic_motion(walk(4.0, fps=30)), folder / "clip.toml")
        for path in sorted(folder.iterdir()):
            use = _cycle if path.suffix == ".toml" else _move
            found.append(Subject(path.name, path.read_bytes(), use, "bytes" if path.suffix in BINARY else "text"))
    return (*found, *_clips())


def _clips() -> list[Subject]:
    """Real clips, those that are not large."""
    kinds = (".bvh", ".c3d", ".trc", ".glb", ".gltf", ".csv", ".npz")
    files = sorted(path for path in MOCAP.rglob("*") if path.suffix in kinds) if MOCAP.is_dir() else []
    return [
        Subject(f"clip{path.suffix}", path.read_bytes(), _move, "bytes" if path.suffix in BINARY else "text")
        for path in files
        if path.stat().st_size <= LARGEST_CLIP
    ]


# -- the rest ------------------------------------------------------------------------------------------------------


@cache
def texts() -> tuple[Subject, ...]:
    """Other files that people write: sequences, scripts of trials, perturbations, goals of searches."""
    library = LIBRARY / "methods" / "limit_cycle"
    script = (library / "scripts" / "human-walk-trials.script").read_bytes()
    perturbation = sorted((library / "perturbations").glob("*.toml"))[0].read_bytes()
    goal = (LIBRARY / "study/gaits/goals/walk-3d.toml").read_bytes()
    return (
        Subject("some.sequence", b"walk 5, skipping 8\nwalk 4  # and on\n", options.use_sequence),
        Subject("some.script", script, options.use_script),
        Subject("some.toml", perturbation, options.use_perturbation),
        Subject("some.toml", goal, options.use_goal),
    )


@cache
def arguments() -> tuple[Subject, ...]:
    """Options of simulations, with other numbers."""
    return (Subject("options.toml", options.OPTIONS.encode(), options.simulate, "numbers"),)


KINDS: dict[str, tuple[Callable[[], tuple[Subject, ...]], int]] = {
    "controller": (controllers, 11),
    "spatial": (spatial, 3),
    "tracking": (tracking, 2),
    "figure": (figures, 12),
    "stranger": (strangers, 5),
    "bones": (bones, 8),
    "terrain": (terrains, 34),
    "motion": (motions, 25),
    "text": (texts, 4),
    "options": (arguments, 4),
}
"""Good files of a kind, and how many of a hundred are of it."""


def subjects(kind: str) -> tuple[Subject, ...]:
    """The good files of a kind."""
    return KINDS[kind][0]()
