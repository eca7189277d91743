// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/data/dataset.h"
#include "core/data/number_table.h"
#include "core/data/series_targets.h"
#include "core/data/windows.h"

#include <array>
#include <filesystem>
#include <memory>

namespace unroll {

/// Which row is the oldest.
enum class RowOrder {
    File,     // the first one
    Reversed, // the last one
    Auto      // the last one where columns of time go back
};

struct SeriesOptions {
    std::filesystem::path file;           // empty: the built-in waves
    std::filesystem::path validationFile; // with the same columns; empty: a part of `file` behind the training part
    std::filesystem::path testFile;       // likewise; empty: the last part of `file`
    TableWishes table{};                  // how they are written, as far as that is not found from each file
    RowOrder rowOrder = RowOrder::File;
    std::string inputColumns;  // names with commas between; empty: every column of numbers
    std::string targetColumns; // likewise
    int64_t horizon = 1;       // rows from the input to the target; 0: the same row
    Normalisation normalisation = Normalisation::Standard;
    std::string unscaledColumns; // names of columns that stay as in the file whatever the normalisation; empty: none
    double validationFraction =
        0.2; // of the rows of `file`, where no file is named; the training part takes floor(n * (1 - fractions))
    double testFraction = 0; // likewise, at the end
    bool toTrain = true;     // false: what training alone needs may be missing
    ReadingOrder order = ReadingOrder::Windows;
    int64_t steps = 64;       // T
    SeriesScales learned;     // a trained model's: its columns and scales, and not those above; empty: the data's own
    uint64_t memoryLimit = 0; // bytes that reading may take; 0: what the machine has free
};

/// Rows of each file.
struct SeriesFiles {
    int64_t first = 0, validation = 0, test = 0;
    std::string validationName, testName;
};

/// Forecasts of a table of numbers: at each step the input columns of one row are read, and the target columns
/// `horizon` rows later are asked for. Rows are divided in time: the training part, then validation, then the test; the
/// first rows of a part are forecast from those of the part before, in a file of its own the first `horizon` rows are
/// read alone. Columns are normalised by the training part alone. A cell that is missing is not a target, and as an
/// input the number before it stands in.
class SeriesDataset final : public Dataset {
public:
    /// Errors name the file as readTable() does, or the option: a column that is not there, a part too short for one
    /// window.
    static Result<std::shared_ptr<const SeriesDataset>> open(const SeriesOptions& options);
    /// The same for a table in memory; `options.file` is not read.
    static Result<std::shared_ptr<const SeriesDataset>> fromTable(NumberTable table, const SeriesOptions& options);

    NumberFacts numbers() const override;
    int64_t steps() const override { return m_steps; }
    bool carriesState() const override { return m_order == ReadingOrder::Streams; }
    Result<void> accepts(int64_t batchSize) const override;
    Batch trainingBatch(int64_t step, int64_t batchSize, uint64_t seed) const override;
    bool has(Split split) const override { return part(split).count > 0; }
    int64_t batchesInSplit(Split split, int64_t batchSize) const override;
    Batch evaluationBatch(Split split, int64_t index, int64_t batchSize) const override;
    int64_t warmUp(Split split) const override;
    bool hasOrder() const override { return true; }
    int64_t places(Split split) const override { return split == Split::All ? m_rows : part(split).count; }
    Batch stretch(Split split, int64_t at, int64_t length) const override;
    std::string evaluationText(Split split) const override;
    std::optional<TargetCensus> census(Split split, int64_t batches, int64_t batchSize, uint64_t seed) const override;
    std::optional<int64_t> tokensIn(Split split) const override; // rows
    std::vector<int32_t> beginning(Split, int64_t) const override { return {}; }
    std::optional<Baseline> baseline(const Portion& portion) const override; // the last value again
    std::vector<ColumnSummary> columns() const override { return m_columns; }
    SeriesScales scales() const override { return m_scales; }
    std::string describe() const override;
    std::string contentHash() const override { return m_hash; }
    std::vector<DataNote> notes() const override { return m_notes; }
    std::optional<TableFormat> tableFormat() const override { return m_format; }

    /// Numbers have no classes.
    int64_t classes() const override { return 0; }
    std::vector<std::string> alphabet() const override { return {}; }
    Result<std::vector<int32_t>> encode(std::string_view text) const override;
    std::string decode(const std::vector<int32_t>&) const override { return {}; }
    std::string written(const std::vector<int32_t>&, bool) const override { return {}; }

private:
    /// Items of one part: the row of the first one's input, how many there are, and how many of the same file lie
    /// before.
    struct Part {
        int64_t first = 0;
        int64_t count = 0;
        int64_t before = 0;
        int64_t rows = 0; // that belong to the part
    };
    static Result<std::shared_ptr<const SeriesDataset>> fromTables(const NumberTable& table,
                                                                   const SeriesOptions& options, SeriesFiles files);
    SeriesDataset(const NumberTable& table, const SeriesOptions& options, SeriesFiles files, SeriesScales scales);
    void divide(const SeriesOptions& options);
    Part behind(int64_t first, int64_t rows) const;
    void summarise(const NumberTable& table);
    void note(const NumberTable& table, const SeriesOptions& options);
    int64_t targetsOf(size_t column, const Part& part) const;
    std::string lacking(Split split) const;
    const Part& part(Split split) const { return m_parts[static_cast<size_t>(split)]; }
    bool isInParts(Split split) const { return split == Split::All && m_files.validation + m_files.test > 0; }
    std::string rowsOf(Split split) const;
    Windows windows(Split split) const;
    Batch written(Split split, const BatchPlaces& places) const;

    std::string m_name;
    int64_t m_horizon;
    ReadingOrder m_order;
    int64_t m_steps;
    int64_t m_rows; // of all files
    SeriesFiles m_files;
    std::array<Part, 4> m_parts; // by Split
    SeriesScales m_scales;
    std::vector<float> m_features; // rows x inputs, normalised
    std::vector<float> m_values;   // rows x targets, normalised, NaN where missing
    bool m_shares = false;         // all of these lie within 0..1
    SeriesTargets m_targets{m_values, 1, 0};
    std::vector<ColumnSummary> m_columns;
    std::vector<DataNote> m_notes;
    std::optional<TableFormat> m_format;
    std::string m_hash;
};

} // namespace unroll
