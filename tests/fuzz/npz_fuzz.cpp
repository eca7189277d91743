// SPDX-License-Identifier: GPL-3.0-or-later
// numpy's archives and the arrays in them.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

#include "core/format/npz.h"

using namespace unroll;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const test::MemoryFile bytes(data, size);
    format::readNpy(bytes.path());
    const auto file = format::NpzFile::open(bytes.path());
    if (!file)
        return 0;
    for (std::size_t i = 0; i < file->size(); ++i) {
        const auto info = file->info(i);
        test::demand(info.bytes <= size, "an array is inside the file");
        file->read(i); // its checksum may be wrong
    }
    return 0;
}
