// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/table_survey.h"

#include "core/base/number_text.h"
#include "core/data/joined_cells.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace unroll {

namespace {

constexpr size_t kMostColumns = 4096;
constexpr char kDelimiters[] = {'\t', ';', '|', ',', RowMarks::kBlanks};
constexpr size_t kKinds = std::size(kDelimiters);
constexpr std::string_view kComments[] = {"#", "%", "//"};
/// Of the lines that are not a comment: what is in fewer is not a delimiter.
constexpr double kLeastShare = 0.2;
/// Explained of a text in rows of one length: there is nothing left to look for.
constexpr double kPlenty = 0.95;
/// Words have blanks between them: these must explain so much more than another sign that divides the rows.
constexpr double kBlanksMore = 0.1;

/// What the lines have in them, before anything is known of cells.
struct LineSurvey {
    int64_t lines = 0; // with something in them, comments not
    std::array<int64_t, kKinds> with{};
    std::map<std::string, int64_t> comments; // by the sign they begin with
    int64_t apostrophes = 0;                 // that begin and end a line or a cell
    bool doubleQuotes = false;
};

std::string_view lineAt(std::string_view text, size_t at)
{
    const auto isEnd = [](char c) { return c == '\n' || c == '\r'; };
    const auto* const begin = text.begin() + static_cast<std::ptrdiff_t>(at);
    return text.substr(at, static_cast<size_t>(std::find_if(begin, text.end(), isEnd) - begin));
}

void surveyLine(std::string_view line, LineSurvey& survey)
{
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
        return;
    ++survey.lines;
    const std::string_view inner = line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
    const auto has = [](std::string_view in, char c) { return in.find(c) != std::string_view::npos; };
    for (size_t i = 0; i < kKinds; ++i)
        if (kDelimiters[i] != RowMarks::kBlanks)
            survey.with[i] += has(line, kDelimiters[i]);
    survey.with[kKinds - 1] += has(inner, ' ') || has(inner, '\t');
    if (has(inner, '\'')) {
        const bool opens = inner.starts_with('\'') || inner.find(",'") != inner.npos || inner.find(";'") != inner.npos;
        const bool closes = inner.ends_with('\'') || inner.find("',") != inner.npos || inner.find("';") != inner.npos;
        survey.apostrophes += opens && closes && inner.size() > 1;
    }
    survey.doubleQuotes = survey.doubleQuotes || line.find('"') != std::string_view::npos;
}

LineSurvey surveyLines(std::string_view text, const std::vector<std::string>& comments)
{
    LineSurvey survey;
    for (size_t at = 0; at < text.size();) {
        const std::string_view line = lineAt(text, at);
        if (const std::string_view sign = commentSign(line, comments); !sign.empty())
            ++survey.comments[std::string(sign)];
        else
            surveyLine(line, survey);
        at += line.size() + 1;
    }
    return survey;
}

/// "sep=;" as Excel writes and reads it in a first line of its own.
std::optional<char> namedDelimiter(std::string_view text)
{
    std::string_view line = withoutBlanks(lineAt(text, 0));
    if (line.size() > 2 && line.front() == '"' && line.back() == '"')
        line = line.substr(1, line.size() - 2);
    const bool names =
        line.size() == 5 && (line.starts_with("sep=") || line.starts_with("SEP=") || line.starts_with("Sep="));
    if (!names && lineAt(text, 0) != "sep=\t")
        return std::nullopt;
    return names ? line[4] : '\t';
}

/// How well one delimiter does.
struct Trial {
    Layout layout;
    int64_t ofWidth = 0;   // rows of the layout's width
    bool takesAll = false; // every row with a number has that width
    double explained = 0;  // share of the bytes in cells that are numbers, dates or missing, in rows of that width
    std::optional<Error> failure;

