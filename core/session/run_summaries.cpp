// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run_summaries.h"

#include "core/runs/lens_rows.h"

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr std::size_t kMostRows = 512; ///< of a lens

format::LogRow rowOf(const std::string& lens, std::int64_t step, const std::vector<LensNumber>& numbers)
{
    format::LogRow row{step, {}};
    for (const LensNumber& number : numbers)
        row.values.emplace_back(lens + "/" + number.name, number.value);
    return row;
}

/// All rows of the histories, by their steps.
std::vector<format::LogRow> rowsOf(const LensHistories& histories)
{
    std::vector<format::LogRow> rows;
    for (const auto& [lens, history] : histories)
        for (std::size_t i = 0; i < history.steps.size(); ++i) {
            std::vector<LensNumber> numbers;
            for (const auto& [name, column] : history.values)
                if (!std::isnan(column[i]))
                    numbers.push_back({name, column[i]});
            rows.push_back(rowOf(lens, history.steps[i], numbers));
        }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
    return rows;
}

} // namespace

Result<LensHistories> lensHistoriesOf(const std::filesystem::path& run)
{
    const auto rows = LensRows::read(run);
    if (!rows)
        return tl::unexpected(rows.error());
    LensHistories histories;
    for (const format::LogRow& row : *rows) {
        std::map<std::string, std::vector<LensNumber>> numbers; // by lens
        for (const auto& [name, value] : row.values)
            if (const std::size_t slash = name.find('/'); slash != std::string::npos)
                numbers[name.substr(0, slash)].push_back({name.substr(slash + 1), value});
        for (const auto& [lens, own] : numbers)
            histories[lens].add(row.step, own);
    }
    return histories;
}

/// A file that cannot be read is told, and what comes is kept in memory beside it.
void RunSummaries::begin(const std::filesystem::path& run)
{
    if (run.empty())
        return;
    auto histories = lensHistoriesOf(run);
    if (histories)
        m_histories = std::move(*histories);
    else
        m_report.note("summaries of lenses cannot be read: " + histories.error().text());
}

/// At most a 512th of the updates so far after the one before.
std::vector<const Lens*> RunSummaries::wanted(std::int64_t step) const
{
    std::vector<const Lens*> lenses;
    if (!m_kept.any)
        return lenses;
    for (const auto& lens : allLenses()) {
        const std::string& id = lens->spec().id;
        if (!lens->spec().summarises || m_without.count(id) > 0)
            continue;
        const auto found = m_histories.find(id);
        const std::int64_t last =
            found == m_histories.end() || found->second.steps.empty() ? -1 : std::min(found->second.steps.back(), step);
        const auto gap = std::max<std::int64_t>(1, step / static_cast<std::int64_t>(kMostRows));
        if (last < 0 || step - last >= gap || (last < step && !isFree()))
            lenses.push_back(lens.get());
    }
    return lenses;
}

void RunSummaries::giveUp(const Lens& lens, const std::string& reason)
{
    if (m_without.insert(lens.spec().id).second)
        m_report.note(lens.spec().title + " has no summary over training: " + reason);
}

void RunSummaries::keep(const Lens& lens, const LensSubject& subject)
{
    const std::string& id = lens.spec().id;
    const auto numbers = lens.summary(subject);
    if (!numbers) {
        if (!subject.end.stop_requested())
            giveUp(lens, numbers.error().text());
        return;
    }
    LensHistory& history = m_histories[id];
    history.add(subject.look.step, *numbers);
    RunFolder* const folder = m_report.folder();
    if (history.steps.size() <= kMostRows) {
        if (folder != nullptr)
            folder->addLensRow(rowOf(id, subject.look.step, *numbers));
        return;
    }
    history.thin();
    if (folder != nullptr)
        folder->replaceLensRows(rowsOf(m_histories));
}

} // namespace unroll
