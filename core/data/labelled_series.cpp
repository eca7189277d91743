// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_series.h"

#include "core/base/number_words.h"
#include "core/data/random.h"
#include "core/data/records.h"
#include "core/base/sha256.h"
#include "core/data/table_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <unordered_map>

namespace unroll {

/// The numbers of one series, step by step, the columns of a step side by side.
struct LabelledSeries::Series {
    std::vector<double> values;
    std::string label;
    int64_t line = 0;      // of its first row
    int64_t labelLine = 0; // of the row that named the label
};

struct LabelledSeries::Read {
    std::string name;
    std::vector<std::string> inputs; // names of what is read at each step
    std::vector<Series> series;
    std::vector<std::string> notices;

    int64_t steps(const Series& each) const { return std::ssize(each.values) / std::ssize(inputs); }
};

namespace {

struct Columns {
    size_t label = 0;
    std::optional<size_t> id;
    std::vector<size_t> inputs;
};

bool holdsNumbers(const Records& records, size_t column)
{
    bool some = false;
    for (const Records::Row& row : records.rows) {
        const auto number = numberIn(row.cells[column], records.signs);
        if (!number)
            return false;
        some = some || !std::isnan(*number);
    }
    return some;
}

/// Of a file without names, where the classes most often stand first, the first column if it looks like labels.
Result<size_t> labelColumn(const Records& records, const LabelledSeriesOptions& options)
{
    if (!options.labelColumn.empty())
        return columnCalled(records, options.labelColumn);
    return columnOfLabels(records);
}

Result<std::vector<size_t>> inputColumns(const Records& records, const LabelledSeriesOptions& options, size_t label,
                                         std::optional<size_t> id)
{
    std::vector<size_t> inputs;
    if (options.inputColumns.empty()) {
        for (size_t column = 0; column < records.width(); ++column)
            if (column != label && column != id && holdsNumbers(records, column))
                inputs.push_back(column);
        if (inputs.empty())
            return fail(fmt::format("no column of {} beside the label holds numbers alone", records.name));
        return inputs;
    }
    const auto names = readNames(options.inputColumns);
    if (!names)
        return tl::unexpected(names.error());
    for (const std::string& name : *names) {
        const auto column = columnCalled(records, name);
        if (!column)
            return tl::unexpected(column.error());
        if (!holdsNumbers(records, *column))
            return fail(fmt::format("column {} of {} does not hold numbers alone", name, records.name));
        inputs.push_back(*column);
    }
    return inputs;
}

Result<Columns> columnsOf(const Records& records, const LabelledSeriesOptions& options)
{
    const auto label = labelColumn(records, options);
    if (!label)
        return fail(label.error().text(), "label_column");
    Columns columns{*label, {}, {}};
    if (!options.idColumn.empty()) {
        const auto id = columnCalled(records, options.idColumn);
        if (!id)
            return fail(id.error().text(), "id_column");
        columns.id = *id;
    }
    auto inputs = inputColumns(records, options, columns.label, columns.id);
    if (!inputs)
        return fail(inputs.error().text(), "input_columns");
    columns.inputs = std::move(*inputs);
    return columns;
}

} // namespace

/// Two kinds of sweep through the same frequencies, one in the order of time of the other, so that which numbers there are tells nothing.
static std::vector<double> chirp(Random& random, bool rising, int64_t steps)
{
    const double phase = 2 * std::numbers::pi * static_cast<double>(random.unit());
    std::vector<double> values;
    for (int64_t t = 0; t < steps; ++t) {
        const double along = static_cast<double>(t) / static_cast<double>(steps - 1);
        const double place = rising ? along : 1 - along;
        const double turns = 1.5 * place + 3 * place * place; // the frequency goes from 1.5 to 7.5 a series
        const double noise = 0.1 * (static_cast<double>(random.unit()) + static_cast<double>(random.unit()) - 1);
        values.push_back(std::sin(2 * std::numbers::pi * turns + phase) + noise);
    }
    return values;
}

Result<LabelledSeries::Read> LabelledSeries::read(const LabelledSeriesOptions& options)
{
    constexpr int64_t kChirps = 1200;
    Read read;
    if (options.file.empty()) {
        read.name = "built-in chirps";
        read.inputs = {"wave"};
        for (int64_t i = 0; i < kChirps; ++i) {
            Random random(1, 0x63686972, static_cast<uint64_t>(i));
            const bool rising = i % 2 == 0;
            read.series.push_back(
                {chirp(random, rising, random.between(40, 64)), rising ? "rising" : "falling", i + 1, i + 1});
        }
        return read;
    }
    const auto records = openRecords(options.file, RecordKind::Numbers, options.memoryLimit);
    if (!records)
        return tl::unexpected(records.error());
    const auto columns = columnsOf(*records, options);
    if (!columns)
        return tl::unexpected(columns.error());
    read.name = records->name;
    for (const size_t column : columns->inputs)
        read.inputs.push_back(records->names[column]);
    std::unordered_map<std::string, size_t> places;
    int64_t unlabelled = 0, firstUnlabelled = 0;
    for (const Records::Row& row : records->rows) {
        const std::string& label = row.cells[columns->label];
        const bool fresh = !columns->id || places.try_emplace(row.cells[*columns->id], read.series.size()).second;
        if (fresh)
            read.series.push_back({{}, label, row.line, row.line});
        Series& series = columns->id ? read.series[places.at(row.cells[*columns->id])] : read.series.back();
        if (series.label.empty() && !label.empty()) {
            series.label = label;
            series.labelLine = row.line;
        } else if (!label.empty() && label != series.label) {
            return fail(fmt::format("the series {} is called {} in line {} and {} in line {}", row.cells[*columns->id],
                                    series.label, series.labelLine, label, row.line),
                        read.name);
        }
        for (const size_t column : columns->inputs)
            series.values.push_back(*numberIn(row.cells[column], records->signs));
    }
    std::erase_if(read.series, [&](const Series& series) {
        if (series.label.empty())
            firstUnlabelled = unlabelled++ == 0 ? series.line : firstUnlabelled;
        return series.label.empty();
    });
    if (!columns->id) // what a row lacks at its end are steps that the series does not have
        for (Series& series : read.series)
            while (series.values.size() > 1 && std::isnan(series.values.back()))
                series.values.pop_back();
    if (!columns->id)
        read.inputs = {"value"};
    read.notices.push_back(fmt::format(
        "{}: labels from column {}, {}.", records->form, records->names[columns->label],
        columns->id ? fmt::format("a series of all rows with the same {}", records->names[*columns->id])
                    : fmt::format("the {} of a row are one series", counted(std::ssize(columns->inputs), "number"))));
    if (unlabelled > 0)
        read.notices.push_back(fmt::format("{} no label, the first in line {}: left out.",
                                           unlabelled == 1 ? "1 series has" : grouped(unlabelled) + " series have",
                                           grouped(firstUnlabelled)));
    return read;
}

Result<std::shared_ptr<const LabelledSeries>> LabelledSeries::open(const LabelledSeriesOptions& options)
{
    if (options.longest < 1)
        return fail(fmt::format("expected at least 1 step; got {}", options.longest), "longest");
    auto read = LabelledSeries::read(options);
    if (!read)
        return tl::unexpected(read.error());
    if (const auto& learned = options.learned.inputs; !learned.empty() && learned.size() != read->inputs.size())
        return fail(fmt::format("the model reads {}, and {} of {} are read", counted(std::ssize(learned), "column"),
                                counted(std::ssize(read->inputs), "column"), read->name),
                    "input_columns");
    std::shared_ptr<LabelledSeries> data(new LabelledSeries());
    data->m_name = read->name;
    std::vector<std::string> names;
    std::vector<int64_t> lines, lengths;
    int64_t cut = 0;
    for (Series& series : read->series) {
        const int64_t steps = std::min(read->steps(series), options.longest);
        cut += steps < read->steps(series);
        series.values.resize(static_cast<size_t>(steps) * read->inputs.size());
        names.push_back(series.label);
        lines.push_back(series.line);
        lengths.push_back(steps);
    }
    for (std::string& notice : read->notices)
        data->note(DataNote(std::move(notice)));
    if (cut > 0)
        data->note(fmt::format("{} longer than {}: what comes behind is left out.",
                               cut == 1 ? "1 series is" : grouped(cut) + " series are",
                               counted(options.longest, "step")));
    auto labels = Labels::of(names, lines, options.labels);
    if (!labels)
        return fail(labels.error().text(), read->name);
    if (auto prepared = data->prepare(std::move(*labels), std::move(lengths), options.split); !prepared)
        return fail(prepared.error().message, prepared.error().place.empty() ? read->name : prepared.error().place);
    data->scale(*read, options);
    return std::shared_ptr<const LabelledSeries>(std::move(data));
}

/// By the training part; what is missing stands for the number before it.
void LabelledSeries::scale(const Read& read, const LabelledSeriesOptions& options)
{
    const size_t width = read.inputs.size();
    std::string all;
    for (size_t column = 0; column < width; ++column) {
        std::vector<double> training, whole;
        for (const size_t sequence : part(Split::Train))
            for (size_t i = column; i < read.series[sequence].values.size(); i += width)
                training.push_back(read.series[sequence].values[i]);
        for (const Series& series : read.series)
            for (size_t i = column; i < series.values.size(); i += width)
                whole.push_back(series.values[i]);
        m_scales.inputs.push_back(options.learned.inputs.empty()
                                      ? scaleOf(read.inputs[column], training, options.normalisation)
                                      : options.learned.inputs[column]);
        m_columns.push_back(summaryOf(read.inputs[column], whole));
        m_columns.back().isInput = true;
    }
    for (const Series& series : read.series) {
        m_begins.push_back(m_values.size());
        for (size_t i = 0; i < series.values.size(); ++i) {
            const ColumnScale& scale = m_scales.inputs[i % width];
            const double value = (series.values[i] - scale.shift) / scale.scale;
            m_values.push_back(std::isnan(value) ? (i < width ? 0.0F : m_values[m_values.size() - width])
                                                 : static_cast<float>(value));
            all += fmt::format("{} ", series.values[i]);
        }
        all += series.label + '\n';
    }
    m_hash = sha256(all);
}

void LabelledSeries::write(Batch& batch, int64_t b, size_t sequence) const
{
    const auto width = std::ssize(m_scales.inputs);
    for (int64_t t = 0; t < length(sequence); ++t)
        std::copy_n(m_values.begin() + static_cast<std::ptrdiff_t>(m_begins[sequence]) + t * width, width,
                    batch.features.begin() + (t * batch.sequences + b) * width);
}

Result<std::vector<int32_t>> LabelledSeries::encode(std::string_view text) const
{
    if (text.empty())
        return std::vector<int32_t>{};
    return fail("these data are numbers, not text");
}

std::string LabelledSeries::describe() const
{
    return fmt::format("{}: {} series of at most {}, {}", m_name, grouped(std::ssize(m_begins)),
                       counted(steps(), "step"), partsText());
}

} // namespace unroll
