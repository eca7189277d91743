// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/word_match.h"

#include <algorithm>
#include <numeric>

namespace unroll {

namespace {

constexpr int kEqualScore = 100, kBeginScore = 80, kWordScore = 60, kInsideScore = 40, kLettersScore = 10;
constexpr int kCoverScore = 15; ///< more where the name is hardly longer than the word

// Points of a letter that stands alone, behind the one before it, at the start of a word.
constexpr int kAlonePoints = 1, kBesidePoints = 2, kStartPoints = 3;

/// One character for each, unlike QString::toCaseFolded, so that places stay what they are.
QString folded(QString text)
{
    std::transform(text.cbegin(), text.cend(), text.begin(), [](QChar c) { return c.toCaseFolded(); });
    return text;
}

/// "norm" in "Layer norm" and in "layer_norm", "Linear" in "BitLinear".
bool isWordStart(const QString& text, qsizetype at)
{
    return at == 0 || !text[at - 1].isLetterOrNumber() || (text[at].isUpper() && text[at - 1].isLower());
}

/// Where the word stands in the text, at a word's start if it does so anywhere; -1: nowhere.
qsizetype placeOf(const QString& text, const QString& word)
{
    const QString line = folded(text), wanted = folded(word);
    const qsizetype first = line.indexOf(wanted);
    for (qsizetype at = first; at >= 0; at = line.indexOf(wanted, at + 1))
        if (isWordStart(text, at))
            return at;
    return first;
}

/// The ways to find the letters of a word, in their order, in a name: for every letter and every place of it the most
/// points that the letters up to there can make, and where the one before then stands.
class LetterTable {
public:
    LetterTable(const QString& name, const QString& word)
        : m_name(name), m_line(folded(name)), m_word(folded(word)), m_rows(static_cast<std::size_t>(word.size()))
    {
        for (std::size_t letter = 0; letter < m_rows.size(); ++letter)
            fill(letter);
    }

    WordMatch best() const
    {
        const std::vector<Cell>& last = m_rows.back();
        const auto found = std::max_element(last.begin(), last.end(),
                                            [](const Cell& a, const Cell& b) { return a.points < b.points; });
        if (found == last.end() || found->points == 0)
            return {};
        WordMatch match{found->points, std::vector<int>(m_rows.size())};
        auto at = static_cast<int>(found - last.begin());
        for (std::size_t letter = m_rows.size(); letter-- > 0;) {
            match.letters[letter] = at;
            at = m_rows[letter][static_cast<std::size_t>(at)].before;
        }
        return match;
    }

private:
    struct Cell {
        int points = 0; ///< 0: the letter cannot stand here
        int before = -1;
    };

    void fill(std::size_t letter)
    {
        std::vector<Cell>& row = m_rows[letter];
        row.resize(static_cast<std::size_t>(m_line.size()));
        int earlier = -1; // the best place of the letter before, left of here
        for (int at = 0; at < m_line.size(); ++at) {
            if (letter > 0 && at > 0 && (earlier < 0 || points(letter - 1, at - 1) > points(letter - 1, earlier)))
                earlier = at - 1;
            if (m_line[at] != m_word[static_cast<qsizetype>(letter)])
                continue;
            const bool starts = isWordStart(m_name, at);
            if (letter > 0)
                row[static_cast<std::size_t>(at)] = bestAfter(letter, at, earlier, starts);
            else if (starts)
                row[static_cast<std::size_t>(at)].points = kStartPoints;
        }
    }

    Cell bestAfter(std::size_t letter, int at, int earlier, bool starts) const
    {
        Cell cell;
        if (earlier >= 0 && points(letter - 1, earlier) > 0)
            cell = {points(letter - 1, earlier) + (starts ? kStartPoints : kAlonePoints), earlier};
        const int next = at > 0 ? points(letter - 1, at - 1) : 0;
        const int beside = next + (starts ? kStartPoints : kBesidePoints);
        if (next > 0 && beside >= cell.points)
            cell = {beside, at - 1};
        return cell;
    }

    int points(std::size_t letter, int at) const { return m_rows[letter][static_cast<std::size_t>(at)].points; }

    const QString& m_name;
    QString m_line, m_word;
    std::vector<std::vector<Cell>> m_rows;
};

WordMatch matchLetters(const QString& name, const QString& word)
{
    WordMatch match = LetterTable(name, word).best();
    if (match.score > 0)
        match.score = kLettersScore + kCoverScore * match.score / (kStartPoints * static_cast<int>(word.size()));
    return match;
}

} // namespace

WordMatch matchWord(const QString& name, const QString& word)
{
    if (word.isEmpty() || word.size() > name.size())
        return {};
    const qsizetype at = placeOf(name, word);
    const bool starts = at >= 0 && isWordStart(name, at);
    if (!starts && word.size() < 2)
        return {};
    if (at < 0)
        return matchLetters(name, word);
    WordMatch match{kEqualScore, std::vector<int>(static_cast<std::size_t>(word.size()))};
    std::iota(match.letters.begin(), match.letters.end(), static_cast<int>(at));
    if (word.size() < name.size())
        match.score = (at == 0  ? kBeginScore
                       : starts ? kWordScore
                                : kInsideScore) +
                      kCoverScore * static_cast<int>(word.size()) / static_cast<int>(name.size());
    return match;
}

bool beginsAWord(const QString& text, const QString& word)
{
    const qsizetype at = word.size() < 3 ? -1 : placeOf(text, word);
    return at >= 0 && isWordStart(text, at);
}

} // namespace unroll
