// SPDX-License-Identifier: GPL-3.0-or-later
#include "nodes/shared/read_out.h"

#include "nodes/shared/initial.h"
#include "nodes/shared/product.h"
#include "nodes/shared/values.h"

#include <cmath>

namespace unroll::nodes {

ReadOut::ReadOut(const BlockSetup& setup, const std::string& sizeName) : Block(setup)
{
    const std::int64_t in = setup.dimension("input_size"), size = setup.dimension(sizeName);
    const double bound = 1 / std::sqrt(static_cast<double>(in));
    m_weight = addWeight("weight", uniformWeight(setup, {size, in}, bound));
    if (setup.boolean("bias"))
        m_bias = addWeight("bias", uniformWeight(setup, {size}, bound));
}

std::vector<Value> ReadOut::forward(const std::vector<Value>& inputs, const PassContext& context)
{
    const at::Tensor prediction = product(context, only(inputs[0]), m_weight, m_bias);
    showSignals(prediction, context);
    const at::Tensor targets = only(inputs[1]);
    Value compared;
    if (targets.defined())
        compared.push_back(loss(prediction, targets));
    return {compared, {prediction}};
}

} // namespace unroll::nodes
