# SPDX-License-Identifier: GPL-3.0-or-later
"""The space of a study: what each key of [space] may be, when it counts, and every point of it for a grid."""

import dataclasses
import itertools
import math

from refused import near

MOST_GRID = 100_000
WORDS = {"min", "max", "step", "log", "points", "choices", "when"}


@dataclasses.dataclass(frozen=True)
class Axis:
    """One setting: choices, or a range of whole or real numbers."""

    key: str
    choices: tuple = ()
    low: float | int | None = None
    high: float | int | None = None
    step: float | int | None = None
    log: bool = False
    points: int = 0  # of a grid, where the range has no step
    whole: bool = False
    when: tuple = ()  # ((key, (values, ...)), ...): it counts where all hold
    setting: dict | None = None  # what `help` says of it; None: nothing is known

    def counts(self, chosen):
        return all(key in chosen and chosen[key] in values for key, values in self.when)

    def suggest(self, trial):
        if self.choices:
            return trial.suggest_categorical(self.key, list(self.choices))
        if self.whole:
            return trial.suggest_int(self.key, self.low, self.high, step=self.step or 1, log=self.log)
        return trial.suggest_float(self.key, self.low, self.high, step=self.step, log=self.log)

    def grid(self):
        """Its values; None where a range of reals says neither step nor points."""
        if self.choices:
            return list(self.choices)
        if self.points:
            return self._spread()
        if self.step or (self.whole and not self.log):
            step = self.step or 1
            count = math.floor((self.high - self.low) / step + 1e-9) + 1
            return [self.low + index * step for index in range(count)]
        return None

    def _spread(self):
        """`points` values from low to high: even, or by even factors."""
        last = max(self.points - 1, 1)
        if self.log:
            values = [self.low * (self.high / self.low) ** (index / last) for index in range(self.points)]
        else:
            values = [self.low + (self.high - self.low) * index / last for index in range(self.points)]
        values = [min(max(value, self.low), self.high) for value in values]
        return sorted({round(value) for value in values}) if self.whole else values

    def text(self):
        if self.choices:
            words = " | ".join(value_text(value) for value in self.choices)
        else:
            words = f"{value_text(self.low)} to {value_text(self.high)}"
            words += f", step {value_text(self.step)}" if self.step else ""
            words += ", log" if self.log else ""
            words += f", {self.points} points" if self.points else ""
        return words

    def when_text(self):
        return " and ".join(f"{key} is {' or '.join(map(value_text, values))}" for key, values in self.when)


