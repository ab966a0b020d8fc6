"""A session: the walker, the controllers and the past, without any page.

Everything that can be done in a studio is done here, in the one thread that owns the simulation. Panels call its
methods through :meth:`Session.act` and learn what happened from its events. Its world says what can be done with the
walker (``session.world.can``).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.studio.core.background import (
    Advanced,
    Background,
    DocumentChanged,
    Events,
    LibraryChanged,
    NumbersChanged,
    RealTimeLoop,
    Restarted,
    Rewound,
    TerrainChanged,
    Turned,
    WorldChanged,
)
from footfall.studio.core.history import History, Tracks
from footfall.studio.core.library import Bodies, Document, Library
from footfall.studio.core.making import first_world, make_world, world_of
from footfall.studio.core.posing import Posing
from footfall.studio.core.setting import Setting
from footfall.studio.core.world import World

Array = NDArray[np.float64]
Change = Callable[[Any], Controller]


class Session(Background):
    """What a studio holds.

    Args:
        controller: the controller that walks first, its name, its file or itself; None for the default one.
        folder: where controllers are saved, and looked for; None for nowhere.
        figure: on which that controller walks, by name or file; None for its own.
        stand: whether the walker stands where it has to be compiled first (:func:`.making.load_soon`).

    Attributes:
        events: what happens here.
        loop: the thread that owns the simulation.
        library: the controllers.
        bodies: the figures.
        document: the one being edited.
        world: what is simulated.
        history: what it did.
        tracks: where it was.
        selected: the number of the state being edited.
        posing: whether that state's pose is drawn with handles.
        hands: of pages that turn its joints.
        looking: a moment of the past that is shown instead of the present; None for the present.
        message: what was said last.
    """

    def __init__(
        self,
        controller: str | Path | Controller | None = None,
        folder: Path | None = None,
        figure: str | None = None,
        *,
        stand: bool = False,
    ) -> None:
        super().__init__()
        self.events = Events()
        self.library, self.bodies = Library(folder), Bodies(folder)
        self.history = History()
        self.selected, self.posing, self.ghosting = 0, False, False
        self.looking: float | None = None
        self.message, self.hands = "", Posing(self)
        self.document, self.world = first_world(self.library, controller, figure, stand=stand)
        self.setting = self.world.setting
        self.tracks = Tracks(self.world.figure)
        self.before_advance: list[Callable[[], None]] = []
        self._active = self.world.where()[0]
        self._compiling = False
        self.loop = RealTimeLoop(self._advance, lambda: self.events.emit(Turned()), self.fail)

    # -- the world -------------------------------------------------------------------------------------------------

    @property
    def controller(self) -> Controller:
        return self.document.controller

    @property
    def states(self) -> tuple[Any, ...]:
        """The states of the controller being edited; none where it has none that can be edited."""
        return tuple(getattr(self.controller, "states", ())) if self.world.can.edit else ()

    @property
    def planar(self) -> bool:
        return self.world.figure.root == "planar"

    def open(self, name: str) -> None:
        """Walk under another controller, from its start. A figure that is new here is compiled while the old one walks
        on."""
        setting = self.setting.changed(place=(0.0, 0.0, 0.0), heading=0.0)

        def make() -> tuple[Document, World]:
            document = self.library.document(name)
            return document, world_of(self.library, document, setting)

        words = f"Preparing {name}; a new figure or law is compiled once, about half a minute for a human"
        self.in_background("open", make, lambda made: self.enter(*made), words=words)

    def enter(self, document: Document, world: World) -> None:
        """Go on in another world, under another controller."""
        figure = world.figure.xml != self.world.figure.xml
        self.document, self.world, self.selected = document, world, 0
        self.posing = self.posing and world.can.edit
        self.setting = world.setting
        self._forget()
        self.events.emit(WorldChanged(figure))
        self.events.emit(Restarted())
        self.events.emit(DocumentChanged())

    def _forget(self) -> None:
        """Another walk begins: forget the one before."""
        self.looking = None
        self._active = self.world.where()[0]
        self.history.clear()
        self.tracks = Tracks(self.world.figure)

    def change_setting(self, **parts: Any) -> None:
        """Change terrain, friction, gravity or load while it walks. Terrain begins ahead of the walker, along its
        heading."""
        if "terrain" in parts:
            qpos = self.world.state["qpos"][0]
            x, y = float(qpos[0]), 0.0 if self.planar else float(qpos[1])
            parts["place"] = (x, y, float(self.world.simulation.terrains[0].height(x, y)))
            parts["heading"] = self.world.heading
        setting = self.setting.changed(**parts)
        if setting.turned == self.setting.turned:
            self._enter_setting(setting, "terrain" in parts)
            return
        words = "Compiling for terrain along another heading, once; the walker walks on meanwhile"
        self.prepared(lambda: self._enter_setting(setting, True), words, setting=setting)

    def _enter_setting(self, setting: Setting, terrain: bool) -> None:
        self.world.change_setting(setting)
        self.setting = setting
        if terrain:
            self.events.emit(TerrainChanged())

    # -- editing ---------------------------------------------------------------------------------------------------

    def edit(self, change: Change, what: str = "", select: int | None = None, **options: float) -> None:
        """Change the controller; it acts at once.

        A change that needs another kernel (more states than there is room for) is compiled while the walker walks on.

        Args:
            change: makes the new version of the present one.
            what: names the edit; those of one name that follow each other closely make one version.
            select: the state to be edited from then on.
        """
        try:
            controller = change(self.controller)
        except FootfallError:
            self.events.emit(NumbersChanged())  # controls that show what was refused return to what is
            raise
        if controller == self.controller:
            return
        if not self.world.needs_kernel(controller):
            self._put(controller, what, select, **options)
            return
        if self._compiling:
            raise FootfallError("another change is still being compiled; try again in a few seconds")
        document, self._compiling = self.document, True

        def ended() -> None:
            self._compiling = False

        def enter() -> None:
            if document is self.document:
                self._put(change(self.controller), what, select, **options)
                self.say("Compiled", "the change is in force")

        words = "Compiling this change; the walker walks on meanwhile"
        self.prepared(enter, words, ended, controller=controller)

    def prepared(
        self, enter: Callable[[], None], words: str, after: Callable[[], None] | None = None, **new: Any
    ) -> None:
        """Compile what a change of the world needs (:meth:`World.prepare`) while the walker walks on, then ``enter``,
        unless another world was entered meanwhile. ``words`` and ``after`` are as in :meth:`in_background`."""
        world = self.world

        def go_on(_: None) -> None:
            if world is self.world:
                enter()

        self.in_background("compile", lambda: world.prepare(**new), go_on, after, words)

    def _put(self, controller: Controller, what: str, select: int | None, **options: float) -> None:
        before = self.controller
        self.world.edit(controller)
        self.document.edit(controller, what, **options)
        self._show_edit(before, select)

    def _show_edit(self, before: Controller, select: int | None = None) -> None:
        wanted = self.selected if select is None else select
        moved = wanted != self.selected
        self.selected = max(0, min(wanted, len(self.states) - 1))
        structure = moved or (self.world.can.edit and _structure(self.controller) != _structure(before))
        self.events.emit(DocumentChanged() if structure else NumbersChanged())

    def select(self, index: int) -> None:
        if index != self.selected and 0 <= index < len(self.states):
            self.selected = index
            self.events.emit(DocumentChanged())

    def undo(self) -> None:
        self._travel(self.document.undo)

    def redo(self) -> None:
        self._travel(self.document.redo)

    def _travel(self, go: Callable[[], bool]) -> None:
        before = self.controller
        if go():
            self.world.edit(self.controller)
            self._show_edit(before)

    def save(self, name: str) -> None:
        """Write the controller into the library's folder; the walk goes on. A new name makes a new controller."""
        document, path = self.library.save(self.document, name)
        self.say("Saved", str(path))
        if document is not self.document:
            self.document = document
            self.world.adopt(self.library.together(document.name))
            self._active = self.world.where()[0]
            self.events.emit(WorldChanged(False))
            self.events.emit(LibraryChanged())
        self.events.emit(DocumentChanged())

    def take(self, text: str) -> None:
        """Walk under a controller that was made here, as its file's text; it is saved when somebody does so."""
        self.uploaded(self.library.take(text))

    def uploaded(self, document: Document) -> None:
        """Walk under a controller that was uploaded."""
        self.say("Loaded", document.name)
        self.events.emit(LibraryChanged())
        self.open(document.name)

    # -- time ------------------------------------------------------------------------------------------------------

    def _advance(self, seconds: float) -> None:
        world = self.world
        if world.standing:
            return
        if world.diverged:
            self.loop.playing = False
            self.say("The simulation diverged", f"at {world.time:.3f} s; go back in time, or reset", bad=True)
            return
        self.looking = None
        for act in self.before_advance:
            act()
        fell = world.fell_at
        samples = world.advance(seconds)
        self.history.append(samples)
        self.tracks.append(samples, world.simulation.terrains[0], until=world.fell_at)
        if not world.diverged:
            self.history.remember(world.time, world.snapshot)
        if fell is None and world.fell_at is not None:
            self.message = f"fell at {world.fell_at:.2f} s"
        self._follow_active()
        self.events.emit(Advanced(seconds))

    def _follow_active(self) -> None:
        """The editor shows the controller that drives the walker."""
        name = self.world.where()[0]
        if name != self._active:
            self._active = name
            if self.document.name != name and name in self.library.names:
                self.document, self.selected = self.library.document(name), 0
            self.events.emit(DocumentChanged())

    def play(self, playing: bool) -> None:
        """Let time pass, or stop it. Where the past is shown, the walk goes on from there."""
        if playing and self.looking is not None:
            self.resume_here()
            return
        self.loop.play(playing)

    def step(self, seconds: float = 1 / 60) -> None:
        """Pause, and advance by one frame, through the past where that is shown."""
        if self.looking is not None:
            self.skip(seconds)
            return
        self.loop.playing = False
        self._advance(seconds)

    def reset(self) -> None:
        if self.world.standing:
            return
        moved = self.setting.place != (0.0, 0.0, 0.0)
        setting = self.setting.changed(place=(0.0, 0.0, 0.0), heading=0.0)
        self.world = world_of(self.library, self.document, setting, self.world.drive)
        self.setting = self.world.setting
        self._forget()
        self.loop.lost = 0.0
        self.events.emit(Restarted())
        if moved:
            self.events.emit(TerrainChanged())

    def look_at(self, time: float) -> None:
        """Pause, and show a moment of the past; the newest moment is the present."""
        self.loop.playing = False
        if len(self.history) == 0 or time >= self.history.end - 1e-9:
            self.looking = None
        else:
            self.looking = max(self.history.begin, time)

    def skip(self, seconds: float) -> None:
        """Pause, and go through time from the moment that is shown."""
        self.look_at((self.history.end if self.looking is None else self.looking) + seconds)

    def resume_here(self) -> None:
        """Forget what came after the moment that is shown, and walk on from there."""
        if self.looking is not None:
            found = self.history.rewind(self.looking)
            if found is None:
                raise FootfallError("nothing to continue from was kept that far back; reset instead")
            self.world.restore(found[1])
            self.tracks.rewind(found[0])
            self.looking = None
            self._active = self.world.where()[0]
            self.events.emit(Rewound(found[0]))
        self.loop.play(True)


