// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/data/number_table.h"
#include "core/data/windows.h"

#include <filesystem>
#include <memory>

namespace unroll {

struct SeriesOptions {
    std::filesystem::path file; // empty: the built-in waves
    std::string inputColumns;   // names with commas between; empty: every column of numbers
    std::string targetColumns;  // likewise
    int64_t horizon = 1;        // rows from what is read to what is asked for; 0: the same row
    Normalisation normalisation = Normalisation::Standard;
    double validationFraction = 0.2; // of the rows, at the end; the training part takes floor(n * (1 - fraction))
    ReadingOrder order = ReadingOrder::Windows;
    int64_t steps = 64;       // T
    SeriesScales learned;     // a trained model's: its columns and scales, and not those above; empty: the data's own
    uint64_t memoryLimit = 0; // bytes that reading may take; 0: what the machine has free
};

/// Forecasts of a table of numbers: at each step the input columns of one row are read, and the target columns `horizon` rows later are
/// asked for. Rows are divided in time: the last ones validate, and the first of them is forecast from rows of the training part.
/// Columns are normalised by the training part alone. A cell that is missing is no target, and as an input the number before it stands in.
class SeriesDataset final : public Dataset {
public:
    /// Errors name the file as readTable() does, or the option: a column that is not there, a part too short for one window.
    static Result<std::shared_ptr<const SeriesDataset>> open(const SeriesOptions& options);
    /// The same for a table in memory; `options.file` is not read.
    static Result<std::shared_ptr<const SeriesDataset>> fromTable(const NumberTable& table,
                                                                  const SeriesOptions& options);

    NumberFacts numbers() const override;
    int64_t steps() const override { return m_steps; }
    bool carriesState() const override { return m_order == ReadingOrder::Streams; }
    Result<void> accepts(int64_t batchSize) const override;
    Batch batch(Split split, int64_t step, int64_t batchSize, uint64_t seed) const override;
    int64_t batchesInSplit(Split split, int64_t batchSize) const override;
    Batch evaluationBatch(Split split, int64_t index, int64_t batchSize) const override;
    std::optional<TargetCensus> census(Split split, int64_t batches, int64_t batchSize, uint64_t seed) const override;
    std::optional<int64_t> tokensIn(Split split) const override; // rows
    std::vector<int32_t> beginning(Split, int64_t) const override { return {}; }
    std::optional<Baseline> baseline() const override { return m_baseline; } // the last value again
    std::vector<ColumnSummary> columns() const override { return m_columns; }
    SeriesScales scales() const override { return m_scales; }
    std::string describe() const override;
    std::string contentHash() const override { return m_hash; }
    std::vector<std::string> notices() const override { return m_notices; }

    /// Numbers have no classes.
    int64_t classes() const override { return 0; }
    std::vector<std::string> alphabet() const override { return {}; }
    Result<std::vector<int32_t>> encode(std::string_view text) const override;
    std::string decode(const std::vector<int32_t>&) const override { return {}; }

private:
    /// Items of one part: the row of the first one's input, and how many there are.
    struct Part {
        int64_t first = 0;
        int64_t count = 0;
    };
    SeriesDataset(const NumberTable& table, const SeriesOptions& options, SeriesScales scales);
    void summarise(const NumberTable& table);
    void compareWithLastValue();
    void note(const NumberTable& table);
    void countTargets();
    int64_t targetsAsked(int64_t item, int64_t items) const;
    int64_t targetsOf(size_t column, const Part& part) const;
    std::string lacking(const Part& part) const;
    Part part(Split split) const;
    Windows windows(Split split) const;
    Batch written(Split split, const BatchPlaces& places) const;

    std::string m_name;
    int64_t m_horizon;
    ReadingOrder m_order;
    int64_t m_steps;
    int64_t m_rows;
    int64_t m_trainingRows;
    SeriesScales m_scales;
    std::vector<float> m_features; // rows x inputs, normalised
    std::vector<float> m_values;   // rows x targets, normalised, NaN where missing
    std::vector<int64_t> m_asked;  // of each row, and of the end: numbers among the targets of all rows before; empty: none is missing
    bool m_shares = false;         // all of these lie within 0..1
    std::vector<ColumnSummary> m_columns;
    std::optional<Baseline> m_baseline;
    std::vector<std::string> m_notices;
    std::string m_hash;
};

} // namespace unroll
