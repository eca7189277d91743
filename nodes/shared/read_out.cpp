// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/read_out.h"

#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

namespace unroll::nodes {

ReadOut::ReadOut(const BlockSetup& setup) : Block(setup)
{
    if (setup.text("readout") != "linear")
        return;
    m_weight = addWeight(setup, "weight");
    if (setup.boolean("bias"))
        m_bias = addWeight(setup, "bias");
}

std::vector<Value> ReadOut::forward(const std::vector<Value>& inputs, const PassContext& context)
{
    const at::Tensor x = only(inputs[0]);
    const at::Tensor prediction = m_weight.defined() ? product(context, x, m_weight, m_bias) : x;
    showSignals(prediction, context);
    const at::Tensor targets = only(inputs[1]);
    Value compared;
    if (targets.defined())
        compared.push_back(loss(prediction, targets));
    return {compared, {prediction}};
}

} // namespace unroll::nodes
