// SPDX-License-Identifier: GPL-3.0-or-later
// metrics.csv of a run: whole, row by row, and its end alone. The same as lines of JSON.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

#include "core/format/csv_pieces.h"
#include "core/format/jsonl.h"

using namespace unroll;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const test::MemoryFile bytes(data, size);
    format::readCsvLog(bytes.path());
    format::readCsvRows(bytes.path(), [](const format::LogRow&) {});
    format::readCsvTail(bytes.path(), 64);
    format::readJsonlRows(bytes.path(), [](const format::LogRow& row) { format::jsonOf(row); });
    return 0;
}
