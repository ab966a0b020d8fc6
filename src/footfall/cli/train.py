"""``footfall train``: train a network that corrects a controller, or learn the torques of a gait's torso."""

import ast
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from footfall.cli.arguments import Files, MaybeFloat, Offers, Words, controller_words, given_options
from footfall.cli.printing import Answer, check_files, progress, write_json
from footfall.control.registry import load_controller, save_controller
from footfall.errors import FootfallError, check_name
from footfall.figures import Figure
from footfall.learning.clips import MADE, MadeClips, made_clips
from footfall.learning.options import Options
from footfall.learning.ppo import Iteration, PpoSettings
from footfall.learning.setup import Setup
from footfall.learning.training import Trained, judge_policy, save_learning_curve, train_policy, unseen
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.multilayer import Network, save_onnx
from footfall.methods.simbicon import error_learning
from footfall.methods.simbicon.files import load_graph
from footfall.pictures.page import PLOT_SUFFIXES
from footfall.text_files import write_whole


def _ids() -> list[str]:
    from footfall.gym.registration import IDS

    found = [made.id.removeprefix("footfall/") for made in IDS if made.options["action"] != "torques"]
    return [*found, *controller_words()]


@dataclass(frozen=True)
class _Torques:
    """How torques are learned by feedback error.

    Attributes:
        bins: for feedback-error: how many parts a step is divided into, 1 to 2000.
        torque_rate: for feedback-error: how fast the torques learn.
        limit: for feedback-error: the largest feed-forward torque. Default: 300 N m in the plane; 0.2 radians times the
            servo's kp in 3D.
        legs: for feedback-error: whether the legs learn too, for walks from captured motion (``footfall imitate --law
            simbicon``).
        dt: for feedback-error: time step in seconds.
        integrator: for feedback-error: implicit or explicit.
    """

    bins: int = 200
    torque_rate: float = 0.1
    limit: MaybeFloat = None
    legs: bool = False
    dt: float = 0.001
    integrator: Literal["implicit", "explicit"] = "implicit"


PPO, TORQUES = PpoSettings(), _Torques()