    /// Names that have other cells than the rows below them speak against it.
    double score() const
    {
        return explained * static_cast<double>(ofWidth) / static_cast<double>(std::max<int64_t>(layout.rows, 1));
    }
    /// A sign that stands in no number and no word divides nearly all rows alike.
    bool isRuled() const
    {
        const bool sign = layout.marks.delimiter == ';' || layout.marks.delimiter == '|';
        return sign && layout.width > 1 && ofWidth * 10 >= layout.rows * 9;
    }
};

struct WidthCount {
    int64_t rows = 0, withNumbers = 0, firstLine = 0, typedBytes = 0;
    std::vector<ColumnEvidence> later;
};

Trial tryDelimiter(std::string_view text, const TableChoices& choices, const RowMarks& marks, int64_t skippedLines)
{
    Trial trial;
    trial.layout.marks = marks;
    trial.layout.skippedLines = skippedLines;
    const CellJudge judge(choices);
    std::map<size_t, WidthCount> widths;
    int64_t bytes = 0;
    RowReader reader(text, marks, skippedLines);
    std::vector<std::string> cells;
    std::vector<ColumnEvidence> ofRow;
    int64_t blankLines = 0;
    for (auto read = reader.next(cells);; read = reader.next(cells)) {
        if (!read)
            trial.failure = read.error();
        if (!read || !*read)
            break;
        WidthCount& width = widths[cells.size()];
        const bool isFirst = trial.layout.first.size() < Layout::kFirst;
        std::vector<ColumnEvidence>& columns = isFirst ? ofRow : width.later;
        if (isFirst)
            ofRow.assign(cells.size(), {});
        columns.resize(std::min(cells.size(), kMostColumns + 1));
        bool hasNumber = false;
        for (size_t i = 0; i < columns.size(); ++i) {
            const int64_t typedBefore = columns[i].typedBytes;
            hasNumber = judge.judge(cells[i], reader.line(), columns[i]) == CellKind::Number || hasNumber;
            width.typedBytes += columns[i].typedBytes - typedBefore;
            bytes += static_cast<int64_t>(cells[i].size());
        }
        width.firstLine = width.rows++ == 0 ? reader.line() : width.firstLine;
        width.withNumbers += hasNumber;
        ++trial.layout.rows;
        if (isFirst)
            trial.layout.first.push_back(
                {cells, reader.line(), std::string(reader.lastComment()), reader.blankLines() > blankLines});
        blankLines = reader.blankLines();
    }
    const auto best = std::max_element(widths.begin(), widths.end(), [](const auto& a, const auto& b) {
        const auto key = [](const WidthCount& width) {
            return std::tuple(width.withNumbers, width.rows, -width.firstLine);
        };
        return key(a.second) < key(b.second);
    });
    if (best != widths.end()) {
        trial.layout.width = best->first;
        trial.layout.later = std::move(best->second.later);
        trial.ofWidth = best->second.rows;
        trial.takesAll =
            best->second.withNumbers > 0 && std::all_of(widths.begin(), widths.end(), [&](const auto& width) {
                return width.first == best->first || width.second.withNumbers == 0;
            });
        trial.explained = static_cast<double>(best->second.typedBytes) / std::max(1.0, static_cast<double>(bytes));
    }
    return trial;
}

/// `other`: the delimiter to set if what was decided is wrong.
DataNote openDelimiter(const std::string& example, char other)
{
    const bool joined = other != RowMarks::kNone;
    DataNote note("open-delimiter",
                  fmt::format("{} whether {} is one number or several: it is read as {}; if that is wrong, set "
                              "delimiter to {}.",
                              joined ? "Only the header shows" : "The file does not show", quotedCell(example),
                              joined ? "one" : "several", delimiterWord(other)),
                  true);
    note.param = "delimiter";
    note.remedy = joined ? "Read Several Columns" : "Read One Column";
    note.settings = {{"delimiter", delimiterWord(other)}};
    return note;
}

/// Takes the layout with one column in place of the one it has, where its cells are parts of numbers.
Result<void> joinParts(std::string_view text, const TableChoices& choices, Trial& trial)
{
    const char delimiter = trial.layout.marks.delimiter;
    if (delimiter != ',' && delimiter != RowMarks::kBlanks)
        return {};
    JoinTest test(delimiter, choices.decimal);
    if (auto all = forEachRow(text, trial.layout, [&](const auto& cells, int64_t) { test.take(cells); }); !all)
        return all;
    const bool asked = delimiter == ',' ? choices.decimal == ',' || choices.thousands == GroupSign::Comma
                                        : choices.thousands == GroupSign::Space;
    using Verdict = JoinTest::Verdict;
    const Verdict verdict = test.verdict();
    const bool joins =
        verdict == Verdict::One || verdict == Verdict::OneByHeader || (verdict == Verdict::Open && asked);
    if (joins) {
        RowMarks marks = trial.layout.marks;
        marks.delimiter = RowMarks::kNone;
        trial = tryDelimiter(text, choices, marks, trial.layout.skippedLines);
    }
    if (!asked && (verdict == Verdict::Open || verdict == Verdict::OneByHeader))
        trial.layout.notes.push_back(openDelimiter(test.example(), joins ? delimiter : RowMarks::kNone));
    return {};
}

std::vector<std::string> foundComments(std::string_view text)
{
    const std::vector<std::string> all(std::begin(kComments), std::end(kComments));
    const LineSurvey survey = surveyLines(text, all);
    if (survey.lines < 2)
        return {}; // a column of colours, "#ff0000", leaves its header alone
    std::vector<std::string> found;
    for (const auto& [sign, count] : survey.comments)
        found.push_back(sign);
    return found;
}

/// The best of those that are in the text; one column where none is.
Trial bestTrial(std::string_view text, const TableChoices& choices, RowMarks marks, int64_t skippedLines,
                const LineSurvey& survey)
{
    std::optional<Trial> best;
    for (size_t i = 0; i < kKinds; ++i) {
        if (static_cast<double>(survey.with[i]) < std::max(1.0, kLeastShare * static_cast<double>(survey.lines)))
            continue;
        marks.delimiter = kDelimiters[i];
        const bool blanks = marks.delimiter == RowMarks::kBlanks;
        if (blanks && best && best->isRuled())
            break;
        Trial trial = tryDelimiter(text, choices, marks, skippedLines);
        const bool better =
            !best || (trial.score() > best->score() && (!blanks || trial.explained > best->explained + kBlanksMore));
        if (trial.layout.width > 1 && better)
            best = std::move(trial);
        if (best && best->explained > kPlenty && best->ofWidth == best->layout.rows)
            break;
    }
    marks.delimiter = RowMarks::kNone;
    if (best && (2 * best->ofWidth >= best->layout.rows || best->takesAll))
        return std::move(*best);
    Trial single = tryDelimiter(text, choices, marks, skippedLines);
    return best && best->explained >= single.explained ? std::move(*best) : std::move(single);
}

/// One column where there may be several: the delimiter that is set is in no row, or stands in each of its cells, as
/// where a program has put whole lines in quotes.
void noteOneColumn(std::string_view text, const TableChoices& choices, Layout& layout)
{
    if (layout.width != 1 || !layout.notes.empty())
        return;
    if (choices.delimiter) {
        const char sign = *choices.delimiter;
        const bool isThere = sign == RowMarks::kNone || text.find(sign) != text.npos ||
                             (sign == RowMarks::kBlanks && text.find('\t') != text.npos);
        if (!isThere)
            layout.notes.emplace_back(
                "open-delimiter",
                fmt::format("The delimiter is set to {}, but no row has one: the table is read as one column.",
                            delimiterWord(sign)),
                true);
        return;
    }
    for (const char sign : {',', ';', '\t'}) {
        const auto signs = [&](const Layout::Row& row) {
            return row.cells.empty() ? 0 : std::count(row.cells[0].begin(), row.cells[0].end(), sign);
        };
        const auto most = layout.first.empty() ? 0 : signs(layout.first.front());
        const bool all = most > 0 && layout.first.size() > 1 &&
                         std::all_of(layout.first.begin(), layout.first.end(),
                                     [&](const Layout::Row& row) { return signs(row) == most; });
        if (all && !writtenNumber(layout.first.front().cells[0]))
            layout.notes.emplace_back("open-delimiter",
                                      fmt::format("Every row is one quoted cell with a {} in it, read as one number: "
                                                  "if these are several columns, write the file without the quotes.",
                                                  delimiterWord(sign)),
                                      true);
    }
}

} // namespace

