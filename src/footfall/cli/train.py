"""``footfall train``: train a network that corrects a controller."""

import ast
import json as json_text
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from footfall.cli.arguments import Files, MaybeFloat, Offers, Words
from footfall.cli.printing import check_files, print_files, print_json, progress
from footfall.errors import FootfallError, unknown_name
from footfall.text_files import write_whole

if TYPE_CHECKING:
    from footfall.learning.options import Options
    from footfall.learning.training import Trained
    from footfall.methods.network.multilayer import Network


def _ids() -> list[str]:
    from footfall.gym.registration import IDS

    return [made.id.removeprefix("footfall/") for made in IDS if made.options["action"] != "torques"]


def train(
    environment: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ENVIRONMENT"), Offers(_ids)],
    option: Annotated[Words, tyro.conf.arg(metavar="NAME=VALUE")] = (),
    decisions: float = 2e6,
    minutes: MaybeFloat = None,
    worlds: int = 256,
    horizon: int = 32,
    epochs: int = 4,
    batches: int = 4,
    hidden: str = "64,64",
    activation: str = "tanh",
    rate: float = 1e-3,
    noise: float = 0.3,
    entropy: float = 0.0,
    discount: float = 0.99,
    seed: int = 0,
    device: str = "cpu",
    judged: int = 256,
    checkpoint: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    resume: bool = False,
    begin: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    out: Files = (),
    json: bool = False,
) -> int:
    """Train a network that corrects a controller, or sets joints' targets, with PPO, in a learning environment.

    Ctrl-C ends training early and keeps the best policy. At the end the learned controller is judged beside the one
    that it corrects, in worlds that training did not use.

    Args:
        environment: PlanarTerrain-v0, Human28Push-v0, or another whose actions are corrections or targets.
        option: an option of the environment, such as controller=my-walk.toml or push=(100,600). May be repeated.
        decisions: in all worlds together.
        minutes: after which training ends in any case.
        worlds: side by side.
        horizon: decisions of every world between updates.
        epochs: passes over them in an update.
        batches: parts of a pass.
        hidden: sizes of the hidden layers.
        activation: tanh, elu or relu.
        rate: first learning rate; it follows how far updates move the policy.
        noise: first deviation of actions, as a share of what they can do.
        entropy: weight of the reward for random actions.
        discount: of rewards, for each decision.
        seed: of everything random.
        device: cpu or cuda.
        judged: number of worlds in which the policy is judged at the end; 0 for none.
        checkpoint: a file that is written every half minute, from which training can continue.
        resume: continue from the checkpoint.
        begin: a .toml file of a policy to begin with, trained before in such an environment; its layers are kept.
        out: a .toml file for the controller, a picture (.png .svg .pdf) of the learning curve, a .json file for the
            report, or the network alone (.safetensors .onnx). May be repeated.
        json: print one JSON object on standard output.
    """
    from footfall.pictures.page import PLOT_SUFFIXES

    files = check_files(out, (".toml", ".json", ".safetensors", ".onnx", *PLOT_SUFFIXES))
    options, episode = _options(environment, option, device)
    from footfall.control.registry import save_controller
    from footfall.learning.judging import judge_policy, unseen
    from footfall.learning.ppo import Iteration, PpoSettings
    from footfall.learning.training import train_policy as run

    first = _policy(begin) if begin is not None else None
    options = _with_clips(options)
    if first is not None:
        hidden, activation = ",".join(map(str, first.sizes[1:-1])), first.activation
    settings = PpoSettings(
        worlds=worlds, horizon=horizon, epochs=epochs, batches=batches, rate=rate, noise=noise, entropy=entropy,
        discount=discount, hidden=_sizes(hidden), activation=activation,
    )  # fmt: skip
    controllers = [path for path in files if path.suffix == ".toml"]
    name = controllers[0].stem if controllers else "learned"

    def save(controller: Any) -> None:
        for path in controllers:
            save_controller(controller, path)

    with progress("training", 1.0) as show:

        def report(share: float, done: Iteration, speed: float) -> None:
            ends = f"{done.survived:.0%} survive" if done.episodes else "no episode ended"
            show(share, what=f"reward {done.reward:.2f}, {ends}, {speed:,.0f} decisions/s")

        trained, controller = run(
            options, settings, decisions=int(decisions), minutes=minutes, seed=seed, episode=episode,
            checkpoint=checkpoint, resume=resume, begin=first, save=save, name=name, progress=report,
        )  # fmt: skip
    judgements = {}
    if judged:
        with progress("judging", 2.0) as show:
            judgements = {"before": judge_policy(unseen(options), None, worlds=judged, decisions=episode)}
            show(1.0)
            judgements["after"] = judge_policy(unseen(options), trained.network, worlds=judged, decisions=episode)
    answer: dict[str, Any] = {
        "controller": controller.name,
        "base": controller.graph.name if controller.graph else "",
        "decisions": trained.history[-1].decisions,
        "seconds": round(trained.seconds, 1),
        "stopped": trained.stopped,
        **{when: judgement.as_dict() for when, judgement in judgements.items()},
    }
    _write(files, controller.name, answer, trained, judgements)
    if json:
        print_json(answer | {"files": files})
        return 0
    print(f"{controller.name}: {answer['decisions']:,} decisions in {trained.seconds:.0f} s")
    for when, label in (
        ("before", f"'{controller.graph.name}' alone" if controller.graph else "servos alone"),
        ("after", f"'{controller.name}'"),
    ):
        if when in judgements:
            print(f"  {label}: {judgements[when]}")
    print_files(files)
    return 0


