// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/loss_only.h"
#include "nodes/shared/class_bands.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/nll_loss.h>
#include <ATen/ops/where.h>

namespace unroll::nodes::adaptive_head {

namespace {

constexpr std::int64_t kNotScored = -100;

/// Sum of -ln p(target) over the scored targets; logs [N, classes], targets [N].
at::Tensor totalLoss(const at::Tensor& logs, const at::Tensor& targets)
{
    return at::nll_loss(logs, targets, {}, at::Reduction::Sum, kNotScored);
}

class AdaptiveHead final : public Block {
public:
    explicit AdaptiveHead(const BlockSetup& setup)
        : Block(setup), m_bands(bandsOf(setup.text("cutoffs"), setup.dimension("classes")))
    {
        m_head = addWeight(setup, "head.weight");
        if (setup.boolean("head_bias"))
            m_bias = addWeight(setup, "head.bias");
        for (std::size_t tail = 0; tail < m_bands.tails(); ++tail)
            m_tails.push_back({addWeight(setup, tailWeight(tail, 0)), addWeight(setup, tailWeight(tail, 1))});
    }

    /// The logits are left out where only the loss is asked for.
    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), targets = only(inputs[1]);
        if (targets.defined() && LossOnly::isAsked() && context.observer == nullptr && context.editor == nullptr)
            return {{lossByTails(context, x.reshape({-1, x.size(-1)}), targets.reshape({-1}))}, {}};
        const at::Tensor logits = logProbabilities(context, x);
        if (context.wants("probability"))
            context.show("probability", at::exp(logits.detach()));
        Value loss;
        if (targets.defined()) {
            const at::Tensor flat = targets.reshape({-1});
            loss.push_back(mean(totalLoss(logits.reshape({-1, logits.size(-1)}), flat), flat));
        }
        return {loss, {logits}};
    }

private:
    struct Tail {
        at::Tensor down; // [h, in]
        at::Tensor up;   // [classes of the tail, h]
    };

    static at::Tensor mean(const at::Tensor& total, const at::Tensor& targets)
    {
        return total / targets.ne(kNotScored).sum().clamp_min(1);
    }

    /// [..., in] to the log-probabilities within the shortlist and of the tails, [..., shortlist + tails].
    at::Tensor firstOf(const PassContext& context, const at::Tensor& x) const
    {
        return at::log_softmax(product(context, x, m_head, m_bias), -1);
    }

    /// Log-probabilities within a tail.
    static at::Tensor within(const PassContext& context, const at::Tensor& x, const Tail& tail)
    {
        return at::log_softmax(product(context, product(context, x, tail.down), tail.up), -1);
    }

    at::Tensor logProbabilities(const PassContext& context, const at::Tensor& x) const
    {
        const at::Tensor first = firstOf(context, x);
        std::vector<at::Tensor> parts = {first.narrow(-1, 0, m_bands.shortlist())};
        for (std::size_t tail = 0; tail < m_tails.size(); ++tail) {
            const at::Tensor share = first.narrow(-1, m_bands.shortlist() + static_cast<std::int64_t>(tail), 1);
            parts.push_back(within(context, x, m_tails[tail]) + share);
        }
        return at::cat(parts, -1);
    }

    /// The same loss from x [N, in] and targets [N]; every tail is read at its own targets alone.
    at::Tensor lossByTails(const PassContext& context, const at::Tensor& x, const at::Tensor& targets) const
    {
        at::Tensor places = targets; // in the first layer
        std::vector<at::Tensor> totals;
        for (std::size_t tail = 0; tail < m_tails.size(); ++tail) {
            const std::int64_t from = m_bands.first(tail), to = from + m_bands.size(tail);
            const at::Tensor here = targets.ge(from).logical_and(targets.lt(to));
            places = at::where(here, m_bands.shortlist() + static_cast<std::int64_t>(tail), places);
            const at::Tensor rows = here.nonzero().squeeze(-1);
            if (rows.numel() == 0) { // so that the weights have a gradient, zero
                totals.push_back(at::linear(at::linear(x.narrow(0, 0, 0), m_tails[tail].down), m_tails[tail].up).sum());
                continue;
            }
            totals.push_back(totalLoss(within(context, x.index_select(0, rows), m_tails[tail]),
                                       targets.index_select(0, rows) - from));
        }
        at::Tensor total = totalLoss(firstOf(context, x), places);
        for (const at::Tensor& part : totals)
            total = total + part;
        return mean(total, targets);
    }

    ClassBands m_bands;
    at::Tensor m_head; // [shortlist + tails, in]
    at::Tensor m_bias; // [shortlist + tails], or undefined
    std::vector<Tail> m_tails;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<AdaptiveHead>(setup);
}

} // namespace unroll::nodes::adaptive_head
