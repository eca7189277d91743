// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/figure/compared.h"

#include "core/figure/compared_panels.h"
#include "core/figure/own_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace unroll {

namespace {

bool isSame(const FigureTable& one, const FigureTable& other)
{
    return one.title == other.title && one.columns == other.columns &&
           std::equal(one.rows.begin(), one.rows.end(), other.rows.begin(), other.rows.end(),
                      [](const FigureTable::Row& a, const FigureTable::Row& b) { return a.cells == b.cells; });
}

/// Labels of all axes of steps; how readings can be distinguished where nothing else is known of them.
std::vector<std::string> stepLabels(const Figure& figure)
{
    for (const FigurePanel& panel : figure.panels)
        if (panel.x.steps)
            return panel.x.labels;
    return {};
}

bool readsSame(const ComparedSide& first, const ComparedSide& second)
{
    if (!first.reading.empty() && !second.reading.empty())
        return first.reading == second.reading;
    return stepLabels(first.figure) == stepLabels(second.figure);
}

bool isOverSteps(const Figure& figure)
{
    return std::any_of(figure.panels.begin(), figure.panels.end(),
                       [](const FigurePanel& panel) { return panel.x.steps || panel.y.steps; });
}

/// Puts the parts of both figures together.
class Joiner {
public:
    Joiner(const ComparedSide& first, const ComparedSide& second, CompareWay way, bool paired)
        : m_first(first.figure),
          m_second(second.figure),
          m_names{first.name, second.name},
          m_way(way),
          m_fit{readsSame(first, second), paired}
    {
        m_made.missing = m_first.missing + m_second.missing;
        m_made.shows = showsBoth();
        if (!first.source.empty() && !second.source.empty() && first.source != second.source)
            m_made.findings.push_back(fmt::format("The sides are of different data: {} ({}) and {} ({}).", first.source,
                                                  first.name, second.source, second.name));
    }

    Result<Figure> join()
    {
        joinPanels();
        joinTables();
        joinArrays();
        if (m_way == CompareWay::Beside)
            tellBoth();
        if (m_made.panels.empty() && (m_made.tables.empty() || !m_reasons.empty()))
            return fail(m_reasons.empty() ? "neither side has anything to compare"
                                          : fmt::format("nothing can be subtracted: {}", fmt::join(m_reasons, "; ")));
        for (const std::string& reason : m_reasons)
            m_made.findings.push_back(fmt::format("n/a: {}.", reason));
        if (m_way == CompareWay::Difference && !m_made.tables.empty())
            m_made.findings.push_back("Tables are shown side by side, not subtracted.");
        return std::move(m_made);
    }

private:
    std::string showsBoth() const
    {
        const std::string what = m_way == CompareWay::Beside
                                     ? fmt::format("{} and {} on one scale.", m_names.first, m_names.second)
                                     : fmt::format("{} less {}.", m_names.second, m_names.first);
        if (m_first.shows == m_second.shows)
            return fmt::format("{} {}", what, m_first.shows);
        return fmt::format("{} {}: {} {}: {}", what, m_names.first, m_first.shows, m_names.second, m_second.shows);
    }

    void joinPanels()
    {
        const auto id = [](const FigurePanel& panel) { return panel.id; };
        const KeyPairs matched(m_first.panels, m_second.panels, id);
        for (const auto& [i, j] : matched.pairs)
            joinPanel(m_first.panels[i], m_second.panels[j]);
        for (const std::size_t i : matched.onlyFirst)
            single(m_first.panels[i], m_names.first, "_first");
        for (const std::size_t j : matched.onlySecond)
            single(m_second.panels[j], m_names.second, "_second");
        if (m_way == CompareWay::Beside && !m_fit.sameReading && isOverSteps(m_first))
            m_made.findings.push_back("The sides have different readings, so their steps do not correspond.");
    }

    void joinPanel(const FigurePanel& first, const FigurePanel& second)
    {
        if (m_way == CompareWay::Beside) {
            if (isReordered(first, second, m_fit))
                m_made.findings.push_back(
                    fmt::format("{}: the units of both sides are in the order of {}.", first.title, m_names.first));
            for (FigurePanel& panel : panelsBeside(first, second, m_fit, m_names))
                m_made.panels.push_back(std::move(panel));
            return;
        }
        auto made = panelDifference(first, second, m_fit, m_names);
        if (!made) {
            m_reasons.push_back(fmt::format("{}: {}", first.title, made.error().text()));
            return;
        }
        m_made.panels.push_back(std::move(made->panel));
        m_made.findings.insert(m_made.findings.end(), made->findings.begin(), made->findings.end());
    }

    void single(const FigurePanel& panel, const std::string& side, const std::string& suffix)
    {
        if (m_way == CompareWay::Beside)
            m_made.panels.push_back(namedPanel(panel, side, suffix));
        else
            m_reasons.push_back(fmt::format("{}: there is one of {} alone", panel.title, side));
    }

