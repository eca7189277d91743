// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cummax.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>

#include <limits>

namespace unroll::nodes::pool {

namespace {

/// The steps, with what is not real out of the way.
struct Steps {
    at::Tensor x;    // [T, B, in]
    at::Tensor real; // [T, B, 1] bool

    at::Tensor others(double value) const { return x.masked_fill(real.logical_not(), value); }
    at::Tensor count() const { return real.cumsum(0); } // up to each step
    /// The first real step, [1, B, 1]; of none any.
    at::Tensor oldest() const { return real.to(at::kByte).argmax(0, true); }
    /// The last real step up to each; -1 where there is none.
    at::Tensor newest() const
    {
        const at::Tensor index = at::arange(x.size(0), x.options().dtype(at::kLong)).view({-1, 1, 1});
        return std::get<0>(at::cummax(at::where(real, index, -1), 0));
    }
};

constexpr double kLeast = -std::numeric_limits<double>::infinity();

/// The steps at these places of each sequence, [n, B, 1] -> [n, B, in].
at::Tensor stepsAt(const Steps& steps, const at::Tensor& places)
{
    return steps.x.gather(0, places.clamp_min(0).expand({places.size(0), places.size(1), steps.x.size(2)}));
}

at::Tensor whole(const std::string& kind, const Steps& steps)
{
    if (kind == "max")
        return at::amax(steps.others(kLeast), 0);
    if (kind == "mean")
        return steps.others(0).sum(0) / steps.real.sum(0).clamp_min(1);
    return stepsAt(steps, kind == "first" ? steps.oldest() : steps.newest().narrow(0, steps.x.size(0) - 1, 1))
        .squeeze(0);
}

at::Tensor running(const std::string& kind, const Steps& steps)
{
    if (kind == "max")
        return std::get<0>(at::cummax(steps.others(kLeast), 0));
    if (kind == "mean")
        return steps.others(0).cumsum(0) / steps.count().clamp_min(1);
    if (kind == "first")
        return stepsAt(steps, steps.oldest().expand_as(steps.real));
    return stepsAt(steps, steps.newest());
}

class Pool final : public Block {
public:
    explicit Pool(const BlockSetup& setup) : Block(setup), m_kind(setup.text("kind")) {}

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        const at::Tensor x = only(inputs[0]), mask = only(inputs[1]);
        const at::Tensor all = at::ones({x.size(0), x.size(1)}, x.options().dtype(at::kBool));
        const Steps steps{x, (mask.defined() ? mask : all).unsqueeze(-1)};
        if (context.wants("running"))
            context.show("running", at::where(steps.count() > 0, running(m_kind, {x.detach(), steps.real}), 0));
        return {{at::where(steps.real.any(0), whole(m_kind, steps), 0)}}; // a sequence without a real step gives zeros
    }

private:
    std::string m_kind;
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Pool>(setup);
}

} // namespace unroll::nodes::pool
