// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/series_dataset.h"

#include "core/base/number_words.h"
#include "core/data/series_columns.h"
#include "core/data/sha256.h"
#include "core/data/table_reader.h"
#include "core/data/waves.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll {

namespace {

constexpr int64_t kMaxSteps = 1'000'000;
constexpr size_t kNamesShown = 6; // of columns in a sentence
constexpr int64_t kMostSequencesCounted = 200'000; // of a census: some milliseconds

int64_t trainingRows(int64_t rows, double validationFraction)
{
    return static_cast<int64_t>(std::floor(static_cast<double>(rows) * (1.0 - validationFraction)));
}

Result<void> checkOptions(const SeriesOptions& options)
{
    if (!(options.validationFraction > 0 && options.validationFraction < 1))
        return fail(fmt::format("expected a validation fraction between 0 and 1; got {}", options.validationFraction),
                    "validation_fraction");
    if (options.steps < 1 || options.steps > kMaxSteps)
        return fail(fmt::format("expected 1 to {} steps; got {}", grouped(kMaxSteps), options.steps), "steps");
    if (options.horizon < 0 || options.horizon > kMaxSteps)
        return fail(fmt::format("expected a horizon of 0 to {} rows; got {}", grouped(kMaxSteps), options.horizon),
                    "horizon");
    return {};
}

Result<void> checkWindows(const NumberTable& table, const SeriesOptions& options)
{
    const int64_t training = trainingRows(table.rows, options.validationFraction);
    if (training < options.steps + options.horizon)
        return fail(fmt::format("is too short: one window of {} needs {}, and the training part has {}",
                                counted(options.steps, "step"), counted(options.steps + options.horizon, "row"),
                                grouped(training)),
                    table.name);
    if (training == table.rows)
        return fail("leaves nothing to validate on: raise validation_fraction", table.name);
    return {};
}

std::string_view bytesOf(const std::vector<float>& numbers)
{
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

/// "a, b and 3 more"
std::string listed(const std::vector<std::string>& names)
{
    if (names.size() <= kNamesShown)
        return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kNamesShown, ", "),
                       names.size() - kNamesShown);
}

} // namespace

Result<std::shared_ptr<const SeriesDataset>> SeriesDataset::open(const SeriesOptions& options)
{
    if (options.file.empty())
        return fromTable(makeWaves(), options);
    const auto table = openTable(options.file, options.memoryLimit);
    if (!table)
        return tl::unexpected(table.error());
    return fromTable(*table, options);
}

Result<std::shared_ptr<const SeriesDataset>> SeriesDataset::fromTable(const NumberTable& table,
                                                                      const SeriesOptions& options)
{
    if (const auto good = checkOptions(options); !good)
        return tl::unexpected(good.error());
    if (const auto good = checkWindows(table, options); !good)
        return tl::unexpected(good.error());
    auto scales = chooseColumns(table, options, trainingRows(table.rows, options.validationFraction));
    if (!scales)
        return tl::unexpected(scales.error());
    return std::shared_ptr<const SeriesDataset>(new SeriesDataset(table, options, std::move(*scales)));
}

SeriesDataset::SeriesDataset(const NumberTable& table, const SeriesOptions& options, SeriesScales scales)
    : m_name(table.name),
      m_horizon(options.horizon),
      m_order(options.order),
      m_steps(options.steps),
      m_rows(table.rows),
      m_trainingRows(trainingRows(table.rows, options.validationFraction)),
      m_scales(std::move(scales))
{
    m_features = normalised(table, m_scales.inputs, Gaps::Filled);
    m_values = normalised(table, m_scales.targets, Gaps::Kept);
    m_shares = std::all_of(m_values.begin(), m_values.end(),
                           [](float value) { return std::isnan(value) || (value >= 0 && value <= 1); });
    summarise(table);
    countTargets();
    compareWithLastValue();
    note(table);
    m_hash = sha256(fmt::format("series-1:{}:{}:{}:{}", m_horizon, m_trainingRows, sha256(bytesOf(m_features)),
                                sha256(bytesOf(m_values))));
}

void SeriesDataset::summarise(const NumberTable& table)
{
    const auto holds = [](const std::vector<ColumnScale>& scales, const std::string& name) {
        return std::any_of(scales.begin(), scales.end(), [&](const ColumnScale& scale) { return scale.name == name; });
    };
    for (const NumberColumn& column : table.columns) {
        m_columns.push_back(summaryOf(column.name, column.values));
        m_columns.back().isInput = holds(m_scales.inputs, column.name);
        m_columns.back().isTarget = holds(m_scales.targets, column.name);
    }
}

