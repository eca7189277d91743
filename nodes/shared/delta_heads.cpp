// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/delta_heads.h"

#include "core/kernels/delta_scan/delta_scan.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace unroll::nodes {

namespace {

at::Tensor deltaBefore(const DeltaHeads& heads)
{
    if (heads.before.defined())
        return heads.before;
    const at::Tensor& k = heads.k;
    return at::zeros({k.size(1), k.size(2), k.size(3), heads.v.size(3)}, k.options().requires_grad(false));
}

/// [B, heads, m] = S^T x
at::Tensor readUnder(const at::Tensor& x, const at::Tensor& state)
{
    return at::matmul(x.unsqueeze(-2), state).squeeze(-2);
}

at::Tensor outer(const at::Tensor& key, const at::Tensor& value)
{
    return key.unsqueeze(-1) * value.unsqueeze(-2);
}

/// What decays, of the state before step t of the rule.
at::Tensor fadedAt(const DeltaHeads& heads, std::int64_t t, const at::Tensor& state)
{
    if (!heads.w)
        return state;
    const at::Tensor w = (*heads.w)[t].unsqueeze(-1);
    return (heads.w->dim() == 4 ? w : w.unsqueeze(-1)) * state;
}

/// The state after step t of the rule, which found u in the one before it.
at::Tensor deltaAfter(const DeltaHeads& heads, std::int64_t t, const at::Tensor& u, const at::Tensor& state)
{
    const at::Tensor faded = fadedAt(heads, t, state);
    if (!heads.b)
        return faded + outer(heads.k[t], heads.v[t] + u);
    return faded + outer((*heads.b)[t], u) + outer(heads.k[t], heads.v[t]);
}

/// Masked steps as steps that take nothing away, write nothing and forget nothing, whose queries read.
DeltaHeads passingMasked(DeltaHeads heads)
{
    const at::Tensor real = heads.mask.unsqueeze(-1).unsqueeze(-1);
    heads.k = at::where(real, heads.k, 0); // k v^T is 0 then, whatever v is, and likewise b u^T
    if (heads.b)
        heads.b = at::where(real, *heads.b, 0);
    if (heads.w)
        heads.w = at::where(heads.w->dim() == 4 ? real : heads.mask.unsqueeze(-1), *heads.w, 1);
    heads.mask = at::Tensor();
    return heads;
}

/// [T, B, heads, n, m], from what every step of the rule found.
at::Tensor statesOfDelta(const DeltaHeads& heads, const at::Tensor& u, std::int64_t substeps)
{
    const at::NoGradGuard values;
    std::vector<at::Tensor> states;
    at::Tensor state = deltaBefore(heads);
    for (std::int64_t t = 0; t < heads.k.size(0); ++t) {
        const at::Tensor after = deltaAfter(heads, t, u[t], state);
        state = heads.mask.defined() ? at::where(heads.mask[t].view({-1, 1, 1, 1}), after, state) : after;
        if ((t + 1) % substeps == 0)
            states.push_back(state);
    }
    return at::stack(states);
}

/// [T, B, substeps heads m] of [T substeps, B, heads, m].
at::Tensor besideEachOther(const at::Tensor& steps, std::int64_t substeps)
{
    return steps.unflatten(0, {-1, substeps}).transpose(1, 2).flatten(2);
}

/// What substep `t` of one step writes under its key; `width` of it are one substep's.
at::Tensor editedWritten(const PassContext& context, const char* signal, const at::Tensor& made, std::int64_t t,
                         std::int64_t substeps)
{
    if (!context.edits(signal))
        return made;
    const at::Tensor flat = made.flatten(1).unsqueeze(0);
    const EditPlace place{context.step, t * flat.size(2), substeps * flat.size(2)};
    return context.editor->edited(context.node, signal, flat, place).reshape(made.sizes());
}

/// One step of the sequence by the formulas.
DeltaRead editedDelta(const PassContext& context, const DeltaHeads& heads, DeltaLook look)
{
    at::Tensor state = deltaBefore(heads);
    std::vector<at::Tensor> written, read;
    for (std::int64_t t = 0; t < heads.k.size(0); ++t) {
        const at::Tensor u = readUnder(heads.z[t], state);
        if (look.written != nullptr) {
            written.push_back(editedWritten(context, look.written, heads.v[t] + u, t, look.substeps));
            state = fadedAt(heads, t, state) + outer(heads.k[t], written.back());
        } else {
            state = deltaAfter(heads, t, u, state);
        }
        if (t + 1 == look.substeps)
            state = context.edited("S", state.unsqueeze(0)).squeeze(0);
        read.push_back(readUnder(heads.q[t], state));
    }
    if (look.written != nullptr && context.wants(look.written))
        context.show(look.written, besideEachOther(at::stack(written), look.substeps));
    if (context.wants("S"))
        context.show("S", state.unsqueeze(0));
    return {at::stack(read), state};
}

} // namespace

DeltaRead readDelta(const PassContext& context, const DeltaHeads& heads, DeltaLook look)
{
    if (context.edits("S") || (look.written != nullptr && context.edits(look.written)))
        return editedDelta(context, heads, look);
    const DeltaHeads walked = heads.readsMasked && heads.mask.defined() ? passingMasked(heads) : heads;
    const auto read = kernels::deltaScan(walked.q, walked.k, walked.v, walked.z, walked.b, walked.w,
                                         whereDefined(walked.before), whereDefined(walked.mask));
    if (look.written != nullptr && context.wants(look.written))
        context.show(look.written, besideEachOther(heads.v + read.u, look.substeps).detach());
    if (context.wants("S"))
        context.show("S", statesOfDelta(heads, read.u, look.substeps));
    return {read.y, read.last};
}

at::Tensor unitLength(const at::Tensor& x, double epsilon)
{
    return x * (x.square().sum(-1, /*keepdim=*/true) + epsilon).rsqrt();
}

} // namespace unroll::nodes
