# SPDX-License-Identifier: GPL-3.0-or-later
"""study.toml: what is searched, over what, by whom, how long. Mistakes are told with file and line."""

import dataclasses
import math
import pathlib

from refused import Refused, near
from space import Space, check_value, read_space, value_text
from toml_places import Document

SAMPLERS = ("tpe", "random", "grid", "cmaes")
PRUNERS = ("none", "median", "hyperband")
DIRECTIONS = ("minimize", "maximize")
# Words for figures of the end line: the figure, its direction, and the one that evaluations on the way report.
METRICS = {"loss": ("best", "minimize", "val/loss"), "accuracy": ("val/acc", "maximize", "val/acc")}
TABLES = {
    "objective": {"metric": str, "direction": str, "report": str},
    "sampler": {"kind": str, "seed": int, "startup": int},
    "pruner": {"kind": str, "startup": int, "warmup": int, "min_steps": int, "factor": int},
    "budget": {"trials": int, "steps": int, "seconds": float},
    "storage": {"url": str, "journal": str, "heartbeat": float, "retries": int},
}
NAMES = {"experiment": str, "data": str, "name": str, "runs": str, "seed": int, "space": dict, "fixed": dict}
# These the study gives itself.
OWN = ("training.steps", "training.threads", "training.seed")


@dataclasses.dataclass
class StudyFile:
    path: pathlib.Path
    experiment: str
    data: str
    name: str
    runs: pathlib.Path
    seed: int | None
    space: Space
    fixed: dict
    word: str  # the objective as the file names it: loss
    metric: str  # the figure of the end line that it means: best
    maximize: bool
    report: str
    sampler: dict
    pruner: dict
    trials: int | None
    steps: int | None
    seconds: float | None
    storage: dict  # url or journal (both with absolute paths), heartbeat, retries
    points: list | None  # of a grid

    @property
    def tag(self):
        return self.name

    def described(self):
        """What a stored study must have been started with."""
        return {"experiment": self.experiment, "data": self.data, "seed": self.seed, "space": self.space.described(),
                "fixed": {key: value_text(value) for key, value in self.fixed.items()}, "metric": self.metric,
                "direction": DIRECTIONS[self.maximize], "steps": self.steps, "grid": self.points is not None}


def _table(document, name):
    """A table's values; a word stands for { kind = word } or { metric = word }."""
    given = document.values.get(name, {})
    if isinstance(given, str):
        given = {"metric" if name == "objective" else "url" if name == "storage" else "kind": given}
    if not isinstance(given, dict):
        document.refuse((name,), f"{name} must be a word or a table")
    for key, value in given.items():
        if key not in TABLES[name] or (name in ("sampler", "pruner", "objective") and isinstance(value, dict)):
            document.refuse((name, key), f"[{name}] has no {key}{near(key, TABLES[name])}")
        _of_type(document, (name, key), f"{name}.{key}", value, TABLES[name][key])
    return given


def _of_type(document, keys, name, value, kind):
    words = {str: "a text", int: "a whole number", float: "a number", dict: "a table"}[kind]
    is_it = isinstance(value, (int, float) if kind is float else kind) and not (isinstance(value, bool) and kind is not bool)
    if not is_it:
        document.refuse(keys, f"{name} must be {words}; it is {value_text(value)}")
    if kind in (int, float) and (value < 0 or not math.isfinite(value)):
        document.refuse(keys, f"{name} must be at least 0; it is {value_text(value)}")


def _kind(document, name, given, kinds, standard):
    kind = given.get("kind", standard)
    if kind not in kinds:
        document.refuse((name, "kind"), f"there is no {name} named {kind}{near(kind, kinds)}")
    return kind


def _objective(document):
    given = _table(document, "objective")
    word = given.get("metric", "loss")
    metric, direction, report = METRICS.get(word, (word, None, word.replace("final/", "val/")))
    direction = given.get("direction", direction)
    if direction is None:
        document.refuse(("objective",), f"give {word} a direction: direction = \"minimize\" or \"maximize\"")
    if direction not in DIRECTIONS:
        document.refuse(("objective", "direction"), f"direction must be minimize or maximize; it is {direction}")
    return word, metric, direction == "maximize", given.get("report", report)


def _storage(document, path):
    given = dict(_table(document, "storage"))
    if "url" in given and "journal" in given:
        document.refuse(("storage", "journal"), "[storage] has a url and a journal: keep one")
    folder = path.parent
    if "journal" in given:
        given["journal"] = str(folder / given["journal"])
    url = given.get("url", "")
    if "url" in given and "://" not in url:
        document.refuse(("storage", "url"), f"{url} is not a URL, such as mysql+pymysql://user@host/database; a file is journal = \"{url}\"")
    if url.startswith("sqlite:///") and not url.startswith("sqlite:////"):
        given["url"] = f"sqlite:///{folder / url.removeprefix('sqlite:///')}"
    if not given.keys() & {"url", "journal"}:
        given["url"] = f"sqlite:///{path.with_suffix('.sqlite3')}"
    return {"heartbeat": 60.0, "retries": 3, **given}


