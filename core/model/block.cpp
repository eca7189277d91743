// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/block.h"

#include "core/model/initial.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cassert>

namespace unroll {

namespace {

template <class T>
const T& parameter(const Params& params, const std::string& name)
{
    auto found = params.find(name);
    assert(found != params.end() && "a block reads a parameter that its spec does not declare");
    return std::get<T>(found->second);
}

std::size_t portIndex(const std::vector<PortSpec>& ports, const std::string& name)
{
    auto found = std::find_if(ports.begin(), ports.end(), [&](const PortSpec& port) { return port.name == name; });
    assert(found != ports.end() && "a port that the spec does not declare");
    return static_cast<std::size_t>(found - ports.begin());
}

} // namespace

std::int64_t BlockSetup::integer(const std::string& param) const
{
    return parameter<std::int64_t>(params, param);
}

double BlockSetup::real(const std::string& param) const
{
    return parameter<double>(params, param);
}

bool BlockSetup::boolean(const std::string& param) const
{
    return parameter<bool>(params, param);
}

const std::string& BlockSetup::text(const std::string& param) const
{
    return parameter<std::string>(params, param);
}

std::int64_t BlockSetup::dimension(const std::string& name) const
{
    for (const DimensionSpec& dimension : spec.dimensions) {
        if (dimension.name != name)
            continue;
        auto found = inputs.find(dimension.port);
        if (found == inputs.end())
            return 0;
        return found->second.size();
    }
    assert(false && "a dimension that the spec does not declare");
    return 0;
}

Block::Block(const BlockSetup& setup) : m_specs(setup.spec.weightsOf(setup.params, setup.inputs))
{
    InferScope scope(setup.params, setup.inputs, nullptr);
    setup.spec.infer(scope);
    m_same = scope.same();
}

at::Tensor Block::addWeight(const BlockSetup& setup, const std::string& name)
{
    return addWeight(name, drawInitial(specOf(name), setup.init, setup.dtype));
}

at::Tensor Block::addWeight(const std::string& name, at::Tensor initial)
{
    const WeightSpec& spec = specOf(name);
    TORCH_CHECK(initial.numel() == spec.elements(), "the weight ", name,
                " does not have the size that its spec declares");
    m_weights.push_back(
        {name, initial.contiguous().set_requires_grad(spec.trained), spec.rule, spec.trained, spec.form});
    return m_weights.back().tensor;
}

const WeightSpec& Block::specOf(const std::string& name) const
{
    const auto found =
        std::find_if(m_specs.begin(), m_specs.end(), [&](const WeightSpec& spec) { return spec.name == name; });
    TORCH_CHECK(found != m_specs.end(), "the block makes a weight ", name, " that its spec does not list");
    return *found;
}

std::size_t inputIndex(const BlockSpec& spec, const std::string& port)
{
    return portIndex(spec.inputs, port);
}

std::size_t outputIndex(const BlockSpec& spec, const std::string& port)
{
    return portIndex(spec.outputs, port);
}

} // namespace unroll
