// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/attention/attention.h"
#include "nodes/shared/attention.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

namespace unroll::nodes::attention {

namespace {

/// Places count the real steps of a pass from 0; what is remembered stands at -1, -2 and so on before it.
struct Places {
    at::Tensor query; // [B or 1, T]
    at::Tensor key;   // [B or 1, K], K = T, or window - 1 + T where something is remembered
    at::Tensor seen;  // bool [B or 1, 1, T, K]; undefined: each step sees itself and all before it
};

/// What is remembered is a ring laid out straight: the last window - 1 steps, the newest at the end, [B, window - 1, 2 width + 1]: key
/// before it is turned, value, and the step's number in its sequence, from 1. An empty slot is zeros, and so is a state of nothing.
class Attention final : public Block {
public:
    explicit Attention(const BlockSetup& setup)
        : Block(setup),
          m_heads(setup.integer("num_heads")),
          m_width(setup.dimension("input_size")),
          m_slots(setup.integer("window") - 1),
          m_ropeBase(setup.text("positions") == "rope" ? setup.real("rope_base") : 0),
          m_dropout(setup.real("dropout"))
    {
        if (setup.text("positions") == "learned")
            m_position = addWeight(setup, "position.weight");
        m_in = addWeight(setup, "in_proj_weight");
        m_out = addWeight(setup, "out_proj.weight");
        if (setup.boolean("bias")) {
            m_inBias = addWeight(setup, "in_proj_bias");
            m_outBias = addWeight(setup, "out_proj.bias");
        }
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        at::Tensor x = only(inputs[0]);
        const at::Tensor mask = only(inputs[2]).defined() ? only(inputs[2]).transpose(0, 1) : at::Tensor(); // [B, T]
        const at::Tensor past = inputs[1].empty() ? at::Tensor() : inputs[1][0].unflatten(1, {m_slots, -1});
        const at::Tensor numbers = numbersOf(past, x, mask);
        if (m_position.defined())
            x = x + at::embedding(m_position, rowsOf(numbers)).transpose(0, 1);
        const at::Tensor qkv = product(context, x, m_in, m_inBias);
        at::Tensor y = gathered(context, qkv, past, mask);
        y = product(context, y, m_out, m_outBias);
        if (context.training && m_dropout > 0)
            y = y * dropoutMask(context, y.sizes(), y, m_dropout);
        if (mask.defined())
            y = at::where(mask.transpose(0, 1).unsqueeze(-1), y, 0);
        if (!context.keepsState)
            return {{y}, {}};
        const at::Tensor rows = qkv.narrow(2, m_width, 2 * m_width).transpose(0, 1);
        return {{y}, {remembered(past, at::cat({rows, columnOf(numbers, rows)}, 2), mask)}};
    }

    Value initialState(std::int64_t sequences) const override
    {
        return {at::zeros({sequences, m_slots * (2 * m_width + 1)}, m_in.options().requires_grad(false))};
    }

private:
    at::Tensor numbersIn(const at::Tensor& past) const { return past.select(2, 2 * m_width).detach(); }

    /// The number of each step in its sequence, from 1; [B or 1, T] int64.
    at::Tensor numbersOf(const at::Tensor& past, const at::Tensor& x, const at::Tensor& mask) const
    {
        const auto integers = x.options().dtype(at::kLong).requires_grad(false);
        const at::Tensor counted =
            mask.defined() ? mask.cumsum(1) : at::arange(1, x.size(0) + 1, integers).unsqueeze(0);
        return past.defined() ? counted + numbersIn(past).amax(1, true).clamp_min(0).to(at::kLong) : counted;
    }

    /// Of the table of positions. Masked steps before the first real one have number 0 and take any row.
    at::Tensor rowsOf(const at::Tensor& numbers) const
    {
        const std::int64_t most = numbers.numel() > 0 ? numbers.max().item<std::int64_t>() : 0;
        TORCH_CHECK(most <= m_position.size(0), "step ", most, " has no position: max_positions is ",
                    m_position.size(0));
        return (numbers - 1).clamp_min(0);
    }

    static at::Tensor columnOf(const at::Tensor& numbers, const at::Tensor& like)
    {
        return numbers.to(like.scalar_type()).unsqueeze(-1).expand({like.size(0), -1, 1});
    }

    Places placesOf(std::int64_t steps, const at::Tensor& past, const at::Tensor& mask) const
    {
        const auto integers = m_in.options().dtype(at::kLong).requires_grad(false);
        Places places;
        places.query = mask.defined() ? mask.cumsum(1) - 1 : at::arange(steps, integers).unsqueeze(0);
        places.key = places.query;
        if (past.defined())
            places.key =
                at::cat({at::arange(-m_slots, 0, integers).expand({places.query.size(0), -1}), places.query}, 1);
        if (past.defined() || mask.defined() || steps > m_slots + 1)
            places.seen = seenOf(places, past, mask);
        return places;
    }

