# SPDX-License-Identifier: GPL-3.0-or-later
"""Optuna's samplers and pruners by the words of study.toml."""

import optuna


class ByTrial(optuna.samplers.BaseSampler):
    """A sampler made again for each trial, seeded by the trial's number: however many workers there are and however often
    the study goes on, no two trials draw the same numbers, and one worker draws the same ones again."""

    def __init__(self, make, seed):
        self._make, self._seed = make, seed
        self._inner = make(seed)

    def before_trial(self, study, trial):
        self._inner = self._make((self._seed * 1_000_003 + trial.number) % 2**31)
        self._inner.before_trial(study, trial)

    def infer_relative_search_space(self, study, trial):
        return self._inner.infer_relative_search_space(study, trial)

    def sample_relative(self, study, trial, search_space):
        return self._inner.sample_relative(study, trial, search_space)

    def sample_independent(self, study, trial, param_name, param_distribution):
        return self._inner.sample_independent(study, trial, param_name, param_distribution)

    def after_trial(self, study, trial, state, values):
        self._inner.after_trial(study, trial, state, values)

    def reseed_rng(self):
        self._inner.reseed_rng()


def make_sampler(file):
    startup = file.sampler.get("startup", 10)

    def make(seed):
        if file.sampler["kind"] == "tpe":
            conditional = any(axis.when for axis in file.space.axes)
            return optuna.samplers.TPESampler(seed=seed, n_startup_trials=startup, multivariate=True, group=conditional, constant_liar=True)
        if file.sampler["kind"] == "cmaes":
            return optuna.samplers.CmaEsSampler(seed=seed, n_startup_trials=max(1, startup), warn_independent_sampling=False)
        return optuna.samplers.RandomSampler(seed=seed)  # a grid's points are queued

    return ByTrial(make, file.sampler.get("seed", 1))


def make_pruner(file):
    given = file.pruner
    if given["kind"] == "median":
        return optuna.pruners.MedianPruner(n_startup_trials=given.get("startup", 5), n_warmup_steps=given.get("warmup", 0))
    if given["kind"] == "hyperband":
        factor = given.get("factor", 3)
        return optuna.pruners.HyperbandPruner(min_resource=given.get("min_steps", max(1, file.steps // factor**3)), max_resource=file.steps, reduction_factor=factor)
    return optuna.pruners.NopPruner()
