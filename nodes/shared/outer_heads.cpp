// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/outer_heads.h"

#include "core/kernels/outer_scan/outer_scan.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes {

namespace {

/// The factor of step t over a state [B, heads, n, m].
at::Tensor factorAt(const at::Tensor& a, std::int64_t t)
{
    const at::Tensor here = a.dim() > 2 ? a[t] : a;
    return a.dim() % 2 == 0 ? here.unsqueeze(-1) : here.unsqueeze(-1).unsqueeze(-1);
}

at::Tensor stateBefore(const OuterHeads& heads)
{
    if (heads.before.defined())
        return heads.before;
    const at::Tensor& k = heads.k;
    return at::zeros({k.size(1), k.size(2), k.size(3), heads.v.size(3)}, k.options().requires_grad(false));
}

at::Tensor stateAfter(const OuterHeads& heads, std::int64_t t, const at::Tensor& state)
{
    const at::Tensor added = heads.k[t].unsqueeze(-1) * heads.v[t].unsqueeze(-2);
    return heads.a ? factorAt(*heads.a, t) * state + added : state + added;
}

/// [T, B, heads, n, columns]
at::Tensor statesOf(const OuterHeads& heads, std::int64_t columns)
{
    const at::NoGradGuard values;
    std::vector<at::Tensor> states;
    at::Tensor state = stateBefore(heads);
    for (std::int64_t t = 0; t < heads.k.size(0); ++t) {
        const at::Tensor after = stateAfter(heads, t, state);
        state = heads.mask.defined() ? at::where(heads.mask[t].view({-1, 1, 1, 1}), after, state) : after;
        states.push_back(state.narrow(-1, 0, columns));
    }
    return at::stack(states);
}

OuterRead editedStep(const PassContext& context, const OuterHeads& heads, OuterLook look)
{
    const at::Tensor made = stateAfter(heads, 0, stateBefore(heads)).unsqueeze(0);
    const at::Tensor part = made.narrow(-1, 0, look.columns);
    const at::Tensor changed = context.edited("S", part);
    const at::Tensor rest = made.narrow(-1, look.columns, made.size(-1) - look.columns);
    const at::Tensor state = at::cat({changed, rest}, -1);
    if (context.wants("S"))
        context.show("S", changed);
    return {at::matmul(heads.q.unsqueeze(-2), state).squeeze(-2), state[0]};
}

} // namespace

OuterHeads walkedHeads(OuterHeads heads)
{
    if (!heads.readsMasked || !heads.mask.defined())
        return heads;
    const at::Tensor ofHead = heads.mask.unsqueeze(-1), ofNumber = ofHead.unsqueeze(-1);
    heads.k = at::where(ofNumber, heads.k, 0); // k v^T is 0 then, whatever v is
    if (heads.a)
        heads.a = at::where(heads.a->dim() % 2 == 0 ? ofNumber : ofHead, *heads.a, 1);
    heads.mask = at::Tensor();
    return heads;
}

OuterRead readHeads(const PassContext& context, const OuterHeads& heads, OuterLook look)
{
    if (context.edits("S"))
        return editedStep(context, heads, look);
    const OuterHeads walked = walkedHeads(heads);
    const auto read = kernels::outerScan(walked.q, walked.k, walked.v, walked.a, whereDefined(walked.before),
                                         whereDefined(walked.mask));
    if (context.wants("S"))
        context.show("S", statesOf(heads, look.columns));
    return {read.y, read.last};
}

at::Tensor signalOfHeads(const PassContext& context, const char* name, const at::Tensor& heads)
{
    const at::Tensor changed = context.edited(name, heads.flatten(2));
    if (context.wants(name))
        context.show(name, changed);
    return changed.unflatten(-1, {heads.size(2), heads.size(3)});
}

} // namespace unroll::nodes
