// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/attention.h"

#include "core/kernels/op/tensor_checks.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include <cmath>
#include <limits>

namespace unroll::nodes {

namespace {

constexpr double kUnseen = -std::numeric_limits<double>::infinity();

/// Scores [B or 1, heads, T, K], minus infinity where a key is not seen.
at::Tensor amongSeen(const AttentionCall& call, const at::Tensor& scores)
{
    const std::int64_t steps = call.q.size(2);
    at::Tensor seen = call.seen;
    if (!seen.defined() && call.causal)
        seen = at::ones({steps, steps}, call.q.options().dtype(at::kBool)).tril();
    return seen.defined() ? scores.masked_fill(seen.logical_not(), kUnseen) : scores;
}

/// [B or 1, heads, T, K]
at::Tensor attentionWeights(const PassContext& context, const AttentionCall& call)
{
    const at::Tensor products = at::matmul(factor(context, call.q), factor(context, call.k).transpose(-1, -2));
    const double scale = 1 / std::sqrt(static_cast<double>(call.q.size(3)));
    at::Tensor scores = products.to(call.q.scalar_type()) * scale;
    if (call.bias.defined())
        scores = scores + call.bias;
    return amongSeen(call, scores).softmax(-1);
}

at::Tensor fusedAttention(const PassContext& context, const AttentionCall& call)
{
    const at::Tensor q = factor(context, call.q);
    at::Tensor seen = call.seen;
    if (call.bias.defined())
        seen = amongSeen(call, call.bias).to(q.scalar_type());
    return at::scaled_dot_product_attention(q, factor(context, call.k), factor(context, call.v), whereDefined(seen),
                                            /*dropout_p=*/0.0, /*is_causal=*/call.causal && !seen.defined());
}

} // namespace

at::Tensor splitHeads(const at::Tensor& x, std::int64_t heads)
{
    return x.unflatten(-1, {heads, x.size(-1) / heads}).transpose(1, 2);
}

RopeTable ropeTable(const at::Tensor& places, std::int64_t features, double base, at::ScalarType type)
{
    const std::int64_t half = features / 2;
    const at::Tensor pairs = at::arange(half, places.options().dtype(at::kDouble)) / static_cast<double>(half);
    const at::Tensor angles = places.to(at::kDouble).unsqueeze(-1) * at::pow(base, pairs.neg());
    return {angles.cos().to(type), angles.sin().to(type)};
}

RopeTable grown(const RopeTable& table, const at::Tensor& exponent, at::ScalarType type)
{
    constexpr double kSmallest = 0.4; // gamma in the paper
    const std::int64_t half = table.cos.size(-1);
    const at::Tensor pairs = at::arange(half, exponent.options()) / static_cast<double>(half);
    const at::Tensor factors = at::pow((pairs + kSmallest) / (1 + kSmallest), exponent.unsqueeze(-1));
    return {(table.cos * factors).to(type), (table.sin * factors).to(type)};
}

at::Tensor rotated(const at::Tensor& heads, const RopeTable& table)
{
    const std::int64_t half = heads.size(-1) / 2;
    const at::Tensor cos = table.cos.unsqueeze(1), sin = table.sin.unsqueeze(1);
    const at::Tensor a = heads.narrow(-1, 0, half), b = heads.narrow(-1, half, half);
    return at::cat({a * cos - b * sin, a * sin + b * cos}, -1);
}

/// Beyond, a row of scores leaves the caches; torch's operation walks the keys in pieces and is ahead.
static constexpr std::int64_t kStepsInOne = 4096;

static bool drops(const PassContext& context, double dropout)
{
    return context.training && dropout > 0;
}

bool canAttendInOne(const PassContext& context, const at::Tensor& qkv, double dropout)
{
    return kernels::hasRowKernel(qkv) && qkv.size(0) <= kStepsInOne && !context.bf16 && !drops(context, dropout) &&
           !context.wants("weights");
}

at::Tensor attend(const PassContext& context, const AttentionCall& call)
{
    const bool shows = context.wants("weights");
    if (!drops(context, call.dropout) && !shows)
        return fusedAttention(context, call).to(call.v.scalar_type());
    at::Tensor weights = attentionWeights(context, call);
    if (shows)
        context.show("weights",
                     at::constant_pad_nd(weights.detach(), {call.emptyKeys, 0}).permute({2, 0, 1, 3}).flatten(2));
    if (drops(context, call.dropout))
        weights = weights * dropoutMask(context, weights.sizes(), weights, call.dropout);
    return at::matmul(factor(context, weights), factor(context, call.v)).to(call.v.scalar_type());
}

} // namespace unroll::nodes