void SeriesDataset::countTargets()
{
    if (std::none_of(m_values.begin(), m_values.end(), [](float value) { return std::isnan(value); }))
        return;
    const auto width = static_cast<std::ptrdiff_t>(m_scales.targets.size());
    m_asked.assign(1, 0);
    for (auto row = m_values.begin(); row != m_values.end(); row += width)
        m_asked.push_back(m_asked.back() +
                          std::count_if(row, row + width, [](float value) { return !std::isnan(value); }));
}

/// Numbers among the targets of so many items from that one on.
int64_t SeriesDataset::targetsAsked(int64_t item, int64_t items) const
{
    const auto row = static_cast<size_t>(item + m_horizon);
    return m_asked[row + static_cast<size_t>(items)] - m_asked[row];
}

int64_t SeriesDataset::targetsOf(size_t column, const Part& part) const
{
    int64_t found = 0;
    for (int64_t item = part.first; item < part.first + part.count; ++item)
        found += !std::isnan(m_values[static_cast<size_t>(item + m_horizon) * m_scales.targets.size() + column]);
    return found;
}

/// The target columns that have no number in the part, in words; empty: each has some.
std::string SeriesDataset::lacking(const Part& part) const
{
    std::vector<std::string> empty;
    for (size_t column = 0; column < m_scales.targets.size(); ++column)
        if (targetsOf(column, part) == 0)
            empty.push_back(m_scales.targets[column].name);
    if (empty.empty())
        return {};
    const bool one = empty.size() == 1;
    return fmt::format("{} {} {} no number in rows {} to {} of {}", one ? "column" : "columns", listed(empty),
                       one ? "holds" : "hold", grouped(part.first + m_horizon + 1),
                       grouped(part.first + m_horizon + part.count), grouped(m_rows));
}

std::optional<TargetCensus> SeriesDataset::census(Split split, int64_t batches, int64_t batchSize, uint64_t seed) const
{
    if (m_asked.empty())
        return std::nullopt;
    const Part part = this->part(split);
    const Windows windows = this->windows(split);
    const bool trains = split == Split::Train;
    TargetCensus census{.targets = targetsAsked(part.first, part.count), .lacks = lacking(part)};
    census.batches = std::min(batches, std::max<int64_t>(kMostSequencesCounted / batchSize, 1));
    if (!trains)
        census.batches = std::min(census.batches, windows.evaluationCount(batchSize));
    for (int64_t i = 0; i < census.batches; ++i) {
        const auto places = trains ? windows.training(i, batchSize, seed) : windows.evaluation(i, batchSize);
        census.empty += std::none_of(places.sequences.begin(), places.sequences.end(), [&](const Stretch& stretch) {
            return targetsAsked(part.first + stretch.from, windows.lengthOf(stretch)) > 0;
        });
    }
    return census;
}

/// Mean squared error, in normalised units, of saying that what is asked for will be what it is now.
void SeriesDataset::compareWithLastValue()
{
    const auto width = static_cast<int64_t>(m_scales.targets.size());
    double squares = 0;
    int64_t count = 0;
    for (int64_t at = m_trainingRows * width; at < m_rows * width; ++at) {
        const double step = static_cast<double>(m_values[static_cast<size_t>(at)]) -
                            static_cast<double>(m_values[static_cast<size_t>(at - m_horizon * width)]);
        if (std::isnan(step))
            continue;
        squares += step * step;
        ++count;
    }
    if (m_horizon > 0 && count > 0)
        m_baseline = Baseline{squares / static_cast<double>(count), "squared error", "the last value again"};
}

void SeriesDataset::note(const NumberTable& table)
{
    if (!table.leftOut.empty())
        m_notices.push_back(fmt::format(
            "{} no numbers and {} left out: {}.",
            table.leftOut.size() == 1 ? "One column holds" : fmt::format("{} columns hold", table.leftOut.size()),
            table.leftOut.size() == 1 ? "is" : "are", listed(table.leftOut)));
    std::vector<std::string> gaps;
    for (const ColumnSummary& column : m_columns)
        if (column.missing > 0 && (column.isInput || column.isTarget))
            gaps.push_back(fmt::format("{} ({})", column.name, grouped(column.missing)));
    if (!gaps.empty())
        m_notices.push_back(fmt::format("Cells are empty in {}: as inputs the number before them stands in, as targets "
                                        "they are not asked for.",
                                        listed(gaps)));
    for (const auto& [split, words] : {std::pair(Split::Train, "training"), {Split::Validation, "validation"}})
        if (const std::string empty = lacking(part(split)); !empty.empty())
            m_notices.push_back(fmt::format("In the {} part {}: nothing is asked there.", words, empty));
    if (const int64_t validation = m_rows - m_trainingRows; validation < m_steps)
        m_notices.push_back(fmt::format("The validation part ({}) is shorter than one window of {}.",
                                        counted(validation, "row"), counted(m_steps, "step")));
}

