// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/spectrum/state_steps.h"

#include "core/lens/reading_input.h"
#include "core/lens/spectrum/linear_maps.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/hypot.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
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

/// All numbers of a state, [rows, all].
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
    findStabilisers();
}

void StateSteps::findStabilisers()
{
    const std::vector<std::int64_t> places = m_model.blockOf(m_node)->stabilisers();
    if (places.empty())
        return;
    std::vector<std::int64_t> keptPlaces, units;
    std::vector<float> scaled;
    std::size_t place = 0;
    for (std::int64_t& width : m_widths)
        for (const std::size_t end = place + static_cast<std::size_t>(width); place < end; ++place) {
            const std::int64_t m = places[place];
            if (m == static_cast<std::int64_t>(place)) {
                --width;
                continue;
            }
            keptPlaces.push_back(static_cast<std::int64_t>(place));
            units.push_back(std::max<std::int64_t>(m, 0));
            scaled.push_back(m == Block::kNotScaled ? 0 : 1);
        }
    std::erase(m_widths, 0);
    m_kept = at::tensor(keptPlaces).to(m_model.device());
    m_units = at::tensor(units).to(m_model.device());
    m_scaled = at::tensor(scaled).to(m_model.device());
}

at::Tensor StateSteps::growthOfUnits(const at::Tensor& before, const at::Tensor& after) const
{
    const at::Tensor grown = after.index_select(1, m_units) - before.index_select(1, m_units);
    return at::where(m_scaled > 0, grown, at::zeros_like(grown)).exp();
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
    const at::Tensor before = flat(own).detach().clone();
    made.before = kept(before).detach().clone().requires_grad_(true);
    const at::Tensor all = isScaled() ? before.index_copy(1, m_kept, made.before) : made.before;
    std::int64_t from = 0;
    for (at::Tensor& part : own) {
        const std::int64_t width = part.numel() / rows;
        part = all.narrow(1, from, width).reshape(part.sizes());
        from += width;
    }
    const ModelOutput output = m_model.forward(input, carried, {.step = step});
    made.after = flat(output.states.at(m_node));
    if (isScaled()) {
        const at::Tensor grown = growthOfUnits(before, made.after);
        made.after = kept(made.after) * grown;
        made.units = grown.detach().reciprocal();
    }
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

std::vector<StateSteps::Step> StateSteps::allSteps(const std::stop_token& end) const
{
    std::vector<Step> all;
    States states = m_model.startStates(1);
    for (std::int64_t t = 0; t < m_steps && !end.stop_requested(); ++t) {
        all.push_back(run(t, states, 1));
        states = std::move(all.back().states);
    }
    return all;
}

namespace {

/// A direction that tells units apart.
at::Tensor randomDirection(std::int64_t numbers)
{
    return at::empty({1, numbers}, at::kDouble).normal_(0, 1, at::make_generator<at::CPUGeneratorImpl>(7));
}

/// What each number of a direction is multiplied by, as complex numbers are where the map is complex: of the halves of
/// the state only the first has a direction.
at::Tensor factorsOf(const at::Tensor& gone, const at::Tensor& along, StateMap map)
{
    if (map == StateMap::Diagonal)
        return (gone / along).abs();
    const auto parts = gone.chunk(2, 1);
    return at::hypot(parts[0], parts[1]) / along.chunk(2, 1)[0].abs();
}

} // namespace

/// False where at some step the factors depend on the direction: units do read each other.
bool StateSteps::growsByUnits(const std::vector<Step>& all, StateMap map, Growth& found)
{
    at::Tensor some = randomDirection(all.front().before.size(1)), ones = at::ones_like(some);
    if (map == StateMap::ComplexDiagonal)
        for (const at::Tensor& along : {some, ones})
            along.chunk(2, 1)[1].zero_();
    std::vector<at::Tensor> logarithms;
    for (const Step& step : all) {
        const auto factors = [&](const at::Tensor& along) {
            const at::Tensor gone = back(step.after, step.before, along.to(step.after.options()), true);
            return factorsOf(gone.to(at::kCPU, at::kDouble), along, map);
        };
        const at::Tensor made = factors(ones);
        const double apart = (made - factors(some)).abs().max().item<double>();
        if (!(apart <= 1e-4 * std::max(made.max().item<double>(), 1e-30)))
            return false;
        logarithms.push_back(made.log());
    }
    const at::Tensor byStep = at::cat(logarithms), means = byStep.mean(0);
    const std::int64_t leading = means.argmax().item<std::int64_t>();
    found.byUnits = true;
    found.exponent = means[leading].item<double>();
    found.byStep = numbersOf(byStep.select(1, leading));
    return true;
}

void StateSteps::growByReadings(const std::vector<Step>& all, Growth& found, const std::stop_token& end) const
{
    constexpr std::int64_t kProducts = 4096, kMostReadings = 16;
    constexpr double kSettled = 0.01, kNothing = 1e-7;
    const std::int64_t most = std::clamp<std::int64_t>(kProducts / m_steps, 2, kMostReadings);
    at::Tensor direction = randomDirection(numbers());
    direction = (direction / direction.norm()).to(all.front().before.options().requires_grad(false));
    std::vector<double> means;
    found.settled = false;
    for (found.readings = 1; !found.settled && found.readings <= most; ++found.readings) {
        double sum = 0;
        for (std::int64_t t = m_steps - 1; t >= 0; --t) {
            if (end.stop_requested()) {
                found.trouble = "it was cancelled";
                return;
            }
            const Step& step = all[static_cast<std::size_t>(t)];
            const at::Tensor gone = back(step.after, step.before, direction, true);
            const double size = gone.to(at::kDouble).norm().item<double>();
            if (!(size > 0) || !std::isfinite(size)) {
                found.exponent = size == 0 ? -std::numeric_limits<double>::infinity() : size;
                found.settled = true;
                return;
            }
            found.byStep[static_cast<std::size_t>(t)] = std::log(size);
            sum += std::log(size);
            direction = gone / size;
            // What comes before it is in the units of before that step.
            if (const Step& earlier = all[static_cast<std::size_t>(t == 0 ? m_steps - 1 : t - 1)]; isScaled())
                direction = direction * earlier.units / (direction * earlier.units).norm();
        }
        means.push_back(sum / static_cast<double>(m_steps));
        const double before = means.size() > 1 ? means[means.size() - 2] : std::numeric_limits<double>::infinity();
        found.settled = std::abs(means.back() - before) <= std::max(kSettled * std::abs(means.back()), kNothing);
    }
    --found.readings;
    const auto late = static_cast<std::ptrdiff_t>(found.settled ? means.size() - 1 : means.size() / 2);
    found.exponent =
        std::accumulate(means.begin() + late, means.end(), 0.0) / static_cast<double>(std::ssize(means) - late);
}

Growth StateSteps::growth(StateMap map, const std::stop_token& end) const
{
    constexpr std::int64_t fewest = 4;
    Growth found;
    if (m_steps < fewest) {
        found.trouble = fmt::format("it takes a reading of at least {} steps", fewest);
        return found;
    }
    const std::vector<Step> all = allSteps(end);
    if (std::ssize(all) < m_steps) {
        found.trouble = "it was cancelled";
        return found;
    }
    found.byStep.assign(all.size(), std::numeric_limits<double>::quiet_NaN());
    if (map == StateMap::Any || !growsByUnits(all, map, found))
        growByReadings(all, found, end);
    return found;
}

} // namespace unroll::lenses::spectrum