def _write(
    files: list[Path], name: str, answer: dict[str, Any], trained: "Trained", judgements: dict[str, Any]
) -> None:
    """Write the report, the network alone, and the learning curve."""
    for path in files:
        if path.suffix == ".json":
            curve = {"history": [vars(row) for row in trained.history]}
            write_whole(path, (json_text.dumps(answer | curve, indent=1) + "\n").encode())
        elif path.suffix == ".safetensors":
            write_whole(path, trained.network.to_bytes())
        elif path.suffix == ".onnx":
            from footfall.methods.network.onnx_files import save_onnx

            save_onnx(trained.network, path)
        elif path.suffix != ".toml":
            from footfall.learning.judging import save_learning_curve

            save_learning_curve(name, trained, judgements, path)


def _policy(path: Path) -> "Network":
    """The network of a controller's file."""
    from footfall.control.registry import load_controller
    from footfall.methods.network.controller import NetworkController

    controller = load_controller(str(path))
    if not isinstance(controller, NetworkController):
        raise FootfallError(f"--begin {path}: it has the law '{controller.law}'; give a policy of footfall train")
    return controller.network


def _options(environment: str, texts: Words, device: str) -> "tuple[Options, int]":
    """The environment's options, and decisions of an episode."""
    from footfall.gym.registration import IDS
    from footfall.learning.options import Options

    known = {made.id.removeprefix("footfall/"): made for made in IDS}
    short = environment.removeprefix("footfall/")
    if short not in known:
        raise unknown_name("environment", short, known)
    given = dict(known[short].options) | {"device": device}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise FootfallError(f"--option '{text}': write NAME=VALUE, as in speed=1.2")
        try:
            given[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            given[name] = value
    return Options.of(**given), known[short].steps


def _with_clips(options: "Options") -> "Options":
    """The options, with the clips that footfall makes itself: that takes minutes, and is done once."""
    from footfall.learning.clips import MADE, made_clips
    from footfall.learning.setup import Setup

    if options.clip != MADE or isinstance(options.decide, str):
        return options
    figure = Setup.of(options).figure
    with progress("making clips", 1.0) as show:
        return replace(options, clip=made_clips(figure, options.decide, progress=show))


def _sizes(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(word) for word in text.split(","))
    except ValueError:
        raise FootfallError(f"--hidden '{text}': write sizes of layers, as in 64,64") from None
