// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace unroll {

std::string grouped(int64_t number)
{
    std::string digits = std::to_string(number);
    const int64_t first = number < 0 ? 1 : 0;
    for (int64_t at = static_cast<int64_t>(digits.size()) - 3; at > first; at -= 3)
        digits.insert(static_cast<size_t>(at), 1, ',');
    return digits;
}

std::string counted(int64_t number, const std::string& noun)
{
    return grouped(number) + " " + noun + (number == 1 ? "" : noun.ends_with("ch") ? "es" : "s");
}

std::string listed(const std::vector<std::string>& names, size_t most)
{
    if (names.size() <= most)
        return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{} and {} more",
                       fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most), ", "),
                       names.size() - most);
}

std::string sizeText(uint64_t bytes)
{
    const auto size = static_cast<double>(bytes);
    if (bytes < 10'000)
        return counted(static_cast<int64_t>(bytes), "byte");
    if (bytes < 1'000'000)
        return fmt::format("{:.0f} kB", size / 1e3);
    if (bytes < 1'000'000'000)
        return fmt::format("{:.1f} MB", size / 1e6);
    return fmt::format("{:.1f} GB", size / 1e9);
}

} // namespace unroll
