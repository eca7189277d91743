// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/table_decision.h"

#include "core/base/number_text.h"
#include "core/data/column_evidence.h"
#include "core/data/header_notes.h"
#include "core/data/number_names.h"
#include "core/data/table_header.h"

#include <algorithm>
#include <fmt/format.h>

namespace unroll {

namespace {

constexpr char kSigns[] = {'.', ','};

std::string placed(const Sighting& seen, const std::string& column)
{
    return fmt::format("{} (line {}, column {})", quotedCell(seen.text), grouped(seen.line), column);
}

/// Finds the signs of the numbers and puts what is known of the table together.
class Decider {
public:
    Decider(std::string_view text, const TableChoices& choices, const Layout& layout, TableTop top)
        : m_text(text), m_choices(choices), m_layout(layout), m_top(std::move(top))
    {
        m_made.format.marks = layout.marks;
        m_made.cells = layout.width;
    }
    Result<TableDecision> decide();

private:
    Result<void> findSigns();
    Result<void> refuseContradictions() const;
    size_t decimalBySize(bool& isSure);
    void noteOpen(size_t decimal);
    std::string nameOf(size_t column) const;

    std::string_view m_text;
    const TableChoices& m_choices;
    const Layout& m_layout;
    TableTop m_top;
    TableDecision m_made;
};

std::string Decider::nameOf(size_t column) const
{
    const bool named = column < m_top.names.size() && !m_top.names[column].empty();
    return named ? m_top.names[column] : std::to_string(column + 1);
}

/// Numbers that only one decimal sign can read, of both kinds.
Result<void> Decider::refuseContradictions() const
{
    const auto first = [&](size_t decimal) {
        std::pair<const Sighting*, size_t> found{nullptr, 0};
        for (size_t i = 0; i < m_top.evidence.size(); ++i)
            if (const Sighting& seen = m_top.evidence[i].certain[decimal];
                m_top.evidence[i].isNumbers() && seen.count > 0 &&
                (found.first == nullptr || seen.line < found.first->line))
                found = {&seen, i};
        return found;
    };
    const auto contradict = [&](const Sighting& point, size_t a, const Sighting& comma, size_t b) {
        return fail(fmt::format(
            "{} has a decimal point, but {} has a decimal comma: a file must use one of them; set decimal to . or ,",
            placed(point, nameOf(a)), placed(comma, nameOf(b))));
    };
    for (size_t i = 0; i < m_top.evidence.size(); ++i)
        if (const auto& certain = m_top.evidence[i].certain;
            m_top.evidence[i].isNumbers() && certain[0].count > 0 && certain[1].count > 0)
            return contradict(certain[0], i, certain[1], i);
    const auto [point, a] = first(ColumnEvidence::Point);
    const auto [comma, b] = first(ColumnEvidence::Comma);
    if (point != nullptr && comma != nullptr)
        return contradict(*point, a, *comma, b);
    return {};
}

/// Where "1.012" stands among whole numbers of three digits and none of four is written without a sign, the sign
/// divides thousands; beside 1012 it does not. 2: no column says so, or columns disagree.
size_t Decider::decimalBySize(bool& isSure)
{
    std::array<bool, 2> votes{};
    std::string thousands;
    for (size_t i = 0; i < m_top.evidence.size(); ++i)
        for (const size_t sign : {0, 1}) {
            const ColumnEvidence& column = m_top.evidence[i];
            if (!column.isNumbers() || column.open[sign].count == 0)
                continue;
            if (column.whole[2] > 0)
                votes[sign] = true;
            else if (column.whole[1] > 0) {
                votes[1 - sign] = true;
                thousands = fmt::format("{} is read with {} as thousands separator: its column has three-digit whole "
                                        "numbers without one, and none of four digits.",
                                        placed(column.open[sign], nameOf(i)), sign == 0 ? "point" : "comma");
            }
        }
    isSure = votes[0] != votes[1];
    if (isSure && !thousands.empty())
        m_made.notes.emplace_back("thousands", thousands);
    return votes[0] ? 0 : 1;
}

/// Says what was taken where nothing in the file decides.
void Decider::noteOpen(size_t decimal)
{
    for (size_t i = 0; i < m_top.evidence.size(); ++i)
        for (const size_t sign : {0, 1}) {
            const Sighting& seen = m_top.evidence[i].open[sign];
            if (!m_top.evidence[i].isNumbers() || seen.count == 0)
                continue;
            const bool asDecimal = sign == decimal;
            DataNote note("open-signs",
                          fmt::format("The file does not show whether {} has a decimal {} or a thousands separator: it "
                                      "is read as {}; if that is wrong, set {} to \"{}\".",
                                      placed(seen, nameOf(i)), sign == 0 ? "point" : "comma",
                                      asDecimal ? "a decimal" : "thousands", asDecimal ? "thousands" : "decimal",
                                      kSigns[sign]),
                          true);
            // A program that delimits by commas writes decimal points.
            note.warning = !(asDecimal && sign == 0 && m_layout.marks.delimiter == ',');
            note.param = asDecimal ? "thousands" : "decimal";
            note.remedy = asDecimal ? "Read It as Thousands" : "Read It as a Decimal";
            note.settings = {{note.param, std::string(1, kSigns[sign])}};
            m_made.notes.push_back(std::move(note));
            return;
        }
}

Result<void> Decider::findSigns()
{
    if (auto good = refuseContradictions(); !good)
        return good;
    std::array<int64_t, 2> certain{}, open{}, fractions{};
    std::array<unsigned, 2> groups{};
    for (const ColumnEvidence& column : m_top.evidence)
        for (size_t sign = 0; sign < 2 && column.isNumbers(); ++sign) {
            certain[sign] += column.certain[sign].count;
            open[sign] += column.open[sign].count;
            fractions[sign] += column.fractions[sign];
            groups[sign] |= column.groups[sign];
        }
    size_t decimal = certain[1] > 0 ? 1 : 0;
    if (m_choices.decimal) {
        decimal = *m_choices.decimal == ',' ? 1 : 0;
    } else if (certain[0] + certain[1] == 0 && open[0] + open[1] > 0) {
        bool isSure = false;
        const size_t bySize = decimalBySize(isSure);
        // Between commas "14,373" has quotes around it, which who writes decimal commas seldom does.
        const bool comma = open[0] == 0 && m_layout.marks.delimiter != ',';
        decimal = isSure ? bySize : comma ? 1 : 0;
        // Three digits behind the sign in every cell that has one: beside whole numbers they are seldom fractions.
        const bool fractionsAmongWhole = isSure && open[decimal] > 0 && fractions[decimal] == open[decimal];
        if ((!isSure || fractionsAmongWhole) && !m_choices.thousands)
            noteOpen(decimal);
    }
    TableFormat& format = m_made.format;
    format.signs.decimal = kSigns[decimal];
    format.usesDecimals = fractions[decimal] > 0;
    format.signs.thousands = m_choices.thousands;
    for (const GroupSign sign : {GroupSign::Comma, GroupSign::Point, GroupSign::Apostrophe, GroupSign::Space})
        if (!m_choices.thousands && groups[decimal] == 1U << static_cast<unsigned>(sign))
            format.signs.thousands = sign;
    if (!m_choices.thousands && groups[decimal] == 0)
        format.signs.thousands = GroupSign::None;
    return {};
}

Result<TableDecision> Decider::decide()
{
    if (auto signs = findSigns(); !signs)
        return tl::unexpected(signs.error());
    const bool wasNamed = m_top.hasNames();
    if (!m_choices.headerRows && m_top.names.empty())
        if (auto named = takeNumbersAsNames(m_text, m_choices, m_layout, m_made.format.signs, m_top); !named)
            return tl::unexpected(named.error());
    if (!wasNamed &&
        m_top.hasNames()) { // what stands in the row of names is not a number and says nothing of the signs
        m_made.notes.clear();
        if (auto signs = findSigns(); !signs)
            return tl::unexpected(signs.error());
    }
    for (size_t i = 0; i < m_top.columns; ++i)
        m_made.isNumbers.push_back(m_top.evidence[i].isNumbers());
    if (std::none_of(m_made.isNumbers.begin(), m_made.isNumbers.end(), [](bool is) { return is; }))
        return fail(noNumbers(m_choices, m_layout));
    m_made.names = m_top.names;
    m_made.names.resize(m_top.columns);
    m_made.doubt = m_top.doubt;
    TableFormat& format = m_made.format;
    format.namesAreComment = m_top.namesAreComment;
    format.headerRows = m_top.hasNames() ? static_cast<int64_t>(m_top.begin - m_top.named) : 0;
    format.skippedLines = m_choices.skippedLines.value_or(m_layout.skippedLines);
    if (const size_t first = std::min(m_top.named, m_top.begin); first > 0)
        format.skippedLines = m_layout.first[first].line - 1;
    m_made.notes.insert(m_made.notes.begin(), m_top.notes.begin(), m_top.notes.end());
    return std::move(m_made);
}

} // namespace

Result<TableDecision> decideTable(std::string_view text, const TableChoices& choices)
{
    auto layout = findLayout(text, choices);
    if (!layout)
        return tl::unexpected(layout.error());
    auto top = findTop(choices, *layout);
    if (!top)
        return tl::unexpected(top.error());
    auto decision = Decider(text, choices, *layout, std::move(*top)).decide();
    if (!decision)
        return decision;
    decision->notes.insert(decision->notes.begin(), layout->notes.begin(), layout->notes.end());
    return decision;
}

} // namespace unroll
