// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/curves/curves_table.h"

#include "app/studio/curves/curve_reasons.h"
#include "core/format/csv.h"
#include "core/format/number_text.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace unroll {

namespace {

void addCell(std::string& line, std::optional<double> value)
{
    line += ',';
    if (value)
        format::appendNumber(line, *value);
}

/// Goes through a series row by row beside others.
class Cursor {
public:
    explicit Cursor(const SeriesStore* store) : m_store(store) {}

    double step() const { return done() ? INFINITY : m_store->x(m_at); }
    void next() { ++m_at; }
    /// The value at that step; nothing where it stands at a later one.
    std::optional<double> at(double step) const
    {
        return this->step() == step ? std::optional(m_store->y(m_at)) : std::nullopt;
    }

private:
    bool done() const { return m_store == nullptr || m_at >= m_store->size(); }

    const SeriesStore* m_store;
    std::size_t m_at = 0;
};

void addRun(std::string& table, const ShownRun& run, const CurveChoice& choice, const std::string& name)
{
    if (!whyNotShown(run, choice).isEmpty())
        return;
    const RunClock& clock = run.curves.clock();
    Cursor raw(run.curves.find(choice.raw));
    Cursor smoothed(choice.raw.empty() ? nullptr : &run.smoothed.store());
    Cursor marked(run.curves.find(choice.marked));
    for (;;) {
        const double step = std::min(raw.step(), marked.step());
        if (std::isinf(step))
            return;
        table += name;
        for (const XUnit unit : {XUnit::Steps, XUnit::Tokens, XUnit::Seconds})
            addCell(table, clock.at(unit, step));
        for (Cursor* cursor : {&raw, &smoothed, &marked}) {
            if ((cursor == &marked ? choice.marked : choice.raw).empty())
                continue;
            const auto value = cursor->at(step);
            addCell(table, value ? std::optional(choice.shown(*value)) : std::nullopt);
            if (value)
                cursor->next();
        }
        for (const XUnit unit : {XUnit::Flops, XUnit::Epochs})
            addCell(table, clock.has(unit) ? std::optional(clock.at(unit, step)) : std::nullopt);
        table += "\r\n";
    }
}

} // namespace

std::string curvesTable(const ShownRun& run, std::span<const ShownRun> others, const CurveChoice& choice,
                        const std::string& thisRun)
{
    std::string table = "run,step,tokens,seconds";
    if (!choice.raw.empty())
        table += ',' + choice.column(choice.raw) + ',' + choice.column(choice.raw) + " (smoothed)";
    if (!choice.marked.empty())
        table += ',' + choice.column(choice.marked);
    table += ",flops,epochs\r\n";
    addRun(table, run, choice, format::csvCell(thisRun));
    for (const ShownRun& other : others)
        addRun(table, other, choice, format::csvCell(other.name.toStdString()));
    return table;
}

} // namespace unroll
