// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of anybody: a header that is believed leads to tensors inside the file, and what was no such file is told for
// what it is.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

#include "core/format/foreign_file.h"
#include "core/format/safetensors.h"

using namespace unroll;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const test::MemoryFile bytes(data, size);
    const auto file = format::SafetensorsFile::open(bytes.path());
    if (!file) {
        if (const auto other = InputFile::open(bytes.path()))
            format::foreignFile(*other);
        return 0;
    }
    file->metadata();
    for (std::size_t i = 0; i < file->size(); ++i) {
        const auto info = file->info(i);
        test::demand(file->find(info.name) == i, "a tensor is found by its name");
        test::demand(info.bytes <= size, "a tensor is inside the file");
        test::demand(file->read(i).has_value(), "a tensor of a file that was opened can be read");
    }
    return 0;
}