def value_text(value):
    """As --set takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


@dataclasses.dataclass(frozen=True)
class Space:
    axes: tuple  # each behind those that it depends on

    def suggest(self, trial):
        chosen = {}
        for axis in self.axes:
            if axis.counts(chosen):
                chosen[axis.key] = axis.suggest(trial)
        return chosen

    def grid(self):
        """Every point once: what does not count is left out."""
        points = [{}]
        for axis in self.axes:
            points = list(itertools.chain.from_iterable(
                [{**point, axis.key: value} for value in axis.grid()] if axis.counts(point) else [point] for point in points))
            if len(points) > MOST_GRID:
                return points
        return points

    def described(self):
        """For comparing with what a stored study was started with."""
        return {axis.key: f"{axis.text()}{' when ' + axis.when_text() if axis.when else ''}" for axis in self.axes}


def read_space(document, table, settings):
    """`settings(key, keys)`: what `help` says of the setting, or None; refuses what is not there."""
    axes = {}
    for key, given in table.items():
        keys = ("space", key)
        axes[key] = _axis(document, keys, key, given, settings(key, keys))
    if not axes:
        document.refuse(("space",), "[space] is empty: name at least one setting, as \"training.learning_rate\" = { min = 1e-4, max = 1e-1, log = true }")
    return Space(tuple(_ordered(document, axes)))


def _axis(document, keys, key, given, setting):
    if isinstance(given, list):
        given = {"choices": given}
    if not isinstance(given, dict):
        document.refuse(keys, f"{key} must be a list of choices or a range {{ min = ..., max = ... }}; to give it one value for all trials, write it in [fixed]")
    for word in given:
        if word not in WORDS:
            document.refuse((*keys, word), f"{key} knows no {word}{near(word, WORDS)}")
    when = _when(document, keys, key, given.get("when", {}))
    if "choices" in given:
        return _choices(document, keys, key, given, setting, when)
    return _range(document, keys, key, given, setting, when)


def _when(document, keys, key, given):
    if not isinstance(given, dict):
        document.refuse(keys, f"when of {key} must name another key of [space] and its values, as {{ \"training.optimizer\" = \"sgd\" }}")
    return tuple((other, tuple(values) if isinstance(values, list) else (values,)) for other, values in given.items())


def _choices(document, keys, key, given, setting, when):
    values = given["choices"]
    if not isinstance(values, list) or not values:
        document.refuse(keys, f"choices of {key} must be a list with at least one value")
    if others := set(given) - {"choices", "when"}:
        document.refuse(keys, f"{key} has choices and so no {sorted(others)[0]}")
    if any(isinstance(value, (dict, list)) for value in values):
        document.refuse(keys, f"choices of {key} must be numbers, words or true and false")
    if len({value_text(value) for value in values}) < len(values):
        document.refuse(keys, f"choices of {key} has a value twice")
    for value in values:
        check_value(document, keys, key, value, setting)
    return Axis(key, tuple(values), when=when, setting=setting)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _range(document, keys, key, given, setting, when):
    for word in ("min", "max"):
        if word not in given:
            document.refuse(keys, f"{key} needs {word}: a range is {{ min = ..., max = ... }}, choices are a list")
    for word in ("min", "max", "step"):
        if word in given and not _is_number(given[word]):
            document.refuse((*keys, word), f"{word} of {key} must be a number; it is {value_text(given[word])}")
    low, high, step, log = given["min"], given["max"], given.get("step"), given.get("log", False)
    if setting and setting["type"] not in ("int", "real"):
        document.refuse(keys, f"{key} is not a number ({setting['type']}): give it a list of choices")
    if not isinstance(log, bool):
        document.refuse((*keys, "log"), f"log of {key} must be true or false")
    if low >= high:
        document.refuse(keys, f"min of {key} must be below max; they are {value_text(low)} and {value_text(high)}")
    if step is not None and (step <= 0 or log):
        document.refuse((*keys, "step"), f"step of {key} must be above 0" if step <= 0 else f"{key} has log and so no step; a grid takes points")
    if log and low <= 0:
        document.refuse((*keys, "min"), f"min of {key} must be above 0 where log is true; it is {value_text(low)}")
    points = given.get("points", 0)
    if not isinstance(points, int) or isinstance(points, bool) or points < 0:
        document.refuse((*keys, "points"), f"points of {key} must be a whole number")
    numbers = [each for each in (low, high, step) if each is not None]
    whole = setting["type"] == "int" if setting else all(isinstance(each, int) for each in numbers)
    if whole:
        if any(each != int(each) for each in numbers):
            document.refuse(keys, f"{key} is a whole number: min, max and step must be too")
        low, high, step = int(low), int(high), int(step) if step is not None else None
    else:
        low, high, step = float(low), float(high), float(step) if step is not None else None
    for value in (low, high):
        check_value(document, keys, key, value, setting)
    return Axis(key, (), low, high, step, log, points, whole, when, setting)


def check_value(document, keys, key, value, setting):
    """Refuses what the setting would refuse at every trial."""
    if setting is None:
        return
    kind, text = setting["type"], value_text(value)
    if kind == "choice" and text not in setting["choices"]:
        document.refuse(keys, f"{key} has no choice {text}{near(text, setting['choices'])}")
    if kind == "bool" and not isinstance(value, bool):
        document.refuse(keys, f"{key} must be true or false; it is {text}")
    if kind in ("int", "real"):
        if not _is_number(value) or (kind == "int" and value != int(value)):
            document.refuse(keys, f"{key} must be a {'whole ' if kind == 'int' else ''}number; it is {text}")
        if "min" in setting and value < setting["min"]:
            document.refuse(keys, f"{key} must be at least {setting['min']:g}; it is {text}")
        if "max" in setting and value > setting["max"]:
            document.refuse(keys, f"{key} must be at most {setting['max']:g}; it is {text}")


def _ordered(document, axes):
    """Each behind those that its condition names."""
    placed, waiting = {}, dict(axes)
    for axis in axes.values():
        for other, values in axis.when:
            keys = ("space", axis.key, "when", other)
            if other not in axes:
                document.refuse(keys, f"{axis.key} depends on {other}, which is not in [space]{near(other, axes)}")
            for value in values:
                if axes[other].choices and value not in axes[other].choices:
                    document.refuse(keys, f"{axis.key} depends on {other} being {value_text(value)}, which is none of its choices "
                                          f"({axes[other].text()})")
            if not axes[other].choices:
                document.refuse(keys, f"{axis.key} depends on {other}, which has no choices but a range")
    while waiting:
        ready = [key for key, axis in waiting.items() if all(other in placed for other, _ in axis.when)]
        if not ready:
            key = next(iter(waiting))
            document.refuse(("space", key), f"the conditions of {', '.join(waiting)} go in a circle")
        placed |= {key: waiting.pop(key) for key in ready}
    return placed.values()
