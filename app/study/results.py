# SPDX-License-Identifier: GPL-3.0-or-later
"""What a study has found: the table of its trials, the best of them, and which settings mattered."""

import json

import optuna
from optuna.trial import TrialState

from refused import Refused
from space import value_text
from storage import first_number, load_study, shown_url
from tables import as_text, written


def trials_of(study):
    """Each trial once, its newest attempt, without what nobody has started."""
    newest = {}
    for trial in study.get_trials(deepcopy=False):
        if trial.user_attrs.get("outcome") == "surplus":
            continue
        newest[first_number(trial)] = trial
    return {number: trial for number, trial in newest.items() if trial.state != TrialState.WAITING or number != trial.number}


def state_word(trial):
    if trial.state == TrialState.RUNNING:
        return "running"
    if trial.state == TrialState.WAITING:
        return "to go on"
    return trial.user_attrs.get("outcome") or {TrialState.COMPLETE: "finished", TrialState.PRUNED: "pruned"}.get(trial.state, "died")


def last_report(trial):
    return trial.intermediate_values[max(trial.intermediate_values)] if trial.intermediate_values else None


def ranked(study, maximize):
    """Best first: what finished by its value, then the others by their last report, then those without."""
    def place(item):
        trial = item[1]
        value = trial.value if trial.state == TrialState.COMPLETE else last_report(trial)
        return (trial.state != TrialState.COMPLETE, value is None, 0 if value is None else -value if maximize else value, item[0])
    return sorted(trials_of(study).items(), key=place)


def table_of(study, file):
    keys = [axis.key for axis in file.space.axes]
    heads = ["trial", "state", file.word, "last report", "step", "seconds", "parameters", *keys, "run", "failure"]
    rows = []
    for number, trial in ranked(study, file.maximize):
        kept = trial.user_attrs
        rows.append([number, state_word(trial), trial.value if trial.state == TrialState.COMPLETE else None, last_report(trial), kept.get("step"),
                     kept.get("seconds"), kept.get("parameters"), *(trial.params.get(key) for key in keys), kept.get("run"), kept.get("failure")])
    shown = [column for column, head in enumerate(heads) if head not in ("last report", "failure") or any(row[column] is not None for row in rows)]
    return [heads[column] for column in shown], [[row[column] for column in shown] for row in rows]


def importances(study):
    """{setting: share of what decides the objective}, by PED-ANOVA; empty where too few trials say anything."""
    try:
        found = optuna.importance.get_param_importances(study, evaluator=optuna.importance.PedAnovaImportanceEvaluator())
    except (ValueError, RuntimeError):
        return {}
    return {key: float(value) for key, value in found.items()}


def best_of(study):
    try:
        return study.best_trial
    except ValueError:
        return None


def summary(study, file):
    """One object: for --json and for programs."""
    trials = trials_of(study)
    states = {}
    for trial in trials.values():
        states[state_word(trial)] = states.get(state_word(trial), 0) + 1
    found = {"kind": "study", "study": file.name, "storage": shown_url(file.storage), "metric": file.metric,
             "direction": "maximize" if file.maximize else "minimize", "trials": len(trials), "states": states}
    best = best_of(study)
    if best is not None:
        found |= {"best": {"trial": first_number(best), "value": best.value, "params": best.params, "run": best.user_attrs.get("run")}}
        found |= {"importances": importances(study)}
    return found


def show(file, form):
    study = load_study(file)
    if study is None:
        raise Refused(f"{file.path}: the study {file.name} has not been started ({shown_url(file.storage)})")
    heads, rows = table_of(study, file)
    if form == "json":
        for row in rows:
            print(json.dumps({"kind": "trial", **dict(zip(heads, row))}))
        print(json.dumps(summary(study, file)))
        return
    if form != "text":
        print(written(form, heads, rows))
        return
    if rows:
        print(as_text(heads, rows))
    print("\n".join(["", *closing(study, file)]))


def closing(study, file):
    """The lines below the table."""
    found = summary(study, file)
    states = ", ".join(f"{count} {word}" for word, count in sorted(found["states"].items()))
    lines = [f"{found['trials']} trials{f' of {file.trials}' if file.trials else ''}: {states or 'none started'}"]
    if "best" not in found:
        return lines
    best = found["best"]
    lines.append(f"best {file.word} {best['value']:.6g}, trial {best['trial']}: " +
                 ", ".join(f"{key} = {value_text(value)}" for key, value in best["params"].items()))
    if found["importances"]:
        lines.append("importance: " + ", ".join(f"{key} {share:.2f}" for key, share in found["importances"].items()))
    lines.append(f"its run: {best['run']}")
    return lines
