// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/table_survey.h"

#include "core/base/number_words.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace unroll {

namespace {

constexpr size_t kMostColumns = 4096;
constexpr char kDelimiters[] = {'\t', ';', '|', ',', RowMarks::kBlanks};
constexpr size_t kKinds = std::size(kDelimiters);
constexpr std::string_view kComments[] = {"#", "%", "//"};
/// Of the lines that are no comment: what is in fewer is no delimiter.
constexpr double kLeastShare = 0.2;
/// Explained of a text in rows of one length: there is nothing left to look for.
constexpr double kPlenty = 0.95;

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
    int64_t ofWidth = 0;  // rows of the layout's width
    double explained = 0; // share of the bytes in cells that are numbers, dates or missing, in rows of that width
    std::optional<Error> failure;

    /// Names that have other cells than the rows below them speak against it.
    double score() const
    {
        return explained * static_cast<double>(ofWidth) / static_cast<double>(std::max<int64_t>(layout.rows, 1));
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
            trial.layout.first.push_back({cells, reader.line(), std::string(reader.lastComment())});
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
        trial.explained = static_cast<double>(best->second.typedBytes) / std::max(1.0, static_cast<double>(bytes));
    }
    return trial;
}

/// Whether what a sign divides into cells is one number: "21,03" with a decimal comma, "1 019 391" with spaces between thousands.
class JoinTest {
public:
    enum class Verdict { Two, One, Open };

    explicit JoinTest(char sign) : m_sign(sign) {}

    void take(const std::vector<std::string>& cells);
    Verdict verdict() const;
    const std::string& example() const { return m_example; }

private:
    bool takeNumber(const std::vector<std::string>& cells);
    Verdict ofCommas() const;
    Verdict ofSpaces() const;
    /// Of the steps of both parts: where one number is cut in two, its digits fall back when the whole part steps on.
    double correlation() const;

    char m_sign;
    bool m_fails = false;
    size_t m_headerCells = 0;
    int64_t m_single = 0, m_divided = 0; // rows
    bool m_leadingZero = false, m_minusZero = false, m_trailingZero = false;
    size_t m_shortest = std::numeric_limits<size_t>::max(), m_longest = 0; // digits of the second part
    std::string m_example;
    double m_whole = 0, m_part = 0, m_product = 0, m_wholeSquares = 0, m_partSquares = 0;
    static constexpr int64_t kEnough = 44; // rows: a digit that is never 0 by chance is then a matter of 1 %
};

void JoinTest::take(const std::vector<std::string>& cells)
{
    if (m_fails)
        return;
    std::string joined;
    for (const std::string& cell : cells)
        joined += (joined.empty() && &cell == &cells.front() ? "" : std::string(1, m_sign)) + cell;
    const auto written = writtenNumber(joined);
    const NumberSigns signs = m_sign == ',' ? NumberSigns{',', std::nullopt} : NumberSigns{'.', GroupSign::Space};
    const NumberSigns comma{',', GroupSign::Space};
    const bool isNumber =
        written && (readNumber(*written, signs).fault == NumberReading::Fault::None ||
                    (m_sign == ' ' && readNumber(*written, comma).fault == NumberReading::Fault::None));
    if (isNumber && takeNumber(cells)) {
        m_example = m_divided == 1 && cells.size() > 1 ? joined : m_example;
        return;
    }
    if (cells.size() == 1 && isMissing(cells.front()))
        return;
    if (m_single + m_divided == 0 && !isNumber)
        m_headerCells = cells.size();
    else
        m_fails = true;
}

bool JoinTest::takeNumber(const std::vector<std::string>& cells)
{
    if (cells.size() == 1) {
        ++m_single;
        return true;
    }
    constexpr size_t kDigits = 15; // of a double
    std::string_view part = cells[1];
    part = part.substr(0, std::min(part.find_first_not_of("0123456789"), part.size()));
    if (part.empty() || (m_sign == ',' && cells.size() > 2))
        return false;
    ++m_divided;
    m_minusZero = m_minusZero || cells[0] == "-0";
    for (size_t i = 1; i < cells.size(); ++i)
        m_leadingZero = m_leadingZero || (cells[i].size() > 1 && cells[i][0] == '0');
    m_trailingZero = m_trailingZero || (part.size() > 1 && part.back() == '0');
    m_shortest = std::min(m_shortest, part.size());
    m_longest = std::max(m_longest, part.size());
    const auto number = [](std::string_view digits) {
        double value = 0;
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return value;
    };
    part = part.substr(0, kDigits);
    const double whole = number(cells[0]), digits = number(part) / std::pow(10.0, static_cast<double>(part.size()));
    if (m_divided > 1) {
        const double a = whole - m_whole, b = digits - m_part;
        m_product += a * b;
        m_wholeSquares += a * a;
        m_partSquares += b * b;
    }
    m_whole = whole;
    m_part = digits;
    return true;
}

