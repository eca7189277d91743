// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/causal_attention.h"

#include "core/kernels/attention/attention.h"
#include "nodes/shared/attention_parts.h"
#include "nodes/shared/product.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>

namespace unroll::nodes {

/// Places count the real steps of a pass from 0; what is remembered stands at -1, -2 and so on before it.
struct CausalAttention::Places {
    at::Tensor query; // [B or 1, T]
    at::Tensor key;   // [B or 1, K], K = T, or window - 1 + T where something is remembered
    at::Tensor seen;  // bool [B or 1, 1, T, K]; undefined: each step sees itself and all before it
};

static at::TensorOptions typed(const at::Tensor& like, at::ScalarType type)
{
    return like.options().dtype(type).requires_grad(false);
}

at::Tensor CausalAttention::slotsOf(const at::Tensor& memory) const
{
    return memory.defined() ? memory.unflatten(1, {m_slots, -1}) : memory;
}

at::Tensor CausalAttention::numbersIn(const at::Tensor& past) const
{
    return past.select(2, m_form.width + m_values).detach();
}

at::Tensor CausalAttention::numbersOf(const at::Tensor& past, const at::Tensor& mask, std::int64_t steps,
                                      const at::Tensor& like) const
{
    const at::Tensor counted =
        mask.defined() ? mask.cumsum(1) : at::arange(1, steps + 1, typed(like, at::kLong)).unsqueeze(0);
    return past.defined() ? counted + numbersIn(past).amax(1, true).clamp_min(0).to(at::kLong) : counted;
}

CausalAttention::Places CausalAttention::placesOf(std::int64_t steps, const at::Tensor& past, const at::Tensor& mask,
                                                  const at::TensorOptions& options) const
{
    const auto integers = options.dtype(at::kLong).requires_grad(false);
    Places places;
    places.query = mask.defined() ? mask.cumsum(1) - 1 : at::arange(steps, integers).unsqueeze(0);
    places.key = places.query;
    if (past.defined())
        places.key = at::cat({at::arange(-m_slots, 0, integers).expand({places.query.size(0), -1}), places.query}, 1);
    if (past.defined() || mask.defined() || steps > m_slots + 1)
        places.seen = seenOf(places, past, mask);
    return places;
}

/// A step sees what is there, not after it and within the window; a masked one at least itself, so that its softmax is
/// of something.
at::Tensor CausalAttention::seenOf(const Places& places, const at::Tensor& past, const at::Tensor& mask) const
{
    const auto flags = typed(places.query, at::kBool);
    const at::Tensor distance = places.query.unsqueeze(2) - places.key.unsqueeze(1);
    at::Tensor seen = distance.ge(0).logical_and(distance.le(m_slots));
    std::vector<at::Tensor> there;
    if (past.defined())
        there.push_back(numbersIn(past).gt(0));
    if (mask.defined())
        there.push_back(mask);
    else if (past.defined())
        there.push_back(at::ones({past.size(0), places.query.size(1)}, flags));
    if (!there.empty())
        seen = seen.logical_and(at::cat(there, 1).unsqueeze(1));
    if (mask.defined()) {
        const std::int64_t steps = seen.size(1), before = seen.size(2) - steps;
        seen = seen.logical_or(at::ones({steps, seen.size(2)}, flags).triu(before).tril(before));
    }
    return seen.unsqueeze(1);
}

/// r_0, r_1, ..., [count, width]: sines of all rates, then cosines. Worked out in double, as RoPE's angles.
static at::Tensor distanceTable(std::int64_t count, std::int64_t width, const at::Tensor& like)
{
    constexpr double kBase = 10000;
    const auto options = typed(like, at::kDouble);
    const at::Tensor rates = at::pow(kBase, at::arange(width / 2, options) / (-static_cast<double>(width) / 2));
    const at::Tensor angles = at::arange(count, options).unsqueeze(1) * rates;
    return at::cat({angles.sin(), angles.cos()}, 1).to(like.scalar_type());
}

/// (q + position) (weight r_d) / sqrt(n) for every query and key, d the steps between them; [B, heads, T, K]. q [B,
/// heads, T, n].
at::Tensor CausalAttention::scoresOfDistance(const PassContext& context, const at::Tensor& q,
                                             const Places& places) const
{
    const std::int64_t features = q.size(3), count = std::min(m_form.window, places.key.size(1));
    const at::Tensor r = product(context, distanceTable(count, m_relative.weight.size(1), q), m_relative.weight);
    const at::Tensor byHead = r.view({count, m_form.heads, features}).permute({1, 2, 0});
    const at::Tensor query = q + m_relative.position.view({m_form.heads, 1, features});
    const at::Tensor all = at::matmul(factor(context, query), factor(context, byHead)).to(q.scalar_type());
    const at::Tensor distance = (places.query.unsqueeze(2) - places.key.unsqueeze(1)).clamp(0, count - 1);
    const at::Tensor index = distance.unsqueeze(1).expand({q.size(0), m_form.heads, -1, -1});
    return all.gather(3, index) / std::sqrt(static_cast<double>(features));
}

at::Tensor CausalAttention::gathered(const PassContext& context, const at::Tensor& qkv, at::Tensor past,
                                     const at::Tensor& mask)
{
    if (past.defined() && !numbersIn(past).gt(0).any().item<bool>())
        past = at::Tensor();
    const double farthest = static_cast<double>(std::max(qkv.size(0), past.defined() ? m_slots : 0));
    TORCH_CHECK(m_form.xposScale == 0 || farthest <= kMostXposScales * m_form.xposScale, "xPos of scale ",
                m_form.xposScale, " reaches over ", kMostXposScales * m_form.xposScale,
                " steps at most; asked for were ", farthest);
    const bool distances = m_relative.weight.defined();
    if (!distances && m_values == m_form.width && !past.defined() && !mask.defined() && qkv.size(0) <= m_slots + 1 &&
        canAttendInOne(context, qkv, m_form.dropout))
        return attendInOne(qkv);
    const auto parts = qkv.transpose(0, 1).split_with_sizes({m_form.width, m_form.width, m_values}, -1); // [B, T, ...]
    const auto before = [&](std::int64_t from, const at::Tensor& now) {
        return past.defined() ? at::cat({past.narrow(2, from, now.size(2)), now}, 1) : now;
    };
    const Places places = placesOf(parts[0].size(1), past, mask, qkv.options());
    at::Tensor q = splitHeads(parts[0], m_form.heads), k = splitHeads(before(0, parts[1]), m_form.heads);
    if (m_form.ropeBase > 0) {
        const bool fromFirst = !past.defined() && !mask.defined();
        const Turns turns = fromFirst ? turnsOfPass(qkv) : turnsAt(places, q.scalar_type());
        q = rotated(q, turns.query);
        k = rotated(k, turns.key);
    }
    const at::Tensor v = splitHeads(before(m_form.width, parts[2]), m_form.heads);
    // Single steps show as many keys before there is anything to remember as after: in a loop they become one matrix.
    const bool first = context.keepsState && !past.defined() && qkv.size(0) == 1;
    AttentionCall call{
        .q = q, .k = k, .v = v, .seen = places.seen, .dropout = m_form.dropout, .emptyKeys = first ? m_slots : 0};
    if (distances) {
        call.bias = scoresOfDistance(context, q, places);
        call.q = q + m_relative.content.view({m_form.heads, 1, q.size(3)});
    }
    return attend(context, call).permute({2, 0, 1, 3}).flatten(2);
}

CausalAttention::Turns CausalAttention::turnsAt(const Places& places, at::ScalarType type) const
{
    const std::int64_t features = m_form.width / m_form.heads;
    const bool grows = m_form.xposScale > 0;
    const auto tableAt = [&](const at::Tensor& where) {
        return ropeTable(where, features, m_form.ropeBase, grows ? at::kDouble : type);
    };
    const RopeTable query = tableAt(places.query);
    const RopeTable key = places.key.is_same(places.query) ? query : tableAt(places.key);
    if (!grows)
        return {query, key};
    const auto exponent = [&](const at::Tensor& where, double sign) {
        return where.to(at::kDouble) * (sign / m_form.xposScale);
    };
    return {grown(query, exponent(places.query, 1), type), grown(key, exponent(places.key, -1), type)};
}

/// Of qkv's steps, the first at place 0; kept for the next pass of as many.
const CausalAttention::Turns& CausalAttention::turnsOfPass(const at::Tensor& qkv)
{
    const at::Tensor& kept = m_turns.query.cos;
    if (!kept.defined() || kept.size(1) != qkv.size(0) || kept.scalar_type() != qkv.scalar_type()) {
        const at::Tensor places = at::arange(qkv.size(0), typed(qkv, at::kLong)).unsqueeze(0);
        m_turns = turnsAt({places, places, {}}, qkv.scalar_type());
    }
    return m_turns;
}

/// Where each step sees itself and all before it, and nobody looks at the weights.
at::Tensor CausalAttention::attendInOne(const at::Tensor& qkv)
{
    if (m_form.ropeBase == 0)
        return kernels::causalAttention(qkv, m_form.heads);
    const Turns& turns = turnsOfPass(qkv);
    if (m_form.xposScale == 0)
        return kernels::causalAttention(qkv, m_form.heads, turns.query.cos, turns.query.sin);
    const auto parts = qkv.transpose(0, 1).chunk(3, -1); // [B, T, width]; the kernel turns both by one table
    const auto turned = [&](const at::Tensor& part, const RopeTable& table) {
        return rotated(splitHeads(part, m_form.heads), table).permute({2, 0, 1, 3}).flatten(2);
    };
    const at::Tensor q = turned(parts[0], turns.query), k = turned(parts[1], turns.key);
    return kernels::causalAttention(at::cat({q, k, parts[2].transpose(0, 1)}, 2), m_form.heads);
}

at::Tensor CausalAttention::remembered(const at::Tensor& past, const at::Tensor& qkv, const at::Tensor& numbers,
                                       const at::Tensor& mask) const
{
    const at::Tensor keysAndValues = qkv.narrow(2, m_form.width, m_form.width + m_values).transpose(0, 1);
    const at::Tensor column = numbers.to(qkv.scalar_type()).unsqueeze(-1).expand({keysAndValues.size(0), -1, 1});
    const at::Tensor rows = at::cat({keysAndValues, column}, 2); // [B, T, width + values + 1]
    const at::Tensor before =
        past.defined() ? past : at::zeros({rows.size(0), m_slots, rows.size(2)}, typed(rows, rows.scalar_type()));
    at::Tensor all = at::cat({before, rows}, 1);
    if (mask.defined()) {
        const at::Tensor kept = at::cat({at::ones({rows.size(0), m_slots}, typed(rows, at::kBool)), mask}, 1);
        const at::Tensor order = at::argsort(kept.to(at::kInt), /*stable=*/true, 1, /*descending=*/false);
        all = all.gather(1, order.unsqueeze(-1).expand(all.sizes()));
    }
    // A view would keep all steps of the pass as long as the state is remembered.
    return all.narrow(1, all.size(1) - m_slots, m_slots).flatten(1).contiguous();
}

} // namespace unroll::nodes