    void addTable(FigureTable table, const std::string& side, const std::string& suffix)
    {
        table.title = titleOf(table.title, side);
        table.id += suffix;
        m_made.tables.push_back(std::move(table));
    }

    void joinTables()
    {
        const auto id = [](const FigureTable& table) { return table.id; };
        const KeyPairs matched(m_first.tables, m_second.tables, id);
        for (const auto& [i, j] : matched.pairs) {
            const FigureTable &one = m_first.tables[i], &other = m_second.tables[j];
            if (isSame(one, other)) {
                m_made.tables.push_back(one);
                continue;
            }
            addTable(one, m_names.first, "_first");
            addTable(other, m_names.second, "_second");
        }
        for (const std::size_t i : matched.onlyFirst)
            addTable(m_first.tables[i], m_names.first, "_first");
        for (const std::size_t j : matched.onlySecond)
            addTable(m_second.tables[j], m_names.second, "_second");
    }

    void joinArrays()
    {
        for (const bool first : {true, false})
            for (FigureArray array : first ? m_first.arrays : m_second.arrays) {
                array.name += first ? "_first" : "_second";
                m_made.arrays.push_back(std::move(array));
            }
    }

    /// What each side found; what both found stands once.
    void tellBoth()
    {
        for (const std::string& finding : m_first.findings) {
            const bool both =
                std::find(m_second.findings.begin(), m_second.findings.end(), finding) != m_second.findings.end();
            m_made.findings.push_back(both ? finding : fmt::format("{}: {}", m_names.first, finding));
        }
        for (const std::string& finding : m_second.findings)
            if (std::find(m_first.findings.begin(), m_first.findings.end(), finding) == m_first.findings.end())
                m_made.findings.push_back(fmt::format("{}: {}", m_names.second, finding));
    }

    const Figure &m_first, &m_second;
    const SideNames m_names;
    CompareWay m_way;
    SidesFit m_fit;
    Figure m_made;
    std::vector<std::string> m_reasons; ///< why there is no difference
};

Result<std::shared_ptr<const LensData>> shownBy(const ComparedFrame& side)
{
    if (side.frame->data)
        return side.frame->data;
    return fail(fmt::format("{}: {}", side.name,
                            side.frame->trouble.empty() ? "there is nothing to show" : side.frame->trouble));
}

/// The node of a lens of the whole model that was asked about one.
std::string nodeSetting(const LensFrame& frame)
{
    const auto node = frame.query.settings.find("node");
    return frame.query.node.empty() && node != frame.query.settings.end() ? paramText(node->second) : std::string();
}

ComparedSide sideOf(const ComparedFrame& side, Figure figure)
{
    return {std::move(figure), side.name, side.frame->reading, side.frame->source};
}

Result<Figure> comparedMatched(const ComparedFrame& first, const ComparedFrame& second, CompareWay way)
{
    if (!first.frame->reading.empty() && !second.frame->reading.empty() &&
        first.frame->reading != second.frame->reading)
        return fail("units are matched over one reading, but the sides have different readings");
    auto matched = first.frame->data->matched(*second.frame->data);
    if (!matched)
        return tl::unexpected(matched.error());
    auto made =
        compared(sideOf(first, std::move(matched->first)), sideOf(second, std::move(matched->second)), way, true);
    if (!made)
        return made;
    made->findings.insert(made->findings.begin(), matched->findings.begin(), matched->findings.end());
    FigureTable& pairs = matched->pairs;
    if (pairs.columns.size() > 1) {
        pairs.columns[0] = fmt::format("{}, {}", pairs.columns[0], first.name);
        pairs.columns[1] = fmt::format("{}, {}", pairs.columns[1], second.name);
    }
    made->tables.push_back(std::move(pairs));
    return made;
}

} // namespace

Result<Figure> compared(const ComparedSide& first, const ComparedSide& second, CompareWay way, bool paired)
{
    return Joiner(first, second, way, paired).join();
}

Result<Figure> compared(const ComparedFrame& first, const ComparedFrame& second, const CompareWish& wish)
{
    const auto one = shownBy(first), other = shownBy(second);
    for (const auto* side : {&one, &other})
        if (!*side)
            return tl::unexpected(side->error());
    if (wish.matchUnits)
        return comparedMatched(first, second, wish.way);
    Figure figure = (*one)->figure(), otherFigure = (*other)->figure();
    const std::string node = nodeSetting(*first.frame), otherNode = nodeSetting(*second.frame);
    if (!node.empty() && !otherNode.empty() && node != otherNode) {
        const std::string name = ownName(node) == ownName(otherNode) ? ownName(node) : "node";
        figure = renamedNode(std::move(figure), node, name);
        otherFigure = renamedNode(std::move(otherFigure), otherNode, name);
    }
    return compared(sideOf(first, std::move(figure)), sideOf(second, std::move(otherFigure)), wish.way);
}

} // namespace unroll
