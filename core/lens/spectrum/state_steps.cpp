// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/spectrum/state_steps.h"

#include "core/lens/reading_input.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

namespace unroll::lenses::spectrum {

namespace {

at::Tensor flat(const Value& state)
{
    std::vector<at::Tensor> parts;
    for (const at::Tensor& part : state)
        parts.push_back(part.flatten(1));
    return parts.size() == 1 ? parts.front() : at::cat(parts, 1);
}

at::Tensor copies(const at::Tensor& one, std::int64_t dim, std::int64_t rows)
{
    if (!one.defined() || rows == 1)
        return one;
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(one.dim()), -1);
    sizes[static_cast<std::size_t>(dim)] = rows;
    return one.expand(sizes).contiguous();
}

/// d(after, along `along`)/d(before); zeros where there is none. `again`: more of the same pass will
/// be asked.
at::Tensor back(const at::Tensor& after, const at::Tensor& before, const at::Tensor& along, bool again = false)
{
    if (!after.requires_grad())
        return at::zeros_like(before);
    const auto found = torch::autograd::grad({after}, {before}, {along}, /*retain_graph=*/again,
                                             /*create_graph=*/false, /*allow_unused=*/true);
    return found.front().defined() ? found.front() : at::zeros_like(before);
}

/// How many numbers each signal of a node has at a step.
class SignalWidths : public Observer {
public:
    explicit SignalWidths(std::string node) : m_node(std::move(node)) {}

    bool wants(const std::string& node, const std::string&) const override { return node == m_node; }
    void show(const std::string&, const std::string&, const at::Tensor& value) override
    {
        if (value.dim() > 2 && value.numel() > 0)
            widths.insert(value.numel() / (value.size(0) * value.size(1)));
    }

    std::set<std::int64_t> widths;

private:
    std::string m_node;
};

} // namespace

StateSteps::StateSteps(Model& model, const ProbeText& text, std::string node)
    : m_model(model), m_text(text), m_node(std::move(node)), m_steps(stepsOf(model, text))
{
    for (const at::Tensor& part : zeros())
        m_widths.push_back(part.numel());
}

Value StateSteps::zeros() const
{
    Value state = m_model.blockOf(m_node)->initialState(1);
    for (at::Tensor& part : state)
        part = part.to(m_model.device());
    return state;
}

std::int64_t StateSteps::numbers() const
{
    return std::accumulate(m_widths.begin(), m_widths.end(), std::int64_t{0});
}

States StateSteps::statesBefore(std::int64_t step) const
{
    const at::NoGradGuard values;
    if (step == 0)
        return m_model.startStates(1);
    return m_model.forward(readingInput(m_text, 0, step, m_model.device()), {}, {}).states;
}

StateSteps::Step StateSteps::run(std::int64_t step, const States& states, std::int64_t rows) const
{
    const at::AutoGradMode gradients(true);
    ModelInput input = readingInput(m_text, step, 1, m_model.device());
    input.tokens = copies(input.tokens, 1, rows);
    input.features = copies(input.features, 1, rows);
    States carried;
    for (const auto& [node, state] : states)
        for (const at::Tensor& part : state)
            carried[node].push_back(copies(part.defined() ? part.detach() : part, 0, rows));
    Value& own = carried[m_node];
    if (own.empty())
        for (const at::Tensor& part : zeros())
            own.push_back(copies(part, 0, rows));
    Step made;
    made.before = flat(own).detach().clone().requires_grad_(true);
    std::int64_t from = 0;
    for (at::Tensor& part : own) {
        const std::int64_t width = part.numel() / rows;
        part = made.before.narrow(1, from, width).reshape(part.sizes());
        from += width;
    }
    const ModelOutput output = m_model.forward(input, carried, {.step = step});
    made.after = flat(output.states.at(m_node));
    made.states = detach(output.states);
    return made;
}

bool StateSteps::carries() const
{
    const at::NoGradGuard values;
    const std::int64_t count = std::min<std::int64_t>(m_steps, 8);
    States states;
    for (std::int64_t t = 0; t < count; ++t)
        states = m_model.forward(readingInput(m_text, t, 1, m_model.device()), states, {.step = t}).states;
    const at::Tensor whole = flat(statesBefore(count).at(m_node)).to(at::kDouble);
    const double apart = (flat(states.at(m_node)).to(at::kDouble) - whole).norm().item<double>();
    return !(apart > 0.05 * whole.norm().item<double>()); // roundings in the middle may fall the other way
}

