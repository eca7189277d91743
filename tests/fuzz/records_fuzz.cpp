// SPDX-License-Identifier: GPL-3.0-or-later
// Records with labels, CSV and its kin or JSON Lines, as texts and as numbers.
#include "tests/fuzz/fuzz.h"

#include "core/data/records.h"

#include <initializer_list>

using namespace unroll;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    for (const RecordKind kind : {RecordKind::Texts, RecordKind::Numbers}) {
        const auto records = readRecords(test::textOf(data, size), "fuzz.csv", kind);
        if (!records)
            continue;
        for (const Records::Row& row : records->rows) {
            test::demand(row.cells.size() == records->width(), "each row has every column");
            for (const std::string& cell : row.cells)
                records->numberIn(cell);
        }
        columnOfLabels(*records, kind);
    }
    return 0;
}
