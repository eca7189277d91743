// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/linear_recurrence.h"
#include "nodes/shared/product.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

namespace unroll::nodes::lru {

namespace {

class Lru final : public LinearRecurrence {
public:
    explicit Lru(const BlockSetup& setup) : LinearRecurrence(setup)
    {
        m_bRe = addWeight(setup, "B_re");
        m_bIm = addWeight(setup, "B_im");
        m_cRe = addWeight(setup, "C_re");
        m_cIm = addWeight(setup, "C_im");
        if (setup.text("skip") != "none")
            m_skip.weight = addWeight(setup, "D");
    }

protected:
    /// One real product whose outputs lie in pairs.
    at::Tensor entering(const PassContext& context, const at::Tensor& x, const at::Tensor& gamma) const override
    {
        const at::Tensor rows = gamma.unsqueeze(-1);
        const at::Tensor pairs = at::stack({m_bRe * rows, m_bIm * rows}, 1).flatten(0, 1);
        return product(context, x, pairs).unflatten(-1, {m_states, 2});
    }

    /// One real product over the pairs.
    at::Tensor leaving(const PassContext& context, const at::Tensor& h) const override
    {
        return product(context, h.flatten(2), at::stack({m_cRe, -m_cIm}, 2).flatten(1));
    }

private:
    at::Tensor m_bRe, m_bIm; // [N, in]
    at::Tensor m_cRe, m_cIm; // [units, N]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<Lru>(setup);
}

} // namespace unroll::nodes::lru
