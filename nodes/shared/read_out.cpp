// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/read_out.h"

#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

namespace unroll::nodes {

ReadOut::ReadOut(const BlockSetup& setup) : Block(setup), m_tied(setup.text("readout") == "tied")
{
    if (setup.text("readout") == "none")
        return;
    if (!m_tied)
        m_weight = addWeight(setup, "weight");
    if (setup.boolean("bias"))
        m_bias = addWeight(setup, "bias");
}

std::vector<Value> ReadOut::forward(const std::vector<Value>& inputs, const PassContext& context)
{
    const at::Tensor x = only(inputs[0]);
    const at::Tensor weight = m_tied ? only(inputs[2]) : m_weight;
    const at::Tensor prediction = weight.defined() ? product(context, x, weight, m_bias) : x;
    showSignals(prediction, context);
    const at::Tensor targets = only(inputs[1]);
    Value compared;
    if (targets.defined())
        compared.push_back(loss(prediction, targets));
    return {compared, {prediction}};
}

} // namespace unroll::nodes
