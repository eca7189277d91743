// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/text_file.h"

#include "core/base/input_file.h"
#include "core/base/number_words.h"

#include <fmt/format.h>
#include <limits>

namespace unroll {

namespace {

constexpr uint64_t kLargest = std::numeric_limits<uint64_t>::max();

} // namespace

Result<std::string> readFile(const std::filesystem::path& file, uint64_t memoryLimit, uint64_t memoryPerByte)
{
    if (file.empty())
        return fail("no file is named");
    const auto open = InputFile::open(file);
    if (!open)
        return tl::unexpected(open.error());
    const uint64_t size = open->size();
    if (size == 0)
        return fail("is empty", file.string());
    if (size > memoryLimit / memoryPerByte)
        return fail(fmt::format("has {}; reading it takes about {} of memory, and {} are free", sizeText(size),
                                sizeText(size > kLargest / memoryPerByte ? kLargest : size * memoryPerByte),
                                sizeText(memoryLimit)),
                    file.string());
    return open->readAll();
}

} // namespace unroll