NumberFacts SeriesDataset::numbers() const
{
    return {static_cast<int64_t>(m_scales.inputs.size()), static_cast<int64_t>(m_scales.targets.size()), m_shares};
}

SeriesDataset::Part SeriesDataset::part(Split split) const
{
    return split == Split::Train ? Part{0, m_trainingRows - m_horizon}
                                 : Part{m_trainingRows - m_horizon, m_rows - m_trainingRows};
}

Windows SeriesDataset::windows(Split split) const
{
    return {part(split).count, m_order, m_steps};
}

Result<void> SeriesDataset::accepts(int64_t batchSize) const
{
    if (batchSize < 1)
        return fail(fmt::format("expected a batch of at least 1 sequence; got {}", batchSize), "batch");
    if (windows(Split::Train).holds(batchSize))
        return {};
    return fail(fmt::format("a batch of {} of {} is larger than the data: the training part has {}, room for {}",
                            counted(batchSize, "sequence"), counted(m_steps, "step"), counted(m_trainingRows, "row"),
                            counted(part(Split::Train).count / m_steps, "sequence")),
                "batch");
}

Batch SeriesDataset::written(Split split, const BatchPlaces& places) const
{
    const auto inputs = static_cast<int64_t>(m_scales.inputs.size());
    const auto targets = static_cast<int64_t>(m_scales.targets.size());
    const Windows windows = this->windows(split);
    Batch batch;
    batch.steps = m_steps;
    batch.sequences = static_cast<int64_t>(places.sequences.size());
    batch.features.assign(static_cast<size_t>(m_steps * batch.sequences * inputs), 0);
    batch.values.assign(static_cast<size_t>(m_steps * batch.sequences * targets), std::nanf(""));
    for (int64_t b = 0; b < batch.sequences; ++b) {
        const Stretch& stretch = places.sequences[static_cast<size_t>(b)];
        const int64_t real = windows.lengthOf(stretch);
        for (int64_t t = 0; t < real; ++t) {
            const int64_t row = part(split).first + stretch.from + t, at = t * batch.sequences + b;
            std::copy_n(m_features.begin() + row * inputs, inputs, batch.features.begin() + at * inputs);
            std::copy_n(m_values.begin() + (row + m_horizon) * targets, targets, batch.values.begin() + at * targets);
        }
        batch.maskFrom(real, b);
    }
    if (places.fresh)
        batch.fresh.assign(static_cast<size_t>(batch.sequences), 1);
    return batch;
}

Batch SeriesDataset::batch(Split split, int64_t step, int64_t batchSize, uint64_t seed) const
{
    if (split == Split::Validation)
        return evaluationBatch(split, step % batchesInSplit(split, batchSize), batchSize);
    return written(split, windows(split).training(step, batchSize, seed));
}

int64_t SeriesDataset::batchesInSplit(Split split, int64_t batchSize) const
{
    return windows(split).evaluationCount(batchSize);
}

Batch SeriesDataset::evaluationBatch(Split split, int64_t index, int64_t batchSize) const
{
    return written(split, windows(split).evaluation(index, batchSize));
}

std::optional<int64_t> SeriesDataset::tokensIn(Split split) const
{
    return split == Split::Train ? m_trainingRows : m_rows - m_trainingRows;
}

Result<std::vector<int32_t>> SeriesDataset::encode(std::string_view text) const
{
    if (text.empty())
        return std::vector<int32_t>{};
    return fail("the data are numbers, so no text can be read");
}

std::string SeriesDataset::describe() const
{
    return fmt::format("{}: {}; {} and {}, {} ahead; {} to train on, {} to validate", m_name, counted(m_rows, "row"),
                       counted(numbers().inputs, "input"), counted(numbers().targets, "target"),
                       counted(m_horizon, "row"), grouped(m_trainingRows), grouped(m_rows - m_trainingRows));
}

} // namespace unroll
