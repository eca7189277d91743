// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/weight_report.h"

#include "core/base/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace unroll {
namespace {

constexpr std::size_t kShown = 24;  ///< names of a side where nothing fits
constexpr std::size_t kMisfits = 8; ///< that are told there

/// 'x'; what would not show by its number.
std::string symbolText(const std::string& symbol)
{
    if (symbol == "\n")
        return "'\\n'";
    if (symbol == "\t")
        return "'\\t'";
    if (symbol == "\r")
        return "'\\r'";
    if (symbol.size() == 1 && (static_cast<unsigned char>(symbol[0]) < 0x20 || symbol[0] == 0x7F))
        return fmt::format("U+{:04X}", static_cast<unsigned>(symbol[0]));
    return "'" + symbol + "'";
}

} // namespace

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string Misfit::text(const std::string& there) const
{
    if (!wantedForm.empty())
        return fmt::format("{}: {} in the {}, {} in the model", name, foundForm, there, wantedForm);
    if (!reason.empty())
        return fmt::format("{}: {}", name, reason);
    return fmt::format("{}: {} in the {}, {} in the model", name, shapeText(found), there, shapeText(wanted));
}

std::string SymbolMatch::counts() const
{
    return fmt::format("{} of {} {}", taken, all, entries);
}

std::string SymbolMatch::text() const
{
    const std::string matched = fmt::format("{}: {} matched by symbol", name, counts());
    if (fresh.empty())
        return matched;
    std::vector<std::string> symbols;
    for (const std::string& symbol : fresh)
        symbols.push_back(symbolText(symbol));
    return fmt::format("{}, {} re-initialised: {}", matched, all - taken, listed(symbols, kWordsListed));
}

std::string nothingFits(const WeightReport& report, const std::string& there)
{
    std::string text = fmt::format("none of the {} weights of the model can be loaded from it", report.inModel());
    for (std::size_t i = 0; i < std::min<std::size_t>(report.mismatched.size(), kMisfits); ++i)
        text += "\n  does not match: " + report.mismatched[i].text(there);
    text += "\n  the model has: " + listed(report.here, kShown);
    text +=
        fmt::format("\n  the {} has: {}", there, report.there.empty() ? "no tensors" : listed(report.there, kShown));
    return text;
}

} // namespace unroll