def train(
    environment: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ENVIRONMENT"), Offers(_ids)],
    method: Literal["ppo", "feedback-error"] = "ppo",
    option: Annotated[Words, tyro.conf.arg(metavar="NAME=VALUE")] = (),
    decisions: float = 2e6,
    seconds: MaybeFloat = None,
    ppo: Annotated[PpoSettings, tyro.conf.OmitArgPrefixes] = PPO,
    torques: Annotated[_Torques, tyro.conf.OmitArgPrefixes] = TORQUES,
    seed: int = 0,
    device: str = "cpu",
    judged: int = 256,
    checkpoint: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    resume: bool = False,
    begin: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None,
    out: Files = (),
) -> Answer:
    """Train a network that corrects a controller or sets joints' targets, or let a gait learn feed-forward torques.

    PPO: Ctrl-C ends training early and keeps the best policy. At the end the learned controller is compared with the
    one that it corrects, in worlds that training did not use. Feedback error: torques are learned by phase of the step;
    a 3D walk learns those of its torso in three planes and of its upper body.

    Args:
        environment: PlanarTerrain-v0, Human28Push-v0, or another whose actions are corrections or targets. With
            --method feedback-error a built-in controller or a .toml file.
        method: ppo trains a network in the environment; feedback-error learns the torques of a controller's torso.
        option: an option of the environment, such as controller=my-walk.toml or push=(100,600). May be repeated.
        decisions: how many decisions to train, in all worlds together.
        seconds: when training ends at the latest, in seconds. With --method feedback-error, how long the gait walks and
            learns: 60 by default.
        seed: seed of all random numbers.
        device: where to train: cpu or cuda.
        judged: number of worlds in which the policy is judged at the end; 0 for none.
        checkpoint: a file that is written every half minute, from which training can continue.
        resume: continue from the checkpoint.
        begin: a .toml file of a policy to begin with, trained before in such an environment; the layers keep their
            sizes.
        out: a .toml file for the controller, a picture (.png .svg .pdf) of the learning curve, a .json file for the
            report, or the network alone (.safetensors .onnx). May be repeated.
    """
    chosen, other = (ppo, torques) if method == "ppo" else (torques, ppo)
    if wrong := given_options(other):
        raise FootfallError(f"train: {wrong[0]} does not work with --method {method}")
    if chosen is torques:
        return _learn_torques(environment, 60.0 if seconds is None else seconds, torques, out)

    files = check_files(out, (".toml", ".json", ".safetensors", ".onnx", *PLOT_SUFFIXES))
    options, episode = _options(environment, option, device)

    first = _policy(begin) if begin is not None else None
    options = _with_clips(options)
    if first is not None:
        ppo = replace(ppo, hidden=first.sizes[1:-1], activation=first.activation)
    controllers = [path for path in files if path.suffix == ".toml"]
    name = controllers[0].stem if controllers else "learned"

    def save(controller: Any) -> None:
        for path in controllers:
            save_controller(controller, path)

    with progress("training", 1.0) as show:

        def report(share: float, done: Iteration, speed: float) -> None:
            ends = f"{done.survived:.0%} survive" if done.episodes else "no episode ended"
            show(share, what=f"reward {done.reward:.2f}, {ends}, {speed:,.0f} decisions/s")

        trained, controller = train_policy(
            options, ppo, decisions=int(decisions), minutes=None if seconds is None else seconds / 60.0, seed=seed,
            episode=episode,
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

    def say() -> None:
        print(f"{controller.name}: {answer['decisions']:,} decisions in {trained.seconds:.0f} s")
        base = f"'{controller.graph.name}' alone" if controller.graph else "servos alone"
        for when, label in (("before", base), ("after", f"'{controller.name}'")):
            if when in judgements:
                print(f"  {label}: {judgements[when]}")

    return Answer(answer, say, files)


def _write(files: list[Path], name: str, answer: dict[str, Any], trained: Trained, judgements: dict[str, Any]) -> None:
    """Write the report, the network alone, and the learning curve."""
    for path in files:
        if path.suffix == ".json":
            curve = {"history": [vars(row) for row in trained.history]}
            write_json(path, answer | curve)
        elif path.suffix == ".safetensors":
            write_whole(path, trained.network.to_bytes())
        elif path.suffix == ".onnx":
            save_onnx(trained.network, path)
        elif path.suffix != ".toml":
            save_learning_curve(name, trained, judgements, path)


def _policy(path: Path) -> Network:
    """The network of a controller's file."""
    controller = load_controller(str(path))
    if not isinstance(controller, NetworkController):
        raise FootfallError(f"--begin {path}: it has the law '{controller.law}'; give a policy of footfall train")
    return controller.network


def _options(environment: str, texts: Words, device: str) -> tuple[Options, int]:
    """The environment's options, and decisions of an episode."""
    from footfall.gym.registration import IDS

    known = {made.id.removeprefix("footfall/"): made for made in IDS}
    short = environment.removeprefix("footfall/")
    check_name("environment", short, known)
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


def _with_clips(options: Options) -> Options:
    """The options, with the clips that footfall makes: that takes minutes, and is done once."""
    if not (isinstance(options.clip, str) and options.clip == MADE) or isinstance(options.decide, str):
        return options
    figure = Setup.of(options).figure
    with progress("making clips", 1.0) as show:
        return replace(options, clip=MadeClips(made_clips(figure, options.decide, progress=show)))


def _learn_torques(controller: str, seconds: float, torques: _Torques, out: Words) -> Answer:
    """Feedback error learning of the torso's torques."""
    spatial = Figure.load(load_graph(controller).figure).root == "free"
    if torques.legs and not spatial:
        raise FootfallError(f"--legs is for 3D walks; '{controller}' walks in the plane")
    files = check_files(out, (".toml",) if spatial else (".toml", *PLOT_SUFFIXES))
    learning = {"bins": torques.bins, "rate": torques.torque_rate, "limit": torques.limit, "legs": torques.legs}
    integrator = None if spatial else torques.integrator
    with progress(f"{controller} learns", seconds) as show:
        result = error_learning.learn_torques(
            controller, seconds=seconds, dt=torques.dt, integrator=integrator, progress=show, **learning
        )
    for path in files:
        if path.suffix == ".toml":
            save_controller(result.controller, path)
        else:
            error_learning.draw_torso_learning(controller, result, path)
    name, share = result.controller.name, f"feedback torque is {100 * result.ratio:.1f} % of the feed-forward torque"
    words = f"{name}: after {seconds:g} s {share}"
    if len(result.swing):
        swing = f"the torso swings {result.before:.2f}° before and {result.swing[-1]:.2f}° after {seconds:g} s"
        words = f"{name}: {swing}\n  {share}"
    return Answer(result.as_dict(), lambda: print(words), files)
