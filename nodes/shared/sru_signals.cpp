// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/sru_signals.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros_like.h>

namespace unroll::nodes {

/// c before each step of its direction, [T, B, directions units].
static at::Tensor before(const SruPass& pass)
{
    const at::Tensor c = pass.c.detach();
    const at::Tensor first =
        (pass.initial.defined() ? pass.initial.detach() : at::zeros_like(c.select(0, 0))).unsqueeze(0);
    at::Tensor forward = at::cat({first, c}).narrow(0, 0, c.size(0));
    if (pass.u.size(2) == 1)
        return forward;
    const std::int64_t units = pass.u.size(4);
    const at::Tensor backward = at::cat({c, first}).narrow(0, 1, c.size(0));
    return at::cat({forward.narrow(-1, 0, units), backward.narrow(-1, units, units)}, -1);
}

void showSruSignals(const PassContext& context, const SruPass& pass)
{
    if (context.wants("c"))
        context.show("c", pass.c.detach());
    const char* names[] = {"f", "r"};
    for (std::int64_t gate = 0; gate < 2; ++gate) {
        if (!context.wants(names[gate]))
            continue;
        const at::Tensor part = pass.u.detach().select(3, gate + 1).reshape(pass.c.sizes());
        const at::Tensor v = pass.weightC.detach().view({2, -1})[gate], b = pass.bias.detach().view({2, -1})[gate];
        context.show(names[gate], at::sigmoid(at::addcmul(part + b, v, before(pass))));
    }
}

SruStep editedSruStep(const PassContext& context, const SruPass& pass, const at::Tensor& skip, bool tanh)
{
    const auto part = [&](std::int64_t which) { return pass.u.select(3, which).flatten(2); };
    const at::Tensor v = pass.weightC.view({2, -1}), b = pass.bias.view({2, -1});
    const at::Tensor before = pass.initial.defined() ? pass.initial.unsqueeze(0) : at::zeros_like(part(0));
    const auto gate = [&](std::int64_t which) {
        return at::sigmoid(at::addcmul(part(which + 1) + b[which], v[which], before));
    };
    const at::Tensor f = context.edited("f", gate(0)), r = context.edited("r", gate(1));
    const at::Tensor c = context.edited("c", f * before + (1 - f) * part(0));
    const at::Tensor shown = tanh ? at::tanh(c) : c;
    return {skip.defined() ? (shown - skip) * r + skip : shown * r, c};
}

} // namespace unroll::nodes
