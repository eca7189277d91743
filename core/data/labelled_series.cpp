// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/labelled_series.h"

#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/data/labelled_columns.h"
#include "core/data/random.h"
#include "core/data/records.h"
#include "core/data/series_columns.h"
#include "core/data/series_notes.h"
#include "core/data/table_reader.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
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
    std::vector<DataNote> notices;

    int64_t steps(const Series& each) const { return std::ssize(each.values) / std::ssize(inputs); }
};

namespace {

/// Two kinds of sweep through the same frequencies, one in the order of time of the other, so that which numbers there
/// are tells nothing.
std::vector<double> chirp(Random& random, bool rising, int64_t steps)
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

} // namespace

/// The built-in chirps.
LabelledSeries::Read LabelledSeries::chirps()
{
    constexpr int64_t kChirps = 1200;
    Read read;
    read.name = "built-in chirps";
    read.inputs = {"wave"};
    for (int64_t i = 0; i < kChirps; ++i) {
        Random random(1, 0x63686972, static_cast<uint64_t>(i));
        const bool rising = i % 2 == 0;
        const int64_t steps = random.between(40, 64);
        read.series.push_back({chirp(random, rising, steps), rising ? "rising" : "falling", i + 1, i + 1});
    }
    return read;
}

/// The numbers of all rows, each behind those that its series has already. Error: a series with two labels.
static Result<void> gather(const Records& records, const LabelledColumns& columns,
                           std::vector<LabelledSeries::Series>& all)
{
    std::unordered_map<std::string, size_t> places;
    for (const Records::Row& row : records.rows) {
        const std::string label(withoutBlanks(row.cells[columns.label]));
        const bool fresh = !columns.id || places.try_emplace(row.cells[*columns.id], all.size()).second;
        if (fresh)
            all.push_back({{}, label, row.line, row.line});
        LabelledSeries::Series& series = columns.id ? all[places.at(row.cells[*columns.id])] : all.back();
        if (series.label.empty() && !label.empty()) {
            series.label = label;
            series.labelLine = row.line;
        } else if (!label.empty() && label != series.label) {
            return fail(fmt::format("the series {} has the label {} in line {} and {} in line {}",
                                    row.cells[*columns.id], series.label, series.labelLine, label, row.line),
                        records.name);
        }
        for (const size_t column : columns.inputs)
            series.values.push_back(*records.numberIn(row.cells[column]));
    }
    return {};
}

static std::vector<DataNote> notesOf(const Records& records, const LabelledColumns& columns)
{
    std::vector<DataNote> notes;
    const std::string labels =
        fmt::format("Read as: {}; labels from column {}, ", records.form, records.names[columns.label]);
    if (records.series)
        notes.emplace_back(labels + "one series per object.");
    else if (columns.id)
        notes.emplace_back(labels + fmt::format("rows with the same {} form a series.", records.names[*columns.id]));
    else
        notes.emplace_back(
            labels + fmt::format("the {} of a row form a series.", counted(std::ssize(columns.inputs), "number")));
    if (!columns.leftOut.empty())
        notes.emplace_back("left-out",
                           fmt::format("{} no numbers and {} left out: {}.",
                                       columns.leftOut.size() == 1
                                           ? "One column holds"
                                           : fmt::format("{} columns hold", columns.leftOut.size()),
                                       columns.leftOut.size() == 1 ? "is" : "are", fmt::join(columns.leftOut, ", ")));
    notes.insert(notes.end(), records.notes.begin(), records.notes.end());
    return notes;
}

