// SPDX-License-Identifier: GPL-3.0-or-later
// What lenses left in a run's folder: the words of a query, and a figure as text with pools of numbers, read, written
// and read back. Behind the first zero byte of the input stand the pools' bytes; each pool reads all of them.
#include "tests/fuzz/fuzz.h"

#include "core/frames/figure_tensors.h"
#include "core/frames/kept_series.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace unroll;

namespace {

format::OwnedTensor bytesAs(const char* name, format::DType type, std::size_t width, std::string_view bytes)
{
    const std::size_t count = bytes.size() / width;
    format::OwnedTensor tensor{name, type, {static_cast<std::int64_t>(count)}, nullptr, count * width};
    tensor.data = std::make_unique<std::byte[]>(tensor.bytes);
    if (tensor.bytes > 0)
        std::memcpy(tensor.data.get(), bytes.data(), tensor.bytes);
    return tensor;
}

void readQuery(std::string_view text)
{
    const auto query = queryOfText(std::string(text));
    if (!query)
        return;
    const auto again = queryOfText(queryText(*query));
    test::demand(again && *again == *query, "a query is read back the same");
    test::demand(seriesName(*query).find('/') == std::string::npos, "a series is one folder");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view all = test::textOf(data, size);
    const std::string_view text = all.substr(0, all.find('\0'));
    const std::string_view numbers = all.substr(std::min(all.size(), text.size() + 1));
    readQuery(text);
    std::vector<format::OwnedTensor> tensors;
    tensors.push_back(bytesAs("text", format::DType::U8, 1, text));
    tensors.push_back(bytesAs("half", format::DType::F16, 2, numbers));
    tensors.push_back(bytesAs("single", format::DType::F32, 4, numbers));
    tensors.push_back(bytesAs("double", format::DType::F64, 8, numbers));
    const auto figure = figureFrom(std::move(tensors));
    if (figure)
        test::demand(figureFrom(figureTensors(*figure)).has_value(), "a figure that was written can be read");
    else
        test::demand(!figure.error().message.empty(), "an error has a sentence");
    return 0;
}
