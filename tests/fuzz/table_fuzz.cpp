// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of numbers. Before the first line end may stand what a user has set: "delimiter|decimal|thousands|header
// rows|skipped|comment|missing|quote|encoding".
#include "tests/fuzz/fuzz.h"

#include "core/data/series_dataset.h"
#include "core/data/table_reader.h"

#include <string>

using namespace unroll;

namespace {

constexpr std::string_view kWishes = "wishes:";

/// Takes the first line away where it has wishes.
TableWishes wishesIn(std::string_view& text)
{
    TableWishes wishes;
    if (!text.starts_with(kWishes))
        return wishes;
    std::string_view line = text.substr(kWishes.size(), text.find('\n') - kWishes.size());
    text.remove_prefix(std::min(text.size(), kWishes.size() + line.size() + 1));
    for (std::string* wish : {&wishes.delimiter, &wishes.decimal, &wishes.thousands, &wishes.headerRows,
                              &wishes.skipRows, &wishes.comment, &wishes.missing, &wishes.quote, &wishes.encoding}) {
        const std::size_t end = std::min(line.size(), line.find('|'));
        *wish = line.substr(0, end);
        line.remove_prefix(std::min(line.size(), end + 1));
    }
    return wishes;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string_view text = test::textOf(data, size);
    const TableWishes wishes = wishesIn(text);
    auto table = readTable(std::string(text), "fuzz.csv", wishes);
    if (!table) {
        test::demand(!table.error().message.empty(), "an error has a sentence");
        return 0;
    }
    test::demand(!table->columns.empty(), "a table has a column");
    for (const NumberColumn& column : table->columns)
        test::demand(std::ssize(column.values) == table->rows, "each column has every row");
    SeriesOptions options;
    options.steps = 2;
    const auto series = SeriesDataset::fromTable(std::move(*table), options);
    if (series && (*series)->accepts(1))
        (*series)->trainingBatch(0, 1, 1);
    return 0;
}
