// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/edited_reading.h"
#include "core/lens/importance/importance.h"
#include "core/lens/probe.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace unroll {

namespace {

double sumOfRises(const std::vector<UnitImportance>& units)
{
    double sum = 0;
    for (const UnitImportance& unit : units)
        sum += unit.rise > 0 ? unit.rise : 0;
    return sum;
}

/// Four decimals, and of a smaller rise its first three digits.
std::string riseText(double rise)
{
    return std::abs(rise) >= 0.01 || rise == 0 ? fmt::format("{:+.4f}", rise) : fmt::format("{:+.3g}", rise);
}

/// Decimals of a loss at which it can be told from one that is so much higher.
int decimalsFor(double rise)
{
    return rise == 0 ? 4 : std::clamp(2 - static_cast<int>(std::floor(std::log10(std::abs(rise)))), 4, 12);
}

std::vector<std::string> findingsOf(const ImportanceData& data)
{
    std::vector<std::string> findings;
    const UnitImportance& first = data.units.front();
    const char* taken = data.byMean ? "held at its mean" : "zero";
    if (std::isfinite(first.rise))
        findings.push_back(fmt::format(
            "What matters most is {0}: the mean loss goes from {1:.{6}f} to {2:.{6}f} {3} ({4}) when it is {5}.",
            data.names.of(first.unit), data.loss, data.loss + first.rise, data.lossUnit, riseText(first.rise), taken,
            decimalsFor(first.rise)));
    const double half = sumOfRises(data.units) / 2;
    double sum = 0;
    std::size_t count = 0;
    while (count < data.units.size() && sum < half)
        sum += std::max(data.units[count++].rise, 0.0);
    if (half > 0)
        findings.push_back(fmt::format("{} of {} units account for half of the total rise.", count, data.units.size()));
    const auto lower =
        std::count_if(data.units.begin(), data.units.end(), [](const UnitImportance& unit) { return unit.rise < 0; });
    if (lower > 0)
        findings.push_back(
            fmt::format("{} of {} units raise the loss of this reading: without one of them it is lower.", lower,
                        data.units.size()));
    findings.push_back("Units are removed one at a time: what two units share may not show.");
    if (!data.note.empty())
        findings.push_back(data.note);
    return findings;
}

} // namespace

Figure ImportanceData::figure() const
{
    Figure figure;
    figure.shows =
        fmt::format("Rise of the mean loss ({}) over {} step{} of {} when a unit of {} {} is {} at every step, "
                    "largest first; the longer a bar, the more the network needs the unit.",
                    lossUnit, asking, asking == 1 ? "" : "s", of.empty() ? "the reading" : of, node, signal,
                    byMean ? "held at its mean" : "zero");
    FigureSeries bars{.name = "rise", .kind = FigureSeries::Kind::Bars, .x = {}, .y = {}};
    FigurePanel panel{.id = "importance", .title = node + " " + signal};
    FigureTable table{
        .id = "most", .title = "Most important units", .columns = {"unit", "rise of the loss"}, .rows = {}};
    constexpr std::size_t kRows = 10;
    for (const UnitImportance& unit : units) {
        bars.x.push_back(static_cast<double>(bars.x.size()));
        bars.y.push_back(unit.rise);
        bars.units.push_back(unit.unit);
        if (names.rows > 0)
            bars.notes.push_back(fmt::format("{}: {}", names.of(unit.unit), riseText(unit.rise)));
        panel.x.labels.push_back(std::to_string(unit.unit));
        figure.missing += std::isfinite(unit.rise) ? 0 : 1;
        if (table.rows.size() < kRows)
            table.rows.push_back({.cells = {names.brief(unit.unit), riseText(unit.rise)},
                                  .node = node,
                                  .signal = signal,
                                  .units = {unit.unit}});
    }
    panel.x.title = "unit";
    panel.y.title = "rise of the mean loss, " + lossUnit;
    panel.rules.push_back({false, 0, ""});
    panel.series.push_back(std::move(bars));
    figure.panels.push_back(std::move(panel));
    figure.tables.push_back(std::move(table));
    figure.arrays.push_back({"mean_loss", {1}, {loss}});
    figure.findings = findingsOf(*this);
    return figure;
}

namespace lenses::importance {

namespace {

/// Sequence i takes unit first + i - 1 away at every step; sequence 0 is left as it is.
class EachUnitAway final : public ValueEditor {
public:
    /// `means` [width] is what comes in place of a unit.
    EachUnitAway(const WatchedSignal& signal, at::Tensor means, std::int64_t parts)
        : ValueEditor({signal}), m_means(std::move(means)), m_parts(parts)
    {}

    void take(std::int64_t first, std::int64_t count)
    {
        m_away = at::zeros({count + 1, m_means.size(0)}, m_means.options().dtype(at::kBool));
        for (std::int64_t i = 0; i < count; ++i)
            m_away[i + 1].narrow(0, (first + i) * m_parts, m_parts).fill_(true);
    }

private:
    at::Tensor changed(const WatchedSignal& signal, const at::Tensor& values, const EditPlace& place, bool) override
    {
        const std::int64_t width = values.size(2);
        if (place.unit + width > m_means.size(0))
            throw EditTrouble(fmt::format("{} {} has {} values where it is changed and {} where it is shown",
                                          signal.node, signal.signal, place.unit + width, m_means.size(0)));
        const at::Tensor away = m_away.narrow(1, place.unit, width);
        return at::where(away, m_means.narrow(0, place.unit, width).to(values.options()), values);
    }

