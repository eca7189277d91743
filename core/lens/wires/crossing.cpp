// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/wires/crossing.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ranges>

namespace unroll::lenses::wires {

namespace {

std::int64_t notFinite(const std::vector<double>& values)
{
    return std::ranges::count_if(values, [](double value) { return !std::isfinite(value); });
}

bool carriesNumbers(PortType type)
{
    return type == PortType::Sequence || type == PortType::Vector || type == PortType::Table;
}

/// Measures what leaves each output. In a loop it leaves step by step.
class Measuring final : public Observer {
public:
    bool wants(const std::string&, const std::string&) const override { return false; }
    void show(const std::string&, const std::string&, const at::Tensor&) override {}

    void entering(const std::string&, const BlockSpec& spec, std::vector<Value>&) override { m_spec = &spec; }

    void onOutput(const std::string& node, const std::string& port, const at::Tensor& value) override
    {
        const PortSpec* spec = m_spec->output(port);
        if (spec == nullptr || !carriesNumbers(spec->type) || !value.is_floating_point())
            return;
        OutputNorms& output = of(node, port);
        output.once = spec->type != PortType::Sequence || value.dim() < 3;
        const at::Tensor rows = output.once ? value.reshape({1, -1}) : value.select(1, 0).flatten(1); // B = 1
        output.width = rows.size(1);
        const at::Tensor norms = at::linalg_vector_norm(rows, 2, at::IntArrayRef{1}, false, at::kDouble).cpu();
        if (output.once)
            output.norm.clear(); // what leaves last stands
        const double* first = norms.const_data_ptr<double>();
        output.norm.insert(output.norm.end(), first, first + norms.numel());
    }

    std::vector<OutputNorms> outputs;

private:
    OutputNorms& of(const std::string& node, const std::string& port)
    {
        const auto known = std::ranges::find_if(
            outputs, [&](const OutputNorms& each) { return each.node == node && each.port == port; });
        return known != outputs.end() ? *known : outputs.emplace_back(OutputNorms{.node = node, .port = port});
    }

    const BlockSpec* m_spec = nullptr; ///< of the node that runs
};

/// All numbers of the state after the last step, of one sequence.
OutputNorms ofState(const std::string& node, const Value& state)
{
    OutputNorms output{.node = node, .port = "state", .width = 0, .once = true};
    double squares = 0;
    for (const at::Tensor& part : state)
        if (part.defined()) {
            squares += std::pow(
                at::linalg_vector_norm(part, 2, at::OptionalIntArrayRef(), false, at::kDouble).item<double>(), 2);
            output.width += part.numel();
        }
    output.norm.push_back(std::sqrt(squares));
    return output;
}

/// Of `width` numbers at each step.
OutputNorms ofRows(const std::string& node, const char* port, const std::vector<float>& values, std::int64_t width)
{
    OutputNorms output{.node = node, .port = port, .width = width};
    const auto each = static_cast<std::size_t>(width);
    for (std::size_t first = 0; first + each <= values.size(); first += each) {
        double squares = 0;
        for (std::size_t i = first; i < first + each; ++i)
            squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
        output.norm.push_back(std::sqrt(squares));
    }
    return output;
}

/// What is read, and what is asked for: of classes nothing.
std::vector<OutputNorms> ofData(const std::string& source, const ProbeText& text)
{
    std::vector<OutputNorms> outputs;
    if (!text.features.empty()) {
        outputs.push_back(ofRows(source, "features", text.features, text.width));
        outputs.back().missing = notFinite(outputs.back().norm);
    }
    if (!text.values.empty() && !text.targets.empty())
        outputs.push_back(ofRows(source, "targets", text.values, std::ssize(text.targets)));
    return outputs;
}

} // namespace

std::vector<OutputNorms> outputNorms(Model& model, const ProbeText& text)
{
    const at::NoGradGuard guard;
    Measuring measuring;
    PassContext context;
    context.observer = &measuring;
    const ModelOutput result = model.forward(inputOf(text, model.device()), {}, context);
    std::vector<OutputNorms> outputs = ofData(model.sourceNode(), text);
    for (OutputNorms& output : measuring.outputs)
        output.missing = notFinite(output.norm);
    for (const std::string& node : model.recurrentNodes()) {
        const auto state = result.states.find(node);
        if (state == result.states.end() || state->second.empty())
            continue;
        OutputNorms output = ofState(node, state->second);
        output.missing = notFinite(output.norm);
        const auto last = std::find_if(measuring.outputs.rbegin(), measuring.outputs.rend(),
                                       [&node = node](const OutputNorms& each) { return each.node == node; });
        measuring.outputs.insert(last.base(), std::move(output)); // behind the node's other outputs
    }
    std::ranges::move(measuring.outputs, std::back_inserter(outputs));
    return outputs;
}

} // namespace unroll::lenses::wires
