// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/edits.h"

#include <fmt/format.h>

namespace unroll {

namespace {

std::string writtenUnits(const std::vector<std::int64_t>& units)
{
    if (units.empty())
        return {};
    std::string text = "[";
    for (std::size_t i = 0; i < units.size();) {
        std::size_t end = i + 1;
        while (end < units.size() && units[end] == units[end - 1] + 1)
            ++end;
        if (text.size() > 1)
            text += ",";
        const bool isRun = end - i > 2;
        text += isRun ? fmt::format("{}..{}", units[i], units[end - 1]) : std::to_string(units[i]);
        i = isRun ? end : i + 1;
    }
    return text + "]";
}

std::string writtenSpan(const EditSpan& span)
{
    const std::int64_t first = span.first + 1;
    if (!span.last)
        return first == 1 ? "" : fmt::format(" from {}", first);
    return *span.last == span.first ? fmt::format(" at {}", first) : fmt::format(" at {}..{}", first, *span.last + 1);
}

std::string quotedText(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c == '\n' ? std::string("\\n") : std::string(1, c);
    }
    return out + "\"";
}

} // namespace

std::string writtenEdit(const Edit& edit)
{
    const std::string target = edit.node + "." + edit.signal + writtenUnits(edit.units);
    const std::string span = writtenSpan(edit.span);
    switch (edit.kind) {
    case Edit::Kind::Pin: return fmt::format("{} = {}{}", target, edit.amount, span);
    case Edit::Kind::Scale: return fmt::format("{} *= {}{}", target, edit.amount, span);
    case Edit::Kind::Add: return fmt::format("{} += {}{}", target, edit.amount, span);
    case Edit::Kind::Noise: return fmt::format("{} += noise({}, seed {}){}", target, edit.amount, edit.seed, span);
    case Edit::Kind::Swap:
        return fmt::format("{} <-> {}.{}{}{}", target, edit.node, edit.signal, writtenUnits(edit.others), span);
    case Edit::Kind::Ablate: return fmt::format("ablate {}{}{}", edit.node, edit.toMean ? " with mean" : "", span);
    case Edit::Kind::Start: return "start " + quotedText(edit.text);
    }
    return {};
}

std::string writtenEdits(const std::vector<Edit>& edits)
{
    std::string text;
    for (const Edit& edit : edits)
        text += (text.empty() ? "" : "; ") + writtenEdit(edit);
    return text;
}

} // namespace unroll
