// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <cassert>

namespace unroll::nodes::sparse_ffn {

namespace {

constexpr double kEdge = 1e-6; ///< of the uniform numbers behind the noise, whose logarithms are then finite

class SparseFfn final : public Block {
public:
    explicit SparseFfn(const BlockSetup& setup)
        : Block(setup),
          m_block(setup.integer("block_size")),
          m_temperature(setup.real("temperature")),
          m_softShare(setup.real("soft_share")),
          m_relaxes(setup.text("convention") == "gumbel_softmax"),
          m_low(addWeight(setup, "weight_low")),
          m_control(addWeight(setup, "weight_control")),
          m_up(addWeight(setup, "weight_up"))
    {
        if (setup.boolean("use_bias"))
            m_upBias = addWeight(setup, "bias_up");
        m_down = addWeight(setup, "weight_down");
        if (setup.boolean("use_bias"))
            m_downBias = addWeight(setup, "bias_down");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]);
        const at::Tensor scores = product(context, product(context, x, m_low), m_control).unflatten(-1, {-1, m_block});
        if (gathers(context, x))
            return {{ofKept(context, x, scores.argmax(-1))}};
        const at::Tensor m = context.edited("m", factors(context, scores).flatten(-2));
        const at::Tensor h = context.edited("h", product(context, x, m_up, m_upBias).relu() * m);
        if (context.wants("m"))
            context.show("m", m.detach());
        if (context.wants("h"))
            context.show("h", h.detach());
        return onlyOutput(context, product(context, h, m_down.t(), m_downBias));
    }

private:
    /// Whether the kept units alone are computed: no gradient is wanted, nobody looks, and the rows that are copied for
    /// each token are few beside a whole matrix. On one thread of an Intel Xeon copying was ahead up to as many tokens
    /// as a block has units, from 160 to 1,280 features; half of that is far from the edge.
    bool gathers(const PassContext& context, const at::Tensor& x) const
    {
        constexpr std::int64_t kCopying = 2;
        const bool plain = !context.training && context.observer == nullptr && context.editor == nullptr;
        return plain && !at::GradMode::is_enabled() && x.size(0) * x.size(1) * kCopying <= m_block;
    }

    /// What multiplies the hidden units, by their scores [T, B, blocks, block_size].
    at::Tensor factors(const PassContext& context, const at::Tensor& scores) const
    {
        at::Tensor noisy = scores;
        if (context.training) {
            assert(context.dropout != nullptr && "training draws noise");
            const at::Tensor uniform = at::empty(scores.sizes(), scores.options());
            const at::Tensor noise = uniform.uniform_(kEdge, 1 - kEdge, *context.dropout).log_().neg_().log_().neg_();
            noisy = scores + (m_relaxes ? noise : noise * m_temperature);
        }
        const at::Tensor soft = (m_relaxes ? noisy / m_temperature : scores).softmax(-1);
        const at::Tensor hard = at::zeros_like(soft).scatter_(-1, noisy.argmax(-1, true), 1) + (soft - soft.detach());
        if (!context.training)
            return hard;
        const at::Tensor drawn = at::empty({}, scores.options()).uniform_(0, 1, *context.dropout);
        return at::where(drawn.lt(m_softShare), soft, hard);
    }

    /// y where of each block one unit is kept, kept [T, B, blocks]: rows of both matrices are gathered.
    at::Tensor ofKept(const PassContext& context, const at::Tensor& x, const at::Tensor& kept) const
    {
        const std::int64_t tokens = x.size(0) * x.size(1), blocks = kept.size(2);
        const at::Tensor first = at::arange(0, blocks * m_block, m_block, kept.options());
        const at::Tensor rows = (kept + first).flatten();
        const auto gathered = [&](const at::Tensor& weight) {
            return factor(context, weight.index_select(0, rows)).view({tokens, blocks, weight.size(1)});
        };
        at::Tensor h =
            at::bmm(gathered(m_up), factor(context, x).reshape({tokens, x.size(2), 1})).to(m_up.scalar_type());
        if (m_upBias.defined())
            h = h + m_upBias.index_select(0, rows).view({tokens, blocks, 1});
        h = factor(context, h.relu_()).transpose(1, 2);
        const at::Tensor y =
            at::bmm(h, gathered(m_down)).to(m_down.scalar_type()).view({x.size(0), x.size(1), m_down.size(1)});
        return m_downBias.defined() ? y + m_downBias : y;
    }

    std::int64_t m_block;
    double m_temperature, m_softShare;
    bool m_relaxes;
    at::Tensor m_low, m_control;   // [rank, in], [inner, rank]: the controller
    at::Tensor m_up, m_upBias;     // [inner, in], [inner] or undefined
    at::Tensor m_down, m_downBias; // [inner, units], a row a hidden unit; [units] or undefined
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<SparseFfn>(setup);
}

} // namespace unroll::nodes::sparse_ffn
