# SPDX-License-Identifier: GPL-3.0-or-later
"""One process of a comparison: reads an order as JSON from the standard input, prints a line of JSON for every case that is done.

Forms are compared with the fp64 loop, output and gradients, before they are timed. Copying memory takes its turns among them. Compiling is
counted in seconds of a processor, which are nearly the same on a machine that does other things besides.
"""

import json
import os
import sys
import warnings

import torch

from case import Unavailable
from cases import families
from kinds import COMPILED, MODES
from timing import Copy, Turns, clock_of


def relative_rms(found, wanted):
    return float((found.detach() - wanted).abs().pow(2).mean().sqrt() / wanted.abs().pow(2).mean().sqrt())


class Definition:
    """The fp64 loop's output and gradients for one random cotangent."""

    def __init__(self, case, inputs):
        wide = [x.to(torch.cdouble if x.is_complex() else torch.double).requires_grad_() for x in inputs]
        output = case.loop(*wide)
        self.cotangent = torch.randn_like(output)
        self.gradients = torch.autograd.grad(output, wide, self.cotangent)
        self.output = output.detach()

    def error(self, prepared, form):
        errors = []
        if "forward+backward" in form.modes:
            output = prepared.output(prepared.call())
            found = torch.autograd.grad(output, prepared.leaves, self.cotangent.to(output.dtype))
            errors += [relative_rms(g, w) for g, w in zip(prepared.gradients(found), self.gradients, strict=True)]
        with torch.no_grad():
            errors.append(relative_rms(prepared.output(prepared.call()), self.output))
        return max(errors)


def timed_call(prepared, mode):
    if mode == "forward":
        def forward():
            with torch.no_grad():
                prepared.call()

        return forward
    cotangent = torch.randn_like(prepared.call().detach())
    return lambda: torch.autograd.grad(prepared.call(), prepared.leaves, cotangent)


def processor_seconds():
    """Of this process and of the compilers that it started."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def found_in_cache():
    """Whether any of it was: a form that was interrupted left a part there."""
    from torch._dynamo.utils import counters

    return counters["inductor"]["fxgraph_cache_hit"] + counters["aot_autograd"]["autograd_cache_hit"] > 0


def sentence(error):
    """The first line of an error that says something."""
    lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return lines[0][:200]


class CaseRun:
    """The forms of a case that are ready, and what was found out about each."""

    def __init__(self, case, forms, seed, check):
        torch.manual_seed(seed)
        self.inputs = case.draw()
        self.definition = Definition(case, self.inputs) if check else None
        self.found, self.ready = {}, {}
        for form in forms:
            self.found[form.name, form.kind] = {"form": form.name, "kind": form.kind}
            try:
                self.make_ready(form)
            except Unavailable as reason:
                self.note(form, problem=str(reason))
            except Exception as error:  # a peer may fail in any way; the others are measured all the same
                self.note(form, problem=f"failed: {sentence(error)}")

    def note(self, form, **facts):
        self.found[form.name, form.kind].update(facts)

    def make_ready(self, form):
        prepared = form.prepare(self.inputs)
        if form.kind == COMPILED:
            self.compile(prepared, form)
        if self.definition and form.same_values:
            error = self.definition.error(prepared, form)
            self.note(form, error=error)
            if not error <= form.largest_error:
                raise Unavailable(f"not timed: its values differ from the definition's by {error:.1e}.")
        self.ready[form] = prepared

    def compile(self, prepared, form):
        began = processor_seconds()
        for mode in form.modes:
            timed_call(prepared, mode)()
        if not found_in_cache():
            self.note(form, compile_s=processor_seconds() - began)

    def time(self, first, copy, budget, least, clock):
        """Seconds of every form that is ready; the `first`-th begins."""
        for mode in MODES:
            calls = {form: timed_call(prepared, mode) for form, prepared in self.ready.items() if mode in form.modes}
            if not calls:
                continue
            order = [*calls][first % len(calls):] + [*calls][:first % len(calls)]
            turns = Turns({copy: copy, **{form: calls[form] for form in order}}, budget, least, clock).run()
            beside = {"copy": copy.bytes / turns.median(copy), "others": turns.others}
            for form in calls:
                self.note(form, **{mode: {"seconds": turns.median(form), "samples": len(turns.samples[form]), **beside}})


def main():
    order, out = json.load(sys.stdin), os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # packages that print do so where nobody reads
    warnings.simplefilter("ignore")
    torch.set_num_threads(order["threads"])
    for library in order["libraries"]:
        torch.ops.load_library(library)
    device = torch.device(order["device"])
    with device:
        copy = Copy(order["copy_mb"])
    chosen = {words["case"]: {tuple(form) for form in words["forms"]} for words in order["cases"]}
    for case in (case for family in families(order["scale"], order["device"]) for case in family if case.title in chosen):
        forms = [form for form in case.forms if (form.name, form.kind) in chosen[case.title]]
        with device:  # numbers, weights and first states are made there
            run = CaseRun(case, forms, order["seed"], order["check"])
        if order["timed"]:
            run.time(order["turn"], copy, order["seconds"], order["least"], clock_of(order["device"]))
        print(json.dumps({"case": case.title, "forms": list(run.found.values())}), file=out, flush=True)


if __name__ == "__main__":
    main()
