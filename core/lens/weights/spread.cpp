// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/weights/spread.h"

#include "core/base/number_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace unroll {

namespace {

constexpr std::size_t kMostColumns = 96;
constexpr std::int64_t kRowsOfARun = 64; ///< counts are kept at most at a 64th of the updates so far
constexpr int kSizes = Spread::kMostOctave - Spread::kLeastOctave + 1;

std::string countName(const std::string& what)
{
    return what + "_count.";
}

/// Reads the counts of one node back.
class SpreadColumns {
public:
    SpreadColumns(const LensHistory& history, const std::string& what, const std::string& node)
        : m_history(history), m_counts(history.values.at(countName(what) + node))
    {
        m_exponents = column(what + "_exponent." + node);
        const int bins = m_exponents != nullptr ? Spread::kBins : kSizes + 1;
        for (int bin = 0; bin < bins; ++bin)
            m_bins.push_back(column(fmt::format("{}_bin_{}.{}", what, bin, node)));
        for (std::size_t row = 0; row < m_counts.size(); ++row)
            if (!std::isnan(m_counts[row]))
                m_rows.push_back(row);
        const std::size_t stride = (m_rows.size() + kMostColumns - 1) / kMostColumns, all = m_rows.size();
        std::vector<std::size_t> some;
        for (std::size_t i = 0; i < all; ++i)
            if ((all - 1 - i) % stride == 0)
                some.push_back(m_rows[i]);
        m_rows = std::move(some);
    }

    bool isOfValues() const { return m_exponents != nullptr; }
    const std::vector<std::size_t>& rows() const { return m_rows; }
    int exponent(std::size_t row) const { return static_cast<int>((*m_exponents)[row]); }
    /// Of the node's numbers; NaN where none is finite.
    double share(std::size_t row, int bin) const
    {
        const std::vector<double>* counts = m_bins[static_cast<std::size_t>(bin)];
        const double count = counts == nullptr || std::isnan((*counts)[row]) ? 0 : (*counts)[row];
        return count / m_counts[row];
    }
    bool isUsed(int bin) const
    {
        return std::any_of(m_rows.begin(), m_rows.end(), [&](std::size_t row) { return share(row, bin) > 0; });
    }

private:
    const std::vector<double>* column(const std::string& name) const
    {
        const auto found = m_history.values.find(name);
        return found == m_history.values.end() ? nullptr : &found->second;
    }

    const LensHistory& m_history;
    const std::vector<double>& m_counts;
    const std::vector<double>* m_exponents = nullptr;
    std::vector<const std::vector<double>*> m_bins;
    std::vector<std::size_t> m_rows;
};

FigureCells emptyCells(const std::string& name, std::size_t rows, std::size_t columns)
{
    return {.name = name,
            .rows = static_cast<std::int64_t>(rows),
            .columns = static_cast<std::int64_t>(columns),
            .values = std::vector<float>(rows * columns, 0.0f),
            .scale = FigureCells::Scale::Positive};
}

/// The bin of a range 2^shift times as wide that a bin lies in.
int widened(int bin, int shift)
{
    constexpr int half = Spread::kBins / 2;
    return bin >= half ? half + ((bin - half) >> shift) : half - 1 - ((half - 1 - bin) >> shift);
}

/// The largest values on top.
void fillValues(FigurePanel& panel, const SpreadColumns& columns)
{
    int widest = std::numeric_limits<int>::min();
    for (const std::size_t row : columns.rows())
        widest = std::max(widest, columns.exponent(row));
    panel.y.title = "value, from";
    for (int bin = Spread::kBins; bin-- > 0;)
        panel.y.labels.push_back(fmt::format("{:.3g}", std::ldexp(2.0 * bin / Spread::kBins - 1, widest)));
    panel.cells = emptyCells(panel.id, Spread::kBins, columns.rows().size());
    for (std::size_t i = 0; i < columns.rows().size(); ++i) {
        const std::size_t row = columns.rows()[i];
        const int shift = std::min(widest - columns.exponent(row), 30);
        for (int bin = 0; bin < Spread::kBins; ++bin) {
            const auto to = static_cast<std::size_t>(Spread::kBins - 1 - widened(bin, shift));
            panel.cells->values[to * columns.rows().size() + i] += static_cast<float>(columns.share(row, bin));
        }
    }
}

/// The octaves that are used, the largest on top, and zeros below them.
void fillSizes(FigurePanel& panel, const SpreadColumns& columns)
{
    int most = -1, least = kSizes;
    for (int bin = 0; bin < kSizes; ++bin)
        if (columns.isUsed(bin)) {
            most = std::max(most, bin);
            least = std::min(least, bin);
        }
    std::vector<int> bins;
    for (int bin = most; bin >= least; --bin)
        bins.push_back(bin);
    if (columns.isUsed(kSizes) || bins.empty())
        bins.push_back(kSizes);
    panel.y.title = "size, from";
    panel.cells = emptyCells(panel.id, bins.size(), columns.rows().size());
    std::size_t at = 0;
    for (const int bin : bins) {
        panel.y.labels.push_back(bin == kSizes ? std::string("0")
                                               : fmt::format("{:.2g}", std::ldexp(1.0, bin + Spread::kLeastOctave)));
        for (const std::size_t row : columns.rows())
            panel.cells->values[at++] = static_cast<float>(columns.share(row, bin));
    }
}

} // namespace

void addSpread(std::vector<LensNumber>& numbers, const std::string& what, const std::string& node, const Spread& spread)
{
    numbers.push_back({countName(what) + node, static_cast<double>(spread.count)});
    if (std::ssize(spread.bins) == Spread::kBins)
        numbers.push_back({what + "_exponent." + node, static_cast<double>(spread.exponent)});
    for (std::size_t bin = 0; bin < spread.bins.size(); ++bin)
        if (spread.bins[bin] > 0)
            numbers.push_back({fmt::format("{}_bin_{}.{}", what, bin, node), static_cast<double>(spread.bins[bin])});
}

bool wantsSpread(const LensHistory& history, std::int64_t step)
{
    std::int64_t last = -1;
    for (const auto& [name, column] : history.values)
        if (name.starts_with(countName("weights")))
            for (std::size_t row = 0; row < column.size(); ++row)
                if (!std::isnan(column[row]) && history.steps[row] < step)
                    last = std::max(last, history.steps[row]);
    return last < 0 || step - last >= std::max<std::int64_t>(1, step / kRowsOfARun);
}

std::vector<FigurePanel> spreadPanels(const LensHistory& history, const std::string& what)
{
    std::vector<FigurePanel> panels;
    const std::string prefix = countName(what);
    for (const auto& [name, counts] : history.values) {
        if (!name.starts_with(prefix))
            continue;
        const std::string node = name.substr(prefix.size());
        const SpreadColumns columns(history, what, node);
        if (columns.rows().empty())
            continue;
        FigurePanel panel{.id = fmt::format("{}_spread_{}", what, node),
                          .title = fmt::format("{}: how its {} are spread over training", node, what)};
        panel.x.title = "training step";
        for (const std::size_t row : columns.rows())
            panel.x.labels.push_back(grouped(history.steps[row]));
        columns.isOfValues() ? fillValues(panel, columns) : fillSizes(panel, columns);
        panels.push_back(std::move(panel));
    }
    return panels;
}

} // namespace unroll