    /// A step sees what is there, not after it and within the window; a masked one at least itself, so that its softmax is of something.
    at::Tensor seenOf(const Places& places, const at::Tensor& past, const at::Tensor& mask) const
    {
        const at::Tensor distance = places.query.unsqueeze(2) - places.key.unsqueeze(1);
        at::Tensor seen = distance.ge(0).logical_and(distance.le(m_slots));
        std::vector<at::Tensor> there;
        if (past.defined())
            there.push_back(numbersIn(past).gt(0));
        if (mask.defined())
            there.push_back(mask);
        else if (past.defined())
            there.push_back(at::ones({past.size(0), places.query.size(1)}, flags()));
        if (!there.empty())
            seen = seen.logical_and(at::cat(there, 1).unsqueeze(1));
        if (mask.defined()) {
            const std::int64_t steps = seen.size(1), before = seen.size(2) - steps;
            seen = seen.logical_or(at::ones({steps, seen.size(2)}, flags()).triu(before).tril(before));
        }
        return seen.unsqueeze(1);
    }

    at::TensorOptions flags() const { return m_in.options().dtype(at::kBool).requires_grad(false); }

    /// What the heads gather for each step, side by side, [T, B, width]. qkv [T, B, 3 width].
    at::Tensor gathered(const PassContext& context, const at::Tensor& qkv, at::Tensor past, const at::Tensor& mask)
    {
        if (past.defined() && !numbersIn(past).gt(0).any().item<bool>())
            past = at::Tensor();
        if (!past.defined() && !mask.defined() && qkv.size(0) <= m_slots + 1 && canAttendInOne(context, qkv, m_dropout))
            return attendInOne(qkv);
        const auto parts = qkv.transpose(0, 1).chunk(3, -1); // [B, T, width]
        const auto before = [&](std::int64_t from, const at::Tensor& now) {
            return past.defined() ? at::cat({past.narrow(2, from, m_width), now}, 1) : now;
        };
        const Places places = placesOf(parts[0].size(1), past, mask);
        at::Tensor q = splitHeads(parts[0], m_heads), k = splitHeads(before(0, parts[1]), m_heads);
        if (m_ropeBase > 0) {
            const auto turns = [&](const at::Tensor& at) {
                return turnsOf(at, q.size(-1), m_ropeBase, q.scalar_type());
            };
            const Turns query = turns(places.query), key = past.defined() ? turns(places.key) : query;
            q = rotated(q, query);
            k = rotated(k, key);
        }
        const at::Tensor v = splitHeads(before(m_width, parts[2]), m_heads);
        return attend(context, {q, k, v, places.seen, m_dropout}).permute({2, 0, 1, 3}).flatten(2);
    }

    /// Where each step sees itself and all before it, and nobody looks at the weights.
    at::Tensor attendInOne(const at::Tensor& qkv)
    {
        if (m_ropeBase == 0)
            return kernels::causalAttention(qkv, m_heads);
        if (!m_turns.cos.defined() || m_turns.cos.size(1) != qkv.size(0)) {
            const at::Tensor places = at::arange(qkv.size(0), qkv.options().dtype(at::kLong).requires_grad(false));
            m_turns = turnsOf(places.unsqueeze(0), m_width / m_heads, m_ropeBase, qkv.scalar_type());
        }
        return kernels::causalAttention(qkv, m_heads, m_turns.cos, m_turns.sin);
    }

    /// The last of what was remembered and the real ones among the new rows [B, T, 2 width + 1], in their order.
    at::Tensor remembered(const at::Tensor& past, const at::Tensor& rows, const at::Tensor& mask) const
    {
        const at::Tensor before =
            past.defined() ? past : at::zeros({rows.size(0), m_slots, rows.size(2)}, rows.options());
        at::Tensor all = at::cat({before, rows}, 1);
        if (mask.defined()) {
            const at::Tensor kept = at::cat({at::ones({rows.size(0), m_slots}, flags()), mask}, 1);
            const at::Tensor order = at::argsort(kept.to(at::kInt), /*stable=*/true, 1, /*descending=*/false);
            all = all.gather(1, order.unsqueeze(-1).expand(all.sizes()));
        }
        return all.narrow(1, all.size(1) - m_slots, m_slots).flatten(1);
    }

    std::int64_t m_heads, m_width;
    std::int64_t m_slots; // steps remembered: the window without the present one
    double m_ropeBase;    // 0: no RoPE
    double m_dropout;
    Turns m_turns;               // of the steps from the first one on, as many as the last pass had
    at::Tensor m_position;       // [max_positions, width], or undefined
    at::Tensor m_in, m_inBias;   // [3 width, width], [3 width] or undefined: query, key, value
    at::Tensor m_out, m_outBias; // [width, width], [width] or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Attention>(setup);
}

} // namespace unroll::nodes::attention