    at::Tensor m_means, m_away; // [width], [sequences, width]
    std::int64_t m_parts;
};

/// Mean over the steps of each value of the signal, or zeros. [width], on the model's device.
at::Tensor meansOf(const SignalFrame& frame, bool byMean, at::Device device)
{
    at::Tensor means = at::zeros({frame.width}, at::kDouble);
    double* sums = means.mutable_data_ptr<double>();
    for (std::size_t i = 0; byMean && i < frame.values.size(); ++i)
        sums[i % static_cast<std::size_t>(frame.width)] += static_cast<double>(frame.values[i]);
    return (means / static_cast<double>(std::max<std::int64_t>(frame.steps, 1))).to(device);
}

/// Sequences side by side, so that what a pass keeps stays small.
std::int64_t unitsAtOnce(std::int64_t steps)
{
    constexpr std::int64_t kEntries = 16'384;
    return std::clamp<std::int64_t>(kEntries / std::max<std::int64_t>(steps, 1), 8, 256);
}

LensSpec importanceSpec()
{
    ParamSpec by{};
    by.name = "replaced_by";
    by.type = ParamType::Choice;
    by.defaultValue = std::string("zero");
    by.help = "Replacement of a removed unit.";
    by.choices = {{"zero", "0 at every step."},
                  {"mean", "Its mean over the reading, so that only its variation is lost."}};
    return {
        "importance",
        "Importance of units",
        "How much the loss over the reading rises when a unit of the signal is removed, for each unit alone, ranked.",
        true,
        {by},
        true};
}

class Ranking {
public:
    Ranking(const LensSubject& subject, const SignalFrame& frame, bool byMean)
        : m_subject(subject), m_frame(frame), m_byMean(byMean)
    {}

    Result<std::shared_ptr<const LensData>> see()
    {
        const at::NoGradGuard guard;
        Model& model = *m_subject.model;
        const at::Tensor plain = readPlain(model, sideBySide(*m_subject.text, model, 1)).prediction;
        const auto known = askedOf(m_subject);
        if (!known)
            return tl::unexpected(known.error());
        const Asked& asked = *known;
        const at::Tensor loss = lossPerStep(perStep(plain, *m_subject.text), asked);
        auto data = std::make_shared<ImportanceData>();
        data->steps = static_cast<std::int64_t>(m_subject.text->steps());
        data->asking = stepsAsking(asked);
        if (data->asking == 0)
            return fail("this reading has no targets, so there is no loss");
        data->loss = meanLoss(loss, asked).item<double>();
        data->lossUnit = asked.lossUnit;
        data->node = m_frame.node;
        data->signal = m_frame.signal;
        data->names = namesOf(m_frame);
        data->of = m_subject.look.of;
        data->byMean = m_byMean;
        if (auto ranked = rank(*data, plain, asked); !ranked)
            return tl::unexpected(ranked.error());
        return data;
    }

private:
    Result<void> rank(ImportanceData& data, const at::Tensor& plain, const Asked& asked)
    {
        Model& model = *m_subject.model;
        const std::int64_t parts = m_frame.look == SignalKind::Complex ? 2 : 1, units = m_frame.width / parts;
        const WatchedSignal signal{m_frame.node, m_frame.signal};
        EachUnitAway editor(signal, meansOf(m_frame, m_byMean, model.device()), parts);
        const std::int64_t most = unitsAtOnce(data.steps);
        for (std::int64_t first = 0; first < units; first += most) {
            const std::int64_t count = std::min(most, units - first);
            editor.take(first, count);
            const auto read =
                readEdited(model, sideBySide(*m_subject.text, model, count + 1), plain,
                           {.editor = &editor, .start = {}, .first = 0, .last = data.steps}, m_subject.end);
            if (!read)
                return tl::unexpected(read.error());
            const at::Tensor loss = meanLoss(lossPerStep(perStep(read->prediction, *m_subject.text), asked), asked);
            for (std::int64_t i = 0; i < count; ++i)
                data.units.push_back({first + i, (loss[i + 1] - loss[0]).item<double>()});
        }
        if (editor.way(signal) == ValueEditor::Way::Carried)
            data.note = "The signal is changed as it is passed to the next step; the node's output at the same step is "
                        "unaffected.";
        std::stable_sort(data.units.begin(), data.units.end(), [](const UnitImportance& a, const UnitImportance& b) {
            return std::isfinite(a.rise) && (!std::isfinite(b.rise) || a.rise > b.rise);
        });
        return {};
    }

    const LensSubject& m_subject;
    const SignalFrame& m_frame;
    bool m_byMean;
};

class ImportanceLens : public Lens {
public:
    const LensSpec& spec() const override { return m_spec; }

    LensNeeds needs(const LensQuery& query) const override
    {
        return {.watched = {{query.node, query.signal}}, .forecasts = true, .answers = true};
    }

    Result<std::shared_ptr<const LensData>> see(const LensSubject& subject, const LensQuery& query) const override
    {
        const auto shown = signalOf(subject.look, query);
        if (!shown)
            return tl::unexpected(shown.error());
        if (subject.model == nullptr || subject.text == nullptr)
            return fail("the network itself is not available, only what was recorded of it");
        const SignalFrame& frame = **shown;
        if (frame.look == SignalKind::Attention)
            return fail("the rows of " + frame.signal +
                        " are steps and not units: choose a state, a gate or an output");
        if (frame.steps == 0 || frame.width == 0)
            return fail("the signal " + frame.signal + " of " + frame.node + " has no values");
        const bool byMean = std::get<std::string>(query.settings.at("replaced_by")) == "mean";
        try {
            return Ranking(subject, frame, byMean).see();
        } catch (const c10::Error& error) {
            return fail(error.what_without_backtrace(), subject.model->runningNode());
        }
    }

private:
    LensSpec m_spec = importanceSpec();
};

} // namespace

std::unique_ptr<Lens> make()
{
    return std::make_unique<ImportanceLens>();
}

} // namespace lenses::importance

} // namespace unroll