Result<LabelledSeries::Read> LabelledSeries::read(const LabelledSeriesOptions& options)
{
    if (options.file.empty())
        return chirps();
    const auto records = openRecords(options.file, RecordKind::Numbers, options.table, options.memoryLimit);
    if (!records)
        return tl::unexpected(records.error());
    const auto columns = labelledColumns(*records, options);
    if (!columns)
        return tl::unexpected(columns.error());
    Read read{records->name, {}, {}, notesOf(*records, *columns)};
    if (auto good = refuseShort(*records, *columns); !good)
        return tl::unexpected(good.error());
    if (auto gathered = gather(*records, *columns, read.series); !gathered)
        return tl::unexpected(gathered.error());
    for (const size_t column : columns->inputs)
        read.inputs.push_back(records->names[column]);
    if (!columns->id) { // what a row lacks at its end are steps that the series does not have
        read.inputs = {"value"};
        for (Series& series : read.series)
            while (series.values.size() > 1 && std::isnan(series.values.back()))
                series.values.pop_back();
    }
    int64_t unlabelled = 0, first = 0;
    std::erase_if(read.series, [&](const Series& series) {
        if (series.label.empty())
            first = unlabelled++ == 0 ? series.line : first;
        return series.label.empty();
    });
    if (unlabelled > 0)
        read.notices.emplace_back("left-out",
                                  fmt::format("{} no label, the first in line {}: left out.",
                                              unlabelled == 1 ? "One series has" : grouped(unlabelled) + " series have",
                                              grouped(first)),
                                  true);
    if (read.series.empty())
        return fail(fmt::format("no series has a label in column {}", records->names[columns->label]), read.name);
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
        return fail(fmt::format("the model reads {} at each step, but this file has {}",
                                counted(std::ssize(learned), "number"), read->inputs.size()),
                    read->name);
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
    for (DataNote& notice : read->notices)
        data->note(std::move(notice));
    if (cut > 0)
        data->note(fmt::format("{} longer than {}: truncated.", cut == 1 ? "1 series is" : grouped(cut) + " series are",
                               counted(options.longest, "step")));
    auto labels = Labels::of(names, lines, options.labels);
    if (!labels)
        return fail(labels.error().text(), read->name);
    if (auto prepared = data->prepare(std::move(*labels), std::move(lengths), options.split); !prepared)
        return fail(prepared.error().message, prepared.error().place.empty() ? read->name : prepared.error().place);
    if (auto scaled = data->scale(*read, options); !scaled)
        return fail(scaled.error().message, read->name);
    return std::shared_ptr<const LabelledSeries>(std::move(data));
}

/// By the training part; what is missing stands for the number before it. Error: a number that is infinite once scaled.
Result<void> LabelledSeries::scale(const Read& read, const LabelledSeriesOptions& options)
{
    const auto unscaled =
        unscaledNames(options.learned.inputs.empty() ? options.unscaledColumns : std::string(), read.inputs);
    if (!unscaled)
        return tl::unexpected(unscaled.error());
    const size_t width = read.inputs.size();
    std::vector<size_t> order = part(Split::Train); // the training part first, as in a table divided in time
    std::vector<bool> trains(read.series.size());
    for (const size_t sequence : order)
        trains[sequence] = true;
    for (size_t sequence = 0; sequence < trains.size(); ++sequence)
        if (!trains[sequence])
            order.push_back(sequence);
    NumberTable table{.name = read.name, .rows = 0, .columns = {}};
    int64_t training = 0;
    for (size_t column = 0; column < width; ++column) {
        NumberColumn& all = table.columns.emplace_back(NumberColumn{read.inputs[column], {}});
        for (const size_t sequence : order) {
            for (size_t i = column; i < read.series[sequence].values.size(); i += width)
                all.values.push_back(read.series[sequence].values[i]);
            if (trains[sequence])
                training = std::ssize(all.values);
        }
        const std::span<const double> trained = std::span(all.values).first(static_cast<size_t>(training));
        const bool stays = std::find(unscaled->begin(), unscaled->end(), all.name) != unscaled->end();
        const Normalisation way = stays ? Normalisation::None : options.normalisation;
        m_scales.inputs.push_back(options.learned.inputs.empty() ? scaleOf(all.name, trained, way)
                                                                 : options.learned.inputs[column]);
        if (auto finite = staysFinite(all, m_scales.inputs.back()); !finite)
            return finite;
        m_columns.push_back(summaryOf(all.name, all.values));
        m_columns.back().isInput = true;
    }
    table.rows = std::ssize(table.columns.front().values);
    const SeriesOptions noted{.table = options.table,
                              .rowOrder = RowOrder::Reversed, // rows of a set have no newest one
                              .normalisation = options.normalisation,
                              .unscaledColumns = options.unscaledColumns,
                              .learned = options.learned};
    for (DataNote& each : seriesNotes(table, noted, m_scales, training))
        note(std::move(each));
    keep(read);
    return {};
}

void LabelledSeries::keep(const Read& read)
{
    const size_t width = read.inputs.size();
    Sha256 hash;
    for (const Series& series : read.series) {
        m_begins.push_back(m_values.size());
        for (size_t i = 0; i < series.values.size(); ++i) {
            const ColumnScale& scale = m_scales.inputs[i % width];
            const double value = (series.values[i] - scale.shift) / scale.scale;
            m_values.push_back(std::isnan(value) ? (i < width ? 0.0F : m_values[m_values.size() - width])
                                                 : static_cast<float>(value));
            hash.add(fmt::format("{} ", series.values[i]));
        }
        hash.add(series.label + '\n');
    }
    m_hash = hash.hex();
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
    return fail("the data are numbers, not text");
}

std::string LabelledSeries::describe() const
{
    return fmt::format("{}: {} series of at most {}, {}", m_name, grouped(std::ssize(m_begins)),
                       counted(steps(), "step"), partsText());
}

} // namespace unroll
