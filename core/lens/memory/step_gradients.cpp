// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/memory/step_gradients.h"

#include "core/lens/reading_input.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace unroll::lenses::memory {

namespace {

/// Keeps what leaves the nodes that read tokens, as parts of the graph, before anything else may change it. In a loop
/// there is a piece for each step, in their order.
class TokenReaders : public Observer, public Editor {
public:
    bool wants(const std::string&, const std::string&) const override { return false; }
    void show(const std::string&, const std::string&, const at::Tensor&) override {}
    bool edits(const std::string&, const std::string&) override { return false; }
    at::Tensor edited(const std::string&, const std::string&, const at::Tensor& value, const EditPlace&) override
    {
        return value;
    }

    void entering(const std::string& node, const BlockSpec& spec, std::vector<Value>&) override
    {
        m_spec = &spec;
        if (spec.straightThrough && std::find(rounding.begin(), rounding.end(), node) == rounding.end())
            rounding.push_back(node);
        if (spec.givesLoss())
            loss = &spec;
    }

    void leaving(const std::string& node, const PortSpec& port, Value& value, std::int64_t) override
    {
        const auto isTokens = [](const PortSpec& input) { return input.type == PortType::Tokens; };
        if (std::none_of(m_spec->inputs.begin(), m_spec->inputs.end(), isTokens) || port.type != PortType::Sequence)
            return;
        for (at::Tensor& vector : value) {
            if (!vector.defined())
                continue;
            if (!vector.requires_grad()) // unit vectors, say
                vector.requires_grad_(true);
            vectors[node + "." + port.name].push_back(vector);
        }
    }

    std::map<std::string, std::vector<at::Tensor>>
        vectors; ///< by node and port; [T, 1, width], or T times [1, 1, width]
    std::vector<std::string> rounding;
    const BlockSpec* loss = nullptr;

private:
    const BlockSpec* m_spec = nullptr; ///< of the node that runs
};

/// Adds the squared norm of each step.
void addSquares(std::vector<double>& squares, std::int64_t from, const at::Tensor& gradient)
{
    const at::Tensor steps = gradient.detach().to(at::kDouble).flatten(1).square().sum(1).cpu().contiguous();
    const double* values = steps.const_data_ptr<double>();
    for (std::int64_t t = 0; t < steps.size(0); ++t)
        squares[static_cast<std::size_t>(from + t)] += values[t];
}

/// With the pieces of one node behind one another.
std::vector<double> sizes(const std::vector<std::vector<at::Tensor>>& read, const at::Tensor& answer,
                          std::int64_t steps)
{
    std::vector<at::Tensor> all;
    for (const auto& pieces : read)
        all.insert(all.end(), pieces.begin(), pieces.end());
    const auto gradients = torch::autograd::grad({answer}, all, {}, /*retain_graph=*/false, /*create_graph=*/false,
                                                 /*allow_unused=*/true);
    std::vector<double> squares(static_cast<std::size_t>(steps));
    std::size_t next = 0;
    for (const auto& pieces : read) {
        std::int64_t from = 0;
        for (const at::Tensor& piece : pieces) {
            if (gradients[next].defined())
                addSquares(squares, from, gradients[next]);
            from += piece.size(0);
            ++next;
        }
    }
    for (double& value : squares)
        value = std::sqrt(value);
    return squares;
}

bool givesClasses(const BlockSpec* loss)
{
    return loss == nullptr || std::any_of(loss->inputs.begin(), loss->inputs.end(),
                                          [](const PortSpec& port) { return port.type == PortType::Targets; });
}

} // namespace

Result<StepGradients> stepGradients(Model& model, const ProbeText& text, std::int64_t step, const ChooseOutput& choose)
{
    const at::AutoGradMode gradients(true);
    const std::int64_t steps = stepsOf(model, text);
    if (steps == 0)
        return fail("there is nothing to read");
    if (step >= steps)
        return fail(fmt::format("step {} is past the end: the reading has {} steps", step + 1, steps));
    ModelInput input = readingInput(text, 0, steps, model.device());
    if (input.features.defined())
        input.features.requires_grad_(true);
    TokenReaders readers;
    const at::Tensor prediction =
        model.forward(input, {}, {.observer = &readers, .keepsState = false, .editor = &readers}).prediction;
    if (!prediction.defined())
        return fail("the network has no output node, so it gives no answer");
    StepGradients found;
    found.rounding = readers.rounding;
    StepOutput& output = found.output;
    output.whole = prediction.dim() < 3;
    output.steps = steps;
    output.classes = givesClasses(readers.loss);
    const at::Tensor values =
        output.whole ? prediction.select(0, 0) : prediction.select(0, step < 0 ? steps - 1 : step).select(0, 0);
    output.values = values.detach().to(at::kDouble).cpu();
    const auto chosen = choose(output);
    if (!chosen)
        return tl::unexpected(chosen.error());
    std::vector<std::vector<at::Tensor>> read;
    if (input.features.defined())
        read.push_back({input.features});
    for (auto& [node, pieces] : readers.vectors)
        read.push_back(std::move(pieces));
    if (read.empty())
        return fail("no node maps the tokens to vectors, so there is nothing to differentiate with respect to");
    if (!values.requires_grad())
        found.size.assign(static_cast<std::size_t>(steps), 0);
    else
        found.size = sizes(read, values.select(0, *chosen), steps);
    return found;
}

} // namespace unroll::lenses::memory
