// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/kernels/op/tensor_checks.h"
#include "nodes/shared/linear_recurrence.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

#include <utility>

namespace unroll::nodes::lrumml {

namespace {

class LruMml final : public LinearRecurrence {
public:
    explicit LruMml(const BlockSetup& setup) : LinearRecurrence(setup)
    {
        const bool fully = setup.boolean("fully_mml");
        m_bRe = layer(setup, "B_re", true);
        m_bIm = layer(setup, "B_im", true);
        m_cRe = layer(setup, "C_re", fully);
        m_cIm = layer(setup, "C_im", fully);
        const std::string& skip = setup.text("skip");
        if (skip == "full")
            m_skip = layer(setup, "D", fully);
        if (skip == "vector")
            m_skip.weight = addWeight(setup, "D");
    }

    std::vector<Value> forward(const std::vector<Value>& inputs, const PassContext& context) override
    {
        if (context.wants("q"))
            context.show("q", readCodes(m_bRe, only(inputs[0])));
        return LinearRecurrence::forward(inputs, context);
    }

protected:
    at::Tensor entering(const PassContext& context, const at::Tensor& x, const at::Tensor& gamma) const override
    {
        const at::Tensor re = applied(context, m_bRe, x), im = applied(context, m_bIm, x);
        return at::stack({re * gamma, im * gamma}, -1);
    }

    /// Re(C h). Plain layers are one product over real and imaginary parts in turn, as they lie.
    at::Tensor leaving(const PassContext& context, const at::Tensor& h) const override
    {
        if (m_cRe.gain.defined()) {
            const auto [re, im] = partsOf(h);
            return applied(context, m_cRe, re) - applied(context, m_cIm, im);
        }
        const at::Tensor bias = m_cRe.bias.defined() ? m_cRe.bias - m_cIm.bias : at::Tensor();
        return product(context, h.flatten(2), at::stack({m_cRe.weight, -m_cIm.weight}, 2).flatten(1), bias);
    }

private:
    static std::pair<at::Tensor, at::Tensor> partsOf(const at::Tensor& h)
    {
        return {h.select(-1, 0).contiguous(), h.select(-1, 1).contiguous()};
    }

    DenseLayer layer(const BlockSetup& setup, const std::string& name, bool ternary)
    {
        DenseLayer made;
        made.form.gradient = ternaryGradient(setup);
        if (ternary)
            made.gain = addWeight(setup, "gain_" + name);
        made.weight = addWeight(setup, name);
        if (setup.boolean("use_bias"))
            made.bias = addWeight(setup, "bias_" + name);
        return made;
    }

    DenseLayer m_bRe, m_bIm; // [N, in]
    DenseLayer m_cRe, m_cIm; // [units, N]
};

} // namespace

std::unique_ptr<Block> make(const BlockSetup& setup)
{
    return std::make_unique<LruMml>(setup);
}

} // namespace unroll::nodes::lrumml
