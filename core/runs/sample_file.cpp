// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/runs/sample_file.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace unroll {
namespace {

constexpr std::string_view kHead = "== step ";
constexpr std::string_view kHeadEnd = " bytes ==\n";
constexpr std::size_t kGap = 2; // line ends behind a text

template <class T>
bool readNumber(std::string_view& text, std::string_view before, T& number)
{
    if (!text.starts_with(before))
        return false;
    text.remove_prefix(before.size());
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    return parsed.ec == std::errc();
}

/// Takes the next sample off the front; nothing where no whole one begins there.
std::optional<Sample> takeSample(std::string_view& text)
{
    std::string_view rest = text;
    Sample sample;
    std::size_t bytes = 0;
    if (!readNumber(rest, kHead, sample.step) || !readNumber(rest, ", ", bytes) || !rest.starts_with(kHeadEnd))
        return {};
    rest.remove_prefix(kHeadEnd.size());
    if (rest.size() < kGap || rest.size() - kGap < bytes)
        return {};
    sample.text = rest.substr(0, bytes);
    rest.remove_prefix(bytes + kGap);
    text = rest;
    return sample;
}

} // namespace

std::string sampleRecord(const Sample& sample)
{
    return fmt::format("{}{}, {}{}{}\n\n", kHead, sample.step, sample.text.size(), kHeadEnd, sample.text);
}

std::vector<Sample> samplesIn(std::string_view file)
{
    std::vector<Sample> samples;
    while (auto sample = takeSample(file))
        samples.push_back(std::move(*sample));
    return samples;
}

std::string samplesUpTo(std::string_view file, std::int64_t lastStep)
{
    std::string_view rest = file;
    std::size_t kept = 0;
    for (auto sample = takeSample(rest); sample && sample->step <= lastStep; sample = takeSample(rest))
        kept = file.size() - rest.size();
    return std::string(file.substr(0, kept));
}

} // namespace unroll
