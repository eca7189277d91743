// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/side_names.h"

#include "core/base/number_text.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace unroll {

namespace {

std::string lastPart(const std::string& path)
{
    const std::filesystem::path whole(path);
    const std::string last = (whole.has_filename() ? whole : whole.parent_path()).filename().string();
    return last.empty() ? path : last;
}

std::string editText(const std::string& edit)
{
    return edit.empty() ? "untouched" : fmt::format("with {}", edit);
}

std::string nodeText(const SideFacts& side)
{
    return side.node.empty()     ? "whole network"
           : side.signal.empty() ? side.node
                                 : fmt::format("{} {}", side.node, side.signal);
}

} // namespace

std::pair<std::string, std::string> sideNames(const SideFacts& first, const SideFacts& second)
{
    std::vector<std::string> one, other;
    const auto tell = [&](const std::string& ofFirst, const std::string& ofSecond) {
        one.push_back(ofFirst);
        other.push_back(ofSecond);
    };
    if (first.run != second.run) {
        const std::string last = lastPart(first.run), lastOther = lastPart(second.run);
        last == lastOther ? tell(first.run, second.run) : tell(last, lastOther);
    }
    if (first.step != second.step)
        tell("step " + grouped(first.step), "step " + grouped(second.step));
    if (first.node != second.node || first.signal != second.signal)
        tell(nodeText(first), nodeText(second));
    if (first.edit != second.edit)
        tell(editText(first.edit), editText(second.edit));
    if (one.empty())
        tell(lastPart(first.run), lastPart(second.run));
    return {fmt::format("{}", fmt::join(one, ", ")), fmt::format("{}", fmt::join(other, ", "))};
}

} // namespace unroll
