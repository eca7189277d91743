// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/frames/figure_tensors.h"

#include "core/frames/figure_text.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace unroll {

namespace {

constexpr const char* kWords = "words";

format::OwnedTensor textTensor(const std::string& text)
{
    format::OwnedTensor tensor{
        kWords, format::DType::U8, {std::ssize(text)}, std::make_unique<std::byte[]>(text.size()), text.size()};
    std::memcpy(tensor.data.get(), text.data(), text.size());
    return tensor;
}

} // namespace

std::vector<format::OwnedTensor> figureTensors(const Figure& figure)
{
    NumberPools numbers;
    const std::string words = writeJson(figureWords(figure, numbers), 0);
    std::vector<format::OwnedTensor> tensors = numbers.tensors();
    tensors.push_back(textTensor(words));
    return tensors;
}

Result<Figure> figureFrom(std::vector<format::OwnedTensor> tensors)
{
    const auto words =
        std::find_if(tensors.begin(), tensors.end(), [](const auto& tensor) { return tensor.name == kWords; });
    if (words == tensors.end() || words->dtype != format::DType::U8)
        return fail("has no words of a figure");
    const auto json = readJson({reinterpret_cast<const char*>(words->data.get()), words->bytes}, kWords);
    if (!json)
        return tl::unexpected(json.error());
    const auto numbers = ReadPools::of(std::move(tensors));
    if (!numbers)
        return tl::unexpected(numbers.error());
    return figureOfWords(*json, *numbers);
}

} // namespace unroll