Result<void> forEachRow(std::string_view text, const Layout& layout,
                        const std::function<void(const std::vector<std::string>& cells, int64_t line)>& take)
{
    RowReader reader(text, layout.marks, layout.skippedLines);
    std::vector<std::string> cells;
    for (;;) {
        const auto read = reader.next(cells);
        if (!read)
            return tl::unexpected(read.error());
        if (!*read)
            return {};
        take(cells, reader.line());
    }
}

Result<Layout> findLayout(std::string_view text, const TableChoices& choices)
{
    RowMarks marks;
    const auto named = namedDelimiter(text);
    const int64_t skippedLines = choices.skippedLines.value_or(named ? 1 : 0);
    const size_t begin = named ? lineAt(text, 0).size() : 0;
    marks.comments = choices.comments ? *choices.comments : foundComments(text.substr(begin));
    const LineSurvey survey = surveyLines(text.substr(begin), marks.comments);
    const bool apostrophes = !survey.doubleQuotes && survey.apostrophes * 2 >= survey.lines && survey.lines > 0;
    marks.quote = choices.quote.value_or(apostrophes ? '\'' : '"');
    Trial trial;
    if (choices.delimiter || named) {
        marks.delimiter = choices.delimiter ? *choices.delimiter : *named;
        trial = tryDelimiter(text, choices, marks, skippedLines);
    } else {
        trial = bestTrial(text, choices, marks, skippedLines, survey);
        if (!trial.failure)
            if (auto joined = joinParts(text, choices, trial); !joined)
                return tl::unexpected(joined.error());
    }
    if (trial.failure)
        return tl::unexpected(*trial.failure);
    noteOneColumn(text, choices, trial.layout);
    if (trial.layout.rows == 0)
        return fail("contains no rows");
    if (trial.layout.width > kMostColumns)
        return fail(fmt::format("has {} columns; the limit is {}", grouped(static_cast<int64_t>(trial.layout.width)),
                                grouped(static_cast<int64_t>(kMostColumns))));
    return std::move(trial.layout);
}

} // namespace unroll
