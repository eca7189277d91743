// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/apply_edits.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <numeric>

namespace unroll {

namespace {

std::vector<WatchedSignal> signalsOf(const std::vector<Edit>& edits)
{
    std::vector<WatchedSignal> found;
    for (const Edit& edit : edits) {
        const WatchedSignal signal{edit.node, edit.signal};
        if (edit.kind != Edit::Kind::Start && std::find(found.begin(), found.end(), signal) == found.end())
            found.push_back(signal);
    }
    return found;
}

/// Sums up what leaves the ports.
class Averager final : public Observer {
public:
    bool wants(const std::string&, const std::string&) const override { return false; }
    void show(const std::string&, const std::string&, const at::Tensor&) override {}
    void onOutput(const std::string& node, const std::string& port, const at::Tensor& value) override
    {
        if (!value.is_floating_point() || value.dim() < 2)
            return;
        const at::Tensor rows = value.to(at::kDouble).reshape({-1, value.size(-1)}); // B = 1
        Sum& sum = m_sums[{node, port}];
        sum.total = sum.total.defined() ? sum.total + rows.sum(0) : rows.sum(0);
        sum.count += rows.size(0);
    }

    PortMeans means() const
    {
        PortMeans means;
        for (const auto& [port, sum] : m_sums)
            means[port] = sum.total / static_cast<double>(sum.count);
        return means;
    }

private:
    struct Sum {
        at::Tensor total;
        std::int64_t count = 0;
    };
    std::map<std::pair<std::string, std::string>, Sum> m_sums;
};

/// [steps, 1, columns] of draws from the normal distribution.
at::Tensor noiseFor(const Edit& edit, const EditPlace& place, std::int64_t steps,
                    const std::vector<std::int64_t>& columns)
{
    at::Tensor noise = at::empty({steps, 1, std::ssize(columns)}, at::kDouble);
    double* next = noise.mutable_data_ptr<double>();
    for (std::int64_t t = 0; t < steps; ++t)
        for (const std::int64_t column : columns)
            *next++ = edit.amount * normalDraw(edit.seed, place.step + t, place.unit + column);
    return noise;
}

/// `amount` at each column, [columns]; a complex unit's second one, its imaginary part, gets 0.
at::Tensor numbersFor(double amount, const EditPlace& place, const std::vector<std::int64_t>& columns,
                      std::int64_t parts)
{
    std::vector<double> numbers;
    for (const std::int64_t column : columns)
        numbers.push_back((place.unit + column) % parts == 0 ? amount : 0);
    return at::tensor(numbers, at::kDouble);
}

/// The next of a sequence of numbers that look random (splitmix64, Vigna).
std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/// In (0, 1).
double uniform(std::uint64_t bits)
{
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

} // namespace

double normalDraw(std::uint64_t seed, std::int64_t step, std::int64_t index)
{
    const std::uint64_t place =
        mixed(mixed(mixed(seed) + static_cast<std::uint64_t>(step)) + static_cast<std::uint64_t>(index));
    const double radius = std::sqrt(-2 * std::log(uniform(place)));
    return radius * std::cos(2 * std::numbers::pi * uniform(mixed(place)));
}

PortMeans portMeans(Model& model, const ModelInput& input)
{
    const at::NoGradGuard guard;
    Averager averager;
    model.forward(input, {}, {.observer = &averager});
    return averager.means();
}

EditsEditor::EditsEditor(const Model& model, std::vector<Edit> edits, std::int64_t firstSequence, PortMeans means)
    : ValueEditor(signalsOf(edits)),
      m_model(model),
      m_edits(std::move(edits)),
      m_firstSequence(firstSequence),
      m_means(std::move(means))
{}

at::Tensor EditsEditor::changed(const WatchedSignal& signal, const at::Tensor& values, const EditPlace& place,
                                bool isOutput)
{
    const at::Tensor result = values.clone();
    const at::Tensor touched = result.narrow(1, m_firstSequence, values.size(1) - m_firstSequence);
    const bool isComplex = m_model.signalKind(signal.node, signal.signal) == SignalKind::Complex;
    for (const Edit& edit : m_edits) {
        const bool ablates = edit.kind == Edit::Kind::Ablate;
        if (edit.node != signal.node || (ablates ? !isOutput : edit.signal != signal.signal))
            continue;
        const std::int64_t last = place.step + values.size(0);
        const std::int64_t from = std::clamp(edit.span.first, place.step, last);
        const std::int64_t to = edit.span.last ? std::clamp(*edit.span.last + 1, from, last) : last;
        const at::Tensor part = touched.narrow(0, from - place.step, to - from);
        if (ablates)
            ablate(edit, signal.signal, part);
        else
            apply(edit, part, {from, place.unit, place.width > 0 ? place.width : values.size(2)}, isComplex ? 2 : 1);
    }
    return result;
}

void EditsEditor::ablate(const Edit& edit, const std::string& port, const at::Tensor& part) const
{
    if (!edit.toMean) {
        part.zero_();
        return;
    }
    const auto mean = m_means.find({edit.node, port});
    if (mean == m_means.end())
        throw EditTrouble(edit.node + " has no mean over the reading");
    part.copy_(mean->second.to(part.options()).view({-1}).expand_as(part));
}

/// Where the units lie in a piece of the signal that begins at place.unit and has `width` columns; a unit has `parts`.
std::vector<std::int64_t> EditsEditor::columnsOf(const Edit& edit, const std::vector<std::int64_t>& units,
                                                 const EditPlace& place, std::int64_t width, std::int64_t parts) const
{
    const std::int64_t count = place.width / parts;
    std::vector<std::int64_t> columns;
    for (const std::int64_t unit : units) {
        if (unit >= count)
            throw EditTrouble(fmt::format("{}.{} has {} units, 0 to {}: there is no unit {}", edit.node, edit.signal,
                                          count, count - 1, unit));
        for (std::int64_t part = 0; part < parts; ++part)
            if (const std::int64_t column = unit * parts + part - place.unit; column >= 0 && column < width)
                columns.push_back(column);
    }
    return columns;
}

/// `part` [T, B, n] is changed in place.
void EditsEditor::apply(const Edit& edit, const at::Tensor& part, const EditPlace& place, std::int64_t parts) const
{
    if (edit.kind == Edit::Kind::Swap)
        return swap(edit, part, place, parts);
    std::vector<std::int64_t> units = edit.units;
    if (units.empty()) {
        units.resize(static_cast<std::size_t>(place.width / parts));
        std::iota(units.begin(), units.end(), 0);
    }
    const std::vector<std::int64_t> columns = columnsOf(edit, units, place, part.size(2), parts);
    if (columns.empty() || part.size(0) == 0)
        return;
    const at::Tensor index = at::tensor(columns, part.options().dtype(at::kLong));
    const at::Tensor old = part.index_select(2, index);
    switch (edit.kind) {
    case Edit::Kind::Scale: part.index_copy_(2, index, old * edit.amount); break;
    case Edit::Kind::Noise:
        part.index_copy_(2, index, old + noiseFor(edit, place, part.size(0), columns).to(old.options()));
        break;
    case Edit::Kind::Add:
        part.index_copy_(2, index, old + numbersFor(edit.amount, place, columns, parts).to(old.options()));
        break;
    default: // Pin; the others do not come here
        part.index_copy_(2, index, numbersFor(edit.amount, place, columns, parts).to(old.options()).expand_as(old));
    }
}

void EditsEditor::swap(const Edit& edit, const at::Tensor& part, const EditPlace& place, std::int64_t parts) const
{
    std::vector<std::int64_t> to, from;
    for (std::size_t i = 0; i < edit.units.size(); ++i) {
        const auto a = columnsOf(edit, {edit.units[i]}, place, part.size(2), parts);
        const auto b = columnsOf(edit, {edit.others[i]}, place, part.size(2), parts);
        if (a.size() != b.size())
            throw EditTrouble(
                fmt::format("{}: units of different layers or directions cannot be swapped", writtenEdit(edit)));
        for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
            to.insert(to.end(), one->begin(), one->end());
            from.insert(from.end(), other->begin(), other->end());
        }
    }
    if (to.empty() || part.size(0) == 0)
        return;
    const auto options = part.options().dtype(at::kLong);
    part.index_copy_(2, at::tensor(to, options), part.index_select(2, at::tensor(from, options)));
}

} // namespace unroll
