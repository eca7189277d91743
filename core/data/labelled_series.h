// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/column_scale.h"
#include "core/data/labelled_dataset.h"
#include "core/data/table_format.h"

#include <filesystem>
#include <memory>

namespace unroll {

struct LabelledSeriesOptions {
    std::filesystem::path file; // of records, see readRecords(); empty: the built-in chirps
    TableWishes table{};        // how it is written
    std::string labelColumn;    // by name, or by number where the file names none; empty: found out
    /// Rows that have the same text in it are the steps of one series, in their order; empty: one called id, series,
    /// sequence ... if each of its texts has one label and comes twice on the average, else each row is a series; "-":
    /// each row is one.
    std::string idColumn;
    std::string inputColumns; // names with commas between; empty: every other column that holds numbers
    Normalisation normalisation = Normalisation::Standard;
    std::string unscaledColumns; // names of inputs that stay as in the file whatever the normalisation; empty: none
    int64_t longest = 1000;      // T at most: what a series has beyond it is left out
    LabelledSplit split;
    SeriesScales learned;            // a trained model's columns and scales; empty: the data's own
    std::vector<std::string> labels; // likewise
    uint64_t memoryLimit = 0;        // bytes that reading may take; 0: what the machine has free
};

/// Series of numbers with one label each, asked for after the last step. Where a column says which rows belong
/// together, or an object has lists, the other columns are what is read at each step; else a row's numbers are the
/// steps of one series. Columns are normalised by the training part alone; a cell that is missing repeats the number
/// before it, and at the beginning the column's mean.
class LabelledSeries final : public LabelledDataset {
public:
    /// Errors name the file as openRecords() does, or the option: columns that are not there, a series with two labels
    /// (both lines), a part without a series, a label that a trained model has not learned.
    static Result<std::shared_ptr<const LabelledSeries>> open(const LabelledSeriesOptions& options);

    int64_t classes() const override { return 0; }
    std::vector<std::string> alphabet() const override { return {}; }
    Result<std::vector<int32_t>> encode(std::string_view text) const override;
    std::string decode(const std::vector<int32_t>&) const override { return {}; }
    std::string written(const std::vector<int32_t>&, bool) const override { return {}; }
    NumberFacts numbers() const override
    {
        return {.inputs = std::ssize(m_scales.inputs), .targets = 0, .shares = false};
    }
    SeriesScales scales() const override { return m_scales; }
    std::vector<ColumnSummary> columns() const override { return m_columns; }
    std::vector<int32_t> beginning(Split, int64_t) const override { return {}; }
    std::string describe() const override;
    std::string contentHash() const override { return m_hash; }

    struct Series; // as it stands in the file

private:
    struct Read;
    LabelledSeries() = default;
    static Read chirps();
    static Result<Read> read(const LabelledSeriesOptions& options);
    Result<void> scale(const Read& read, const LabelledSeriesOptions& options);
    void keep(const Read& read);
    void write(Batch& batch, int64_t b, size_t sequence) const override;

    std::vector<float> m_values;  // of all series, one behind the other, normalised; the columns of a step side by side
    std::vector<size_t> m_begins; // of each series
    SeriesScales m_scales;
    std::vector<ColumnSummary> m_columns;
    std::string m_name, m_hash;
};

} // namespace unroll
