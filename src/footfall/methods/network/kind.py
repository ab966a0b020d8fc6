"""Controllers with networks, as files, commands and the studio know them."""

from collections.abc import Collection
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING

from footfall.control.kind import Abilities, ControllerKind, Description, Knobs, Number, Section
from footfall.control.registry import kind_of

if TYPE_CHECKING:
    from footfall.control.law import Law
    from footfall.figures import Figure
    from footfall.methods.network.controller import NetworkController
    from footfall.methods.network.steered_network import SteeredNetwork

SHOWN = ("goal_speed", "speed", "heading", "side_speed")
"""Numbers that pages show."""
NO_CLIP = "none yet: footfall imitate CLIP --policy FILE --out WALK.toml"


class _Network(ControllerKind):
    laws = ("network",)
    method = "a network"
    library = files("footfall.methods.network") / "library"
    usual = Abilities(live=True)

    def abilities(self, controller: "NetworkController") -> Abilities:
        walks = controller.gaits is not None
        return replace(self.usual, speed=walks, turn=walks)

    def parse(self, text: str, where: str) -> "NetworkController":
        from footfall.methods.network.controller import parse_network

        return parse_network(text, where)

    def print(self, controller: "NetworkController") -> str:
        from footfall.methods.network.controller import print_network

        return print_network(controller)

    def law(self, controller: "NetworkController", figure: "Figure") -> "Law":
        from footfall.methods.network.law import NetworkLaw, ServoNetworkLaw

        return (ServoNetworkLaw if controller.graph is None else NetworkLaw)(controller, figure)

    def check(self, controller: "NetworkController", figure: "Figure", given: Collection[str]) -> None:
        if controller.graph is not None:
            kind_of(controller.graph).check(controller.graph, figure, given)

    def numbers(self, controller: "NetworkController") -> tuple[Number, ...]:
        if controller.gaits is not None:
            low, high = float(controller.gaits.speeds[0]), float(controller.gaits.speeds[-1])
            return (Number("speed", controller.goal_speed, low, high, "Speed (m/s)", about="that it walks or runs at"),)
        if controller.follows:
            return ()  # its speed is the clip's
        about = "the speed that is asked of the network"
        return (Number("goal_speed", controller.goal_speed, 0.0, 2.0, "Asked speed (m/s)", about=about),)

    def with_number(self, controller: "NetworkController", name: str, value: float) -> "NetworkController":
        if name not in {number.name for number in self.numbers(controller)}:
            super().with_number(controller, name, value)
        return replace(controller, goal_speed=float(value))

    def describe(self, controller: "NetworkController", *, draw: bool = False) -> Description:
        sizes, graph = controller.network.sizes, controller.graph
        changed = [f"{what} by up to {amount:g}" for what, amount in controller.correct.items()]
        table = [["what", "value"], ["does", controller.does]]
        table += [["changes", ", ".join(changed)]] if changed else []
        table += [
            ["decides", f"{controller.rate:g} times a second"],
            ["network", f"{' - '.join(map(str, sizes))}, {controller.network.activation}"],
            ["observes", f"{sizes[0]} numbers"],
        ]
        clip = controller.clip_frames
        if controller.gaits is not None:
            speeds = controller.gaits.speeds
            table.append(["gaits", f"{speeds[0]:g} to {speeds[-1]:g} m/s, {speeds.size * controller.gaits.spins.size}"])
        elif controller.follows:
            table.append(["clip", NO_CLIP if clip is None else f"{clip.seconds:.1f} s, {len(clip)} frames"])
            table += [["tether", f"{controller.tether:g} m"]] if controller.tether else []
        blocks = [["observation", "scale", "offset", "limit"]]
        blocks += [
            [", ".join(b.names), f"{b.scale}", f"{b.offset}", f"{b.limit:g}" if b.limit else "none"]
            for b in controller.observations
        ]
        report = [["what", "value"], *([key, str(value)] for key, value in controller.report.items())]
        sections = [Section("observations", blocks)]
        made = "how it was trained" if clip is None else "what was measured"
        sections += [Section(made, report)] if controller.report else []
        data = {key: getattr(controller, key) for key in ("name", "figure", "law", "about", "rate", "goal_speed")}
        data |= {
            "base": graph.name if graph is not None else None,
            "correct": dict(controller.correct),
            "sizes": list(sizes),
        }
        data["clip_seconds"] = None if clip is None else clip.seconds
        data |= {"activation": controller.network.activation, "report": dict(controller.report)}
        data["observations"] = [name for b in controller.observations for name in b.names]
        title = f"{controller.name}: a network that {controller.does}, for {controller.figure}"
        return Description(title, table, data=data, sections=sections)

    def clip_seconds(self, controller: "NetworkController") -> float | None:
        return None if controller.clip_frames is None else controller.clip_frames.seconds

    def knobs(self, law: "Law", controller: "NetworkController", number: int) -> Knobs:
        known = super().knobs(law, controller, number)
        shown = () if controller.follows and controller.gaits is None else SHOWN
        return replace(known, parameters=tuple(p for p in known.parameters if p.path in shown))


class _SteeredNetwork(ControllerKind):
    laws = ("steered-network",)
    method = "captured motion"
    usual = Abilities(run=False, speed=True, turn=True, follow=True, played=True)

    def parse(self, text: str, where: str) -> "SteeredNetwork":
        from footfall.methods.network.steered_network import parse_steered_network

        return parse_steered_network(text, where)

    def print(self, controller: "SteeredNetwork") -> str:
        from footfall.methods.network.steered_network import print_steered_network

        return print_steered_network(controller)

    def law(self, controller: "SteeredNetwork", figure: "Figure") -> "Law":
        return NETWORK.law(self.unsteered(controller), figure)

    def unsteered(self, controller: "SteeredNetwork") -> "NetworkController":
        from footfall.methods.network.steered_network import walked_ahead

        return walked_ahead(controller)

    def describe(self, controller: "SteeredNetwork", *, draw: bool = False) -> Description:
        table = [["clip", "style", "seconds"]]
        table += [[c.name, c.style, f"{(len(c.frames) - 1) / 30.0:.1f}"] for c in controller.clips]
        report = [["what", "value"], *([key, str(value)] for key, value in controller.report.items())]
        data = {key: getattr(controller, key) for key in ("name", "figure", "law", "about")}
        data |= {"policy": controller.policy.name, "clips": [c.name for c in controller.clips]}
        data["report"] = dict(controller.report)
        title = f"{controller.name}: steps of {len(controller.clips)} clips, followed by a network, for "
        sections = [Section("as it was measured when it was made", report)] if controller.report else []
        return Description(title + controller.figure, table, data=data, sections=sections)


NETWORK, STEERED_NETWORK = _Network(), _SteeredNetwork()