class Settings:
    """What `help` says of each key that --set may name."""

    def __init__(self, engine, document, experiment):
        self.engine, self.document = engine, document
        self.blocks = engine.blocks(experiment)
        self.experiment = experiment

    def __call__(self, key, keys):
        node, _, name = key.rpartition(".")
        if key in OWN:
            instead = {"training.steps": "steps in [budget]", "training.threads": "--threads", "training.seed": "seed"}[key]
            self.document.refuse(keys, f"{key} is the study's own; use {instead}")
        if node == "training":
            params = self.engine.params("training")
        elif node in self.blocks:
            params = self.engine.params(self.blocks[node])
            if self.blocks[node] == "group" or params is None:
                return None  # what a group shows is its document's; --set says whether it fits
        else:
            self.document.refuse(keys, f"there is no node named {node or key}{near(node or key, [*self.blocks, 'training'])}")
        if name not in params:
            names = [f"{node}.{each}" for each in params]
            self.document.refuse(keys, f"{node} has no {'setting' if node == 'training' else 'parameter'} named {name}{near(key, names)}")
        return params[name]

    def try_out(self, values, keys_of):
        """Asks the check about the values of settings that `help` does not know of."""
        for key, value in values.items():
            code, _, error = self.engine.ask("check", self.experiment, "--json", "--set", f"{key}={value_text(value)}")
            if code != 0 and key in error:
                self.document.refuse(keys_of(key), error.strip().splitlines()[-1].removeprefix("error: "))


def read_study(path, make_engine):
    """`make_engine(folder)`: unroll-cli, to which relative names are meant from that folder."""
    path = pathlib.Path(path).absolute()
    document = Document(path)
    engine = make_engine(path.parent)
    names = {**NAMES, **dict.fromkeys(TABLES)}
    for key, value in document.values.items():
        if key not in names:
            document.refuse((key,), f"a study has no {key}{near(key, names)}")
        if key in NAMES:
            _of_type(document, (key,), key, value, NAMES[key])
    if "experiment" not in document.values:
        raise Refused(f"{path}: name what is trained, as experiment = \"char-lstm\" (a file or a bundled experiment)")
    try:
        settings = Settings(engine, document, document.values["experiment"])
    except Refused as error:
        document.refuse(("experiment",), str(error))
    space = read_space(document, document.values.get("space", {}), settings)
    fixed = document.values.get("fixed", {})
    for key, value in fixed.items():
        keys = ("fixed", key)
        if isinstance(value, (list, dict)):
            document.refuse(keys, f"{key} must be one value; several belong to [space]")
        if any(axis.key == key for axis in space.axes):
            document.refuse(keys, f"{key} is in [space] too")
        check_value(document, keys, key, value, settings(key, keys))
    settings.try_out({axis.key: (axis.choices or (axis.low,))[0] for axis in space.axes if axis.setting is None}, lambda key: ("space", key))
    return _study(path, document, space, fixed), engine


def _study(path, document, space, fixed):
    values = document.values
    objective = _objective(document)
    sampler = dict(_table(document, "sampler"))
    sampler["kind"] = _kind(document, "sampler", sampler, SAMPLERS, "tpe")
    pruner = dict(_table(document, "pruner"))
    pruner["kind"] = _kind(document, "pruner", pruner, PRUNERS, "none")
    if pruner.get("factor", 3) < 2:
        document.refuse(("pruner", "factor"), f"pruner.factor must be at least 2; it is {pruner['factor']}")
    budget = _table(document, "budget")
    for key, value in budget.items():
        if value <= 0:
            document.refuse(("budget", key), f"budget.{key} must be above 0; it is {value_text(value)}")
    points = _grid(document, space) if sampler["kind"] == "grid" else None
    if pruner["kind"] == "hyperband" and "steps" not in budget:
        document.refuse(("pruner",), "hyperband divides the steps of a trial: set them in [budget], as steps = 2000")
    if points is None and not {"trials", "seconds"} & budget.keys():
        document.refuse(("budget",), "set when the study ends: trials or seconds in [budget]")
    name = values.get("name", path.stem)
    trials = budget.get("trials")
    return StudyFile(path, values["experiment"], values.get("data", ""), name, path.parent / values.get("runs", f"{path.stem}-runs"), values.get("seed"), space,
                     fixed, *objective, sampler, pruner, min(trials or len(points), len(points)) if points is not None else trials,
                     budget.get("steps"), budget.get("seconds"), _storage(document, path), points)


def _grid(document, space):
    for axis in space.axes:
        if axis.grid() is None:
            document.refuse(("space", axis.key), f"a grid needs the values of {axis.key}: give step, or points = how many")
    points = space.grid()
    if len(points) > 10_000:
        document.refuse(("sampler",), f"the grid has {len(points) if len(points) <= 100_000 else 'more than 100000'} points; 10000 are the most")
    return points
