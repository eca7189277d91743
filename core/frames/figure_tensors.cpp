// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frames/figure_tensors.h"

#include "core/frames/figure_text.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace unroll {

namespace {

constexpr const char* kText = "text";

format::OwnedTensor textTensor(const std::string& text)
{
    format::OwnedTensor tensor{
        kText, format::DType::U8, {std::ssize(text)}, std::make_unique<std::byte[]>(text.size()), text.size()};
    std::memcpy(tensor.data.get(), text.data(), text.size());
    return tensor;
}

} // namespace

std::vector<format::OwnedTensor> figureTensors(const Figure& figure, bool exact)
{
    NumberPools numbers(exact);
    const std::string text = writeJson(figureText(figure, numbers), 0);
    std::vector<format::OwnedTensor> tensors = numbers.tensors();
    tensors.push_back(textTensor(text));
    return tensors;
}

Result<Figure> figureFrom(std::vector<format::OwnedTensor> tensors)
{
    const auto text =
        std::find_if(tensors.begin(), tensors.end(), [](const auto& tensor) { return tensor.name == kText; });
    if (text == tensors.end() || text->dtype != format::DType::U8)
        return fail("has no text of a figure");
    const auto json = readJson({reinterpret_cast<const char*>(text->data.get()), text->bytes}, kText);
    if (!json)
        return tl::unexpected(json.error());
    const auto numbers = ReadPools::of(std::move(tensors));
    if (!numbers)
        return tl::unexpected(numbers.error());
    return figureOfText(*json, *numbers);
}

} // namespace unroll
