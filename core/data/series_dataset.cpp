// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/series_dataset.h"

#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/data/series_columns.h"
#include "core/data/series_file.h"
#include "core/data/series_notes.h"
#include "core/data/waves.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tuple>
#include <utility>

namespace unroll {

namespace {

constexpr int64_t kMaxSteps = 1'000'000;
constexpr int64_t kMostSequencesCounted = 200'000; // of a census: some milliseconds

/// Of the first file's rows.
Division divisionOf(int64_t rows, const SeriesOptions& options)
{
    return divided(rows, options.validationFile.empty() ? options.validationFraction : 0,
                   options.testFile.empty() ? options.testFraction : 0);
}

Result<void> checkOptions(const SeriesOptions& options)
{
    const double validation = options.validationFile.empty() ? options.validationFraction : 0;
    if (options.validationFile.empty() && !(validation > 0 && validation < 1))
        return fail(fmt::format("expected a validation fraction between 0 and 1; got {}", options.validationFraction),
                    "validation_fraction");
    if (options.testFile.empty() && !(options.testFraction >= 0 && options.testFraction + validation < 1))
        return fail(fmt::format("expected a test fraction of at least 0 that leaves something to train on; got {}",
                                options.testFraction),
                    "test_fraction");
    if (options.steps < 1 || options.steps > kMaxSteps)
        return fail(fmt::format("expected 1 to {} steps; got {}", grouped(kMaxSteps), options.steps), "steps");
    if (options.horizon < 0 || options.horizon > kMaxSteps)
        return fail(fmt::format("expected a horizon of 0 to {} rows; got {}", grouped(kMaxSteps), options.horizon),
                    "horizon");
    return {};
}

Result<void> checkWindows(const std::string& name, int64_t rows, const SeriesOptions& options)
{
    const int64_t training = divisionOf(rows, options).training;
    if (training < options.steps + options.horizon)
        return fail(fmt::format("is too short: one window of {} needs {}, and the training part has {}",
                                counted(options.steps, "step"), counted(options.steps + options.horizon, "row"),
                                grouped(training)),
                    name);
    if (training == rows && options.validationFile.empty())
        return fail("leaves nothing to validate on: raise validation_fraction", name);
    return {};
}

std::string_view bytesOf(const std::vector<float>& numbers)
{
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

} // namespace

Result<std::shared_ptr<const SeriesDataset>> SeriesDataset::open(const SeriesOptions& options)
{
    if (options.file.empty()) {
        for (const auto& [file, name] :
             {std::pair(&options.validationFile, "validation_file"), {&options.testFile, "test_file"}})
            if (!file->empty())
                return fail("the built-in waves have their own validation and test parts; set file as well, or leave "
                            "this empty",
                            name);
        return fromTable(makeWaves(), options);
    }
    auto table = openInOrder(options.file, options);
    if (!table)
        return tl::unexpected(table.error());
    return fromTable(std::move(*table), options);
}

Result<std::shared_ptr<const SeriesDataset>> SeriesDataset::fromTable(NumberTable table, const SeriesOptions& options)
{
    if (const auto good = checkOptions(options); !good)
        return tl::unexpected(good.error());
    auto files = appendOtherFiles(table, options);
    if (!files)
        return tl::unexpected(files.error());
    return fromTables(table, options, std::move(*files));
}

Result<std::shared_ptr<const SeriesDataset>> SeriesDataset::fromTables(const NumberTable& table,
                                                                       const SeriesOptions& options, SeriesFiles files)
{
    if (options.toTrain)
        if (const auto good = checkWindows(table.name, files.first, options); !good)
            return tl::unexpected(good.error());
    auto scales = chooseColumns(table, options, divisionOf(files.first, options).training);
    if (!scales)
        return tl::unexpected(scales.error());
    for (const auto* side : {&scales->inputs, &scales->targets})
        for (const ColumnScale& scale : *side)
            if (auto good = staysFinite(*table.find(scale.name), scale); !good)
                return fail(good.error().message, table.name);
    std::shared_ptr<const SeriesDataset> made(new SeriesDataset(table, options, std::move(files), std::move(*scales)));
    for (const auto& [split, name] :
         {std::pair(Split::Validation, &made->m_files.validationName), {Split::Test, &made->m_files.testName}})
        if (!name->empty() && !made->has(split))
            return fail(fmt::format("is too short: with a horizon of {} a target needs {}",
                                    counted(options.horizon, "row"), counted(options.horizon + 1, "row")),
                        *name);
    if (!made->has(Split::All))
        return fail(fmt::format("is too short: with a horizon of {} a target needs {}, and there {} {}",
                                counted(options.horizon, "row"), counted(options.horizon + 1, "row"),
                                table.rows == 1 ? "is" : "are", grouped(table.rows)),
                    table.name);
    return made;
}

SeriesDataset::SeriesDataset(const NumberTable& table, const SeriesOptions& options, SeriesFiles files,
                             SeriesScales scales)
    : m_name(table.name),
      m_horizon(options.horizon),
      m_order(options.order),
      m_steps(options.steps),
      m_rows(table.rows),
      m_files(std::move(files)),
      m_scales(std::move(scales)),
      m_format(table.format)
{
    divide(options);
    m_features = normalised(table, m_scales.inputs, Gaps::Filled);
    m_values = normalised(table, m_scales.targets, Gaps::Kept);
    m_shares = std::all_of(m_values.begin(), m_values.end(),
                           [](float value) { return std::isnan(value) || (value >= 0 && value <= 1); });
    summarise(table);
    m_targets = SeriesTargets(m_values, m_scales.targets.size(), m_horizon);
    note(table, options);
    m_hash = sha256(fmt::format("series-1:{}:{}:{}:{}", m_horizon, part(Split::Train).rows, sha256(bytesOf(m_features)),
                                sha256(bytesOf(m_values))));
}

/// The part of these rows, which go on in their file from the rows before them.
SeriesDataset::Part SeriesDataset::behind(int64_t first, int64_t rows) const
{
    const int64_t item = std::max<int64_t>(first - m_horizon, 0);
    return {item, std::max<int64_t>(first + rows - m_horizon - item, 0), item, rows};
}

void SeriesDataset::divide(const SeriesOptions& options)
{
    const auto [training, end] = divisionOf(m_files.first, options);
    const auto ofFile = [&](int64_t first, int64_t rows) {
        return Part{first, std::max<int64_t>(rows - m_horizon, 0), 0, rows};
    };
    m_parts[static_cast<size_t>(Split::Train)] = behind(0, training);
    m_parts[static_cast<size_t>(Split::Validation)] =
        options.validationFile.empty() ? behind(training, end - training) : ofFile(m_files.first, m_files.validation);
    m_parts[static_cast<size_t>(Split::Test)] = options.testFile.empty()
                                                    ? behind(end, m_files.first - end)
                                                    : ofFile(m_files.first + m_files.validation, m_files.test);
    m_parts[static_cast<size_t>(Split::All)] = ofFile(0, m_rows);
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

int64_t SeriesDataset::targetsOf(size_t column, const Part& part) const
{
    int64_t found = 0;
    for (int64_t item = part.first; item < part.first + part.count; ++item)
        found += !std::isnan(m_values[static_cast<size_t>(item + m_horizon) * m_scales.targets.size() + column]);
    return found;
}

/// The target columns that have no number in the part, in words; empty: each has some.
std::string SeriesDataset::lacking(Split split) const
{
    std::vector<std::string> empty;
    for (size_t column = 0; column < m_scales.targets.size() && has(split); ++column)
        if (targetsOf(column, part(split)) == 0)
            empty.push_back(m_scales.targets[column].name);
    if (empty.empty())
        return {};
    const bool one = empty.size() == 1;
    return fmt::format("{} {} {} no number in {}", one ? "column" : "columns", listed(empty), one ? "holds" : "hold",
                       rowsOf(split));
}

std::optional<TargetCensus> SeriesDataset::census(Split split, int64_t batches, int64_t batchSize, uint64_t seed) const
{
    if (!m_targets.lacksSome())
        return std::nullopt;
    const Part& part = this->part(split);
    const Windows windows = this->windows(split);
    const bool trains = split == Split::Train;
    TargetCensus census{.targets = m_targets.asked(part.first + m_horizon, part.count), .lacks = lacking(split)};
    census.batches = std::min(batches, std::max<int64_t>(kMostSequencesCounted / batchSize, 1));
    const int64_t before = trains ? 0 : warmUp(split); // batches that are read for the state alone
    if (!trains)
        census.batches = std::min(census.batches, windows.evaluationCount(batchSize) - before);
    for (int64_t i = 0; i < census.batches; ++i) {
        const auto places = trains ? windows.training(i, batchSize, seed) : windows.evaluation(before + i, batchSize);
        census.empty += std::none_of(places.sequences.begin(), places.sequences.end(), [&](const Stretch& stretch) {
            const int64_t from = std::max(stretch.from, stretch.asked);
            const int64_t end = stretch.from + windows.lengthOf(stretch);
            return from < end && m_targets.asked(part.first + m_horizon + from, end - from) > 0;
        });
    }
    return census;
}

std::optional<Baseline> SeriesDataset::baseline(const Portion& portion) const
{
    if (m_horizon == 0 || !has(portion.split) || (isInParts(portion.split) && portion.batches > 0))
        return std::nullopt;
    double squares = 0;
    int64_t targets = 0;
    const auto add = [&](Split split, int64_t batches) {
        const Part& part = this->part(split);
        for (const Stretch& each : windows(split).evaluated(batches, portion.batchSize)) {
            const int64_t row = part.first + m_horizon + each.from, rows = each.end - each.from;
            squares += m_targets.squaresOfRepeating(row, rows);
            targets += m_targets.asked(row, rows);
        }
    };
    if (!isInParts(portion.split))
        add(portion.split, batchesIn(portion));
    else
        for (const Split split : {Split::Train, Split::Validation, Split::Test})
            if (has(split))
                add(split, batchesInSplit(split, portion.batchSize));
    if (targets == 0)
        return std::nullopt;
    return Baseline{squares / static_cast<double>(targets), "squared error", "repeating the last value"};
}

void SeriesDataset::note(const NumberTable& table, const SeriesOptions& options)
{
    m_notes = seriesNotes(table, options, m_scales, part(Split::Train).rows);
    std::vector<std::string> gaps;
    for (const ColumnSummary& column : m_columns)
        if (column.missing > 0 && (column.isInput || column.isTarget))
            gaps.push_back(fmt::format("{} ({})", column.name, grouped(column.missing)));
    if (!gaps.empty())
        m_notes.emplace_back(
            fmt::format("Empty cells in {}: inputs repeat the previous value, targets are not scored.", listed(gaps)));
    if (!options.toTrain)
        return;
    for (const auto& [split, words] :
         {std::pair(Split::Train, "training"), {Split::Validation, "validation"}, {Split::Test, "test"}})
        if (const std::string empty = lacking(split); !empty.empty())
            m_notes.emplace_back(fmt::format("In the {} part {}: nothing is scored there.", words, empty));
    if (const int64_t validation = part(Split::Validation).rows; validation < m_steps)
        m_notes.emplace_back(fmt::format("The validation part ({}) is shorter than one window of {}.",
                                         counted(validation, "row"), counted(m_steps, "step")));
}

NumberFacts SeriesDataset::numbers() const
{
    return {static_cast<int64_t>(m_scales.inputs.size()), static_cast<int64_t>(m_scales.targets.size()), m_shares};
}

Windows SeriesDataset::windows(Split split) const
{
    return {part(split).count, m_order, m_steps, part(split).before};
}

/// Those that are asked for, as a reader counts them: "rows 161 to 200 of 200 of prices.csv".
std::string SeriesDataset::rowsOf(Split split) const
{
    const Part& part = this->part(split);
    const bool isFirst = part.first < m_files.first;
    const bool isTest = part.first >= m_files.first + m_files.validation;
    const int64_t file = isFirst ? 0 : isTest ? m_files.first + m_files.validation : m_files.first;
    const int64_t rows = isFirst ? m_files.first : isTest ? m_files.test : m_files.validation;
    const int64_t first = part.first + m_horizon - file;
    return fmt::format("rows {} to {} of {} of {}", grouped(first + 1), grouped(first + part.count), grouped(rows),
                       isFirst  ? m_name
                       : isTest ? m_files.testName
                                : m_files.validationName);
}

Result<void> SeriesDataset::accepts(int64_t batchSize) const
{
    if (batchSize < 1)
        return fail(fmt::format("expected a batch of at least 1 sequence; got {}", batchSize), "batch");
    if (has(Split::Train) && windows(Split::Train).holds(batchSize))
        return {};
    return fail(fmt::format("a batch of {} of {} is larger than the data: the training part has {}, enough for {}",
                            counted(batchSize, "sequence"), counted(m_steps, "step"),
                            counted(part(Split::Train).rows, "row"),
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
            if (stretch.asks(stretch.from + t))
                std::copy_n(m_values.begin() + (row + m_horizon) * targets, targets,
                            batch.values.begin() + at * targets);
        }
        batch.maskFrom(real, b);
    }
    if (places.fresh)
        batch.fresh.assign(static_cast<size_t>(batch.sequences), 1);
    return batch;
}

Batch SeriesDataset::trainingBatch(int64_t step, int64_t batchSize, uint64_t seed) const
{
    return written(Split::Train, windows(Split::Train).training(step, batchSize, seed));
}

int64_t SeriesDataset::batchesInSplit(Split split, int64_t batchSize) const
{
    return isInParts(split) ? batchesInParts(batchSize) : windows(split).evaluationCount(batchSize);
}

Batch SeriesDataset::evaluationBatch(Split split, int64_t index, int64_t batchSize) const
{
    if (isInParts(split))
        std::tie(split, index) = partOf(index, batchSize);
    return written(split, windows(split).evaluation(index, batchSize));
}

int64_t SeriesDataset::warmUp(Split split) const
{
    return isInParts(split) ? 0 : windows(split).warmUp();
}

std::string SeriesDataset::evaluationText(Split split) const
{
    const auto words = [&](Split part) { return rowsOf(part) + ", " + windows(part).evaluationText("row"); };
    if (!isInParts(split))
        return words(split);
    std::string all;
    for (const Split part : {Split::Train, Split::Validation, Split::Test})
        if (has(part))
            all += (all.empty() ? "" : "; ") + words(part);
    return all;
}

std::optional<int64_t> SeriesDataset::tokensIn(Split split) const
{
    return part(split).rows;
}

Result<std::vector<int32_t>> SeriesDataset::encode(std::string_view text) const
{
    if (text.empty())
        return std::vector<int32_t>{};
    return fail("the data are numbers, not text");
}

std::string SeriesDataset::describe() const
{
    const int64_t test = part(Split::Test).rows;
    return fmt::format("{}: {}; {} and {}, {} ahead; {} for training, {} for validation{}", m_name,
                       counted(m_rows, "row"), counted(numbers().inputs, "input"), counted(numbers().targets, "target"),
                       counted(m_horizon, "row"), grouped(part(Split::Train).rows),
                       grouped(part(Split::Validation).rows),
                       test > 0 ? fmt::format(", {} for testing", grouped(test)) : std::string());
}

} // namespace unroll
