// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/nearest.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <utility>

namespace unroll {
namespace {

constexpr std::size_t kMostNear = 3;
constexpr std::size_t kMostListed = 60;
constexpr std::size_t kLongestWord = 60; // nobody mistypes more

std::string lower(std::string_view word)
{
    std::string text(word);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// Letters to be put in, left out, changed or exchanged with their neighbour (optimal string alignment).
std::size_t distance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> before2, before(b.size() + 1), row(b.size() + 1);
    std::iota(before.begin(), before.end(), std::size_t(0));
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before2[j - 2] + 1);
        }
        before2 = std::exchange(before, row);
    }
    return before.back();
}

} // namespace

std::vector<std::string> nearestNames(std::string_view word, const std::vector<std::string>& names)
{
    const std::string wanted = lower(word);
    if (wanted.empty() || wanted.size() > kLongestWord)
        return {};
    const std::size_t most = wanted.size() < 3 ? 1 : std::min<std::size_t>(2, 1 + wanted.size() / 4);
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const std::string& name : names) {
        const std::string other = lower(name);
        const bool part = wanted.size() > 2 &&
                          (other.find(wanted) != std::string::npos || (other.size() > 2 && wanted.starts_with(other)));
        if (const std::size_t apart = distance(wanted, other); apart <= most || part)
            near.emplace_back(apart <= most ? apart : most + 1, name);
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> found;
    for (const auto& [apart, name] : near)
        if (found.size() < kMostNear && std::find(found.begin(), found.end(), name) == found.end())
            found.push_back(name);
    return found;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& names)
{
    if (const auto near = nearestNames(word, names); !near.empty())
        return fmt::format("; did you mean {}?", fmt::join(near, " or "));
    if (names.empty())
        return {};
    const std::size_t listed = std::min(names.size(), kMostListed);
    const std::string list =
        fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(listed), ", "));
    return names.size() == listed ? "; there are " + list
                                  : fmt::format("; there are {} and {} more", list, names.size() - listed);
}

} // namespace unroll