def _structure(controller: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What an editor's rows depend on: the states with their names and joints."""
    return tuple((state.name, tuple(state.targets)) for state in getattr(controller, "states", ()))


THIS = "this controller"
"""What a gait may begin from, besides sketches."""


def walk_on(session: Session, body: str, height: float | None = None, mass: float | None = None) -> None:
    """Walk on another body, or on one of another size, with the controller scaled to it.

    Args:
        session: whose controller.
        body: its name among the session's bodies.
        height: metres.
        mass: kilograms; both as they are where None. A body of another size is kept in the folder.
    """
    controller: Any = session.controller
    bodies, library = session.bodies, session.library

    def make() -> tuple[Document, World, tuple[str, ...]]:
        from footfall.figures.scaling import scaled_figure
        from footfall.study.adaptation.fitting import fit_controller

        name, figure = body, bodies.load(body)
        if height is not None or mass is not None:
            size = f"{height:g}m" if height is not None else f"{mass:g}kg"
            figure = scaled_figure(figure, height=height, mass=mass, name=f"{figure.name}-{size}")
            name = bodies.save(figure)
        fitted = fit_controller(controller, figure, figure_name=bodies.source(name))
        made = library.add(fitted.controller.changed(name=library.free_name(fitted.controller.name)))
        return made, make_world(library.together(made.name), figure, Setting()), fitted.notes

    def enter(made: tuple[Document, World, tuple[str, ...]]) -> None:
        document, world, notes = made
        session.enter(document, world)
        session.events.emit(LibraryChanged())
        more = "if it falls, Adapt under Stress searches until it walks"
        session.say(f"{controller.name}, scaled to {world.figure.name}", "; ".join((*notes, more)))

    session.in_background("body", make, enter, words=f"Preparing {body}; a new body is compiled once")


def begin_gait(session: Session, sketch: str, name: str) -> None:
    """Begin a gait under a name of its own, saved in the folder, and walk under it.

    Args:
        session: that it walks in.
        sketch: one of footfall's, or :data:`THIS`.
        name: of the new controller.
    """
    from footfall.control.registry import kind_of
    from footfall.study.trials.starts import load_any_graph

    if name in session.library.names:
        raise FootfallError(f"new gait: there is a controller '{name}' already; choose another name")
    first: Any = session.controller if sketch == THIS else load_any_graph(sketch)
    document = session.library.add(kind_of(first).named(first, name))
    try:
        session.library.save(document, name)
    except (FootfallError, OSError):
        del session.library.documents[name]
        raise
    session.uploaded(document)