void StateSteps::rows(std::int64_t step, const std::function<bool(const at::Tensor&)>& take) const
{
    constexpr std::int64_t kRows = 64; // at once: copies of the sequence, each followed back from one number
    const States states = statesBefore(step);
    const std::int64_t n = numbers();
    for (std::int64_t first = 0; first < n; first += kRows) {
        const std::int64_t count = std::min(kRows, n - first);
        const Step made = run(step, states, count);
        at::Tensor along = at::zeros_like(made.after.detach());
        along.narrow(1, first, count).diagonal().fill_(1);
        if (!take(back(made.after, made.before, along).detach().to(at::kDouble).cpu()))
            return;
    }
}

at::Tensor StateSteps::jacobian(std::int64_t step) const
{
    std::vector<at::Tensor> found;
    rows(step, [&](const at::Tensor& some) {
        found.push_back(some);
        return true;
    });
    return at::cat(found);
}

at::Tensor StateSteps::diagonal(std::int64_t step) const
{
    std::vector<at::Tensor> found;
    std::int64_t first = 0;
    rows(step, [&](const at::Tensor& some) {
        found.push_back(some.narrow(1, first, some.size(0)).diagonal());
        first += some.size(0);
        return true;
    });
    return at::cat(found);
}

Result<SparseMap> StateSteps::sparseJacobian(std::int64_t step, std::int64_t most, const std::stop_token& end) const
{
    SparseMap map(numbers());
    rows(step, [&](const at::Tensor& some) {
        map.append(some);
        return map.entries() <= most && !end.stop_requested();
    });
    if (end.stop_requested())
        return fail("it was cancelled");
    if (map.entries() > most)
        return fail(fmt::format("most of its {} numbers depend on many others", numbers()));
    return map;
}

std::vector<std::int64_t> StateSteps::stateParts() const
{
    SignalWidths signals(m_node);
    const at::NoGradGuard values;
    m_model.forward(readingInput(m_text, 0, 1, m_model.device()), {}, {.observer = &signals, .keepsState = false});
    std::vector<std::int64_t> parts;
    for (const std::int64_t width : m_widths) {
        std::int64_t from = 0;
        for (const std::int64_t end : signals.widths)
            if (end > from && end < width) {
                parts.push_back(end - from);
                from = end;
            }
        parts.push_back(width - from);
    }
    return parts;
}

tl::expected<SparseMap, LooseError> StateSteps::looseJacobian(std::int64_t step, const LooseLimits& limits,
                                                              const std::stop_token& end) const
{
    const States states = statesBefore(step);
    std::optional<Step> made; // by as many copies as there were rows
    std::int64_t rows = 0;
    const RowProducts products = [&](const at::Tensor& along) {
        if (!made || along.size(0) != rows)
            made = run(step, states, along.size(0));
        rows = along.size(0);
        const at::Tensor there = along.to(made->after.device(), made->after.scalar_type());
        return back(made->after, made->before, there, true).detach().to(at::kDouble).cpu();
    };
    return looseMap(products, stateParts(), limits, end);
}

Growth StateSteps::growth(const std::stop_token& end) const
{
    constexpr std::int64_t fewest = 4; // the last quarter turns a random direction into the leading one
    Growth found;
    if (m_steps < fewest) {
        found.trouble = fmt::format("it takes a reading of at least {} steps", fewest);
        return found;
    }
    std::vector<Step> all;
    States states = m_model.startStates(1);
    for (std::int64_t t = 0; t < m_steps && !end.stop_requested(); ++t) {
        all.push_back(run(t, states, 1));
        states = std::move(all.back().states);
    }
    if (std::ssize(all) < m_steps) {
        found.trouble = "it was cancelled";
        return found;
    }
    found.byStep.assign(all.size(), std::numeric_limits<double>::quiet_NaN());
    found.averaged = m_steps - m_steps / 4;
    at::Tensor direction =
        at::empty({1, numbers()}, at::kDouble).normal_(0, 1, at::make_generator<at::CPUGeneratorImpl>(7));
    direction = (direction / direction.norm()).to(all.front().before.options().requires_grad(false));
    double sum = 0;
    for (std::int64_t t = m_steps - 1; t >= 0; --t) {
        Step& step = all[static_cast<std::size_t>(t)];
        const at::Tensor gone = back(step.after, step.before, direction);
        const double size = gone.to(at::kDouble).norm().item<double>();
        step = {}; // its graph
        if (!(size > 0) || !std::isfinite(size)) {
            found.exponent = size == 0 ? -std::numeric_limits<double>::infinity() : size;
            return found;
        }
        found.byStep[static_cast<std::size_t>(t)] = std::log(size);
        sum += t < found.averaged ? std::log(size) : 0;
        direction = gone / size;
    }
    found.exponent = sum / static_cast<double>(found.averaged);
    return found;
}

} // namespace unroll::lenses::spectrum