double JoinTest::correlation() const
{
    const double squares = m_wholeSquares * m_partSquares;
    return squares > 0 ? m_product / std::sqrt(squares) : 0;
}

JoinTest::Verdict JoinTest::ofCommas() const
{
    constexpr double kOpposed = -0.3;
    constexpr int64_t kSteps = 20;
    if (m_headerCells > 0)
        return m_headerCells == 1 ? Verdict::One : Verdict::Two;
    if (m_minusZero || m_leadingZero || m_single > 0)
        return Verdict::One;
    if (m_divided >= kSteps && correlation() < kOpposed)
        return Verdict::One;
    if (m_shortest != m_longest && m_trailingZero)
        return Verdict::Two; // whole numbers end in 0 now and then, fractions of different length do not
    if (m_divided < kEnough || m_longest == 1)
        return Verdict::Open;
    return m_shortest == m_longest ? Verdict::Two : Verdict::One;
}

JoinTest::Verdict JoinTest::ofSpaces() const
{
    if (m_leadingZero || m_single > 0 || m_headerCells == 1)
        return Verdict::One;
    return m_headerCells > 1 || m_divided >= kEnough ? Verdict::Two : Verdict::Open;
}

JoinTest::Verdict JoinTest::verdict() const
{
    if (m_fails || m_divided == 0)
        return Verdict::Two;
    return m_sign == ',' ? ofCommas() : ofSpaces();
}

/// Takes the layout with one column in place of the one it has, where its cells are parts of numbers.
Result<void> joinParts(std::string_view text, const TableChoices& choices, Trial& trial)
{
    const char delimiter = trial.layout.marks.delimiter;
    const bool commas = delimiter == ',' && trial.layout.width <= 2 && choices.decimal.value_or(',') == ',';
    if (!commas && delimiter != RowMarks::kBlanks)
        return {};
    JoinTest test(delimiter);
    if (auto all = forEachRow(text, trial.layout, [&](const auto& cells, int64_t) { test.take(cells); }); !all)
        return all;
    const bool asked = delimiter == ',' ? choices.decimal == ',' : choices.thousands == GroupSign::Space;
    const auto verdict = test.verdict();
    if (verdict == JoinTest::Verdict::One || (verdict == JoinTest::Verdict::Open && asked)) {
        RowMarks marks = trial.layout.marks;
        marks.delimiter = RowMarks::kNone;
        trial = tryDelimiter(text, choices, marks, trial.layout.skippedLines);
    } else if (verdict == JoinTest::Verdict::Open) {
        DataNote note(
            "open-delimiter",
            fmt::format("Nothing in the file says whether {} is one number or several: it is read as several; if "
                        "that is wrong, set delimiter to none.",
                        quotedCell(test.example())),
            true);
        note.param = "delimiter";
        note.remedy = "Read One Column";
        note.settings = {{"delimiter", "none"}};
        trial.layout.notes.push_back(std::move(note));
    }
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
        Trial trial = tryDelimiter(text, choices, marks, skippedLines);
        if (trial.layout.width > 1 && (!best || trial.score() > best->score()))
            best = std::move(trial);
        if (best && best->explained > kPlenty && best->ofWidth == best->layout.rows)
            break;
    }
    marks.delimiter = RowMarks::kNone;
    if (best && 2 * best->ofWidth >= best->layout.rows)
        return std::move(*best);
    Trial single = tryDelimiter(text, choices, marks, skippedLines);
    return best && best->explained >= single.explained ? std::move(*best) : std::move(single);
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
    if (trial.layout.rows == 0)
        return fail("holds no rows");
    if (trial.layout.width > kMostColumns)
        return fail(fmt::format("has {} columns; at most {} are possible",
                                grouped(static_cast<int64_t>(trial.layout.width)),
                                grouped(static_cast<int64_t>(kMostColumns))));
    return std::move(trial.layout);
}

} // namespace unroll
