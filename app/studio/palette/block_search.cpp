// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/palette/block_search.h"

#include "app/studio/palette/word_match.h"
#include "core/check/ports.h"

#include <algorithm>

namespace unroll {

namespace {

constexpr int kCategoryScore = 8; ///< below every match of a name
constexpr int kSummaryScore = 5;

/// What a word, or the whole query, is worth at one block.
struct Answer {
    int score = 0; ///< 0: it does not answer
    std::vector<int> letters;
    QString synonym;
};

/// A name of its own counts for more than a synonym.
int ofSynonym(int score)
{
    return score * 9 / 10;
}

Answer answerByName(const BlockSpec& spec, const QString& word)
{
    const WordMatch title = matchWord(QString::fromStdString(spec.title), word);
    const WordMatch id = matchWord(QString::fromStdString(spec.id), word);
    Answer answer{std::max(title.score, id.score), title.letters, {}};
    for (const std::string& name : spec.synonyms) {
        const QString synonym = QString::fromStdString(name);
        const int score = ofSynonym(matchWord(synonym, word).score);
        if (score > answer.score) {
            answer.score = score;
            answer.synonym = title.letters.empty() ? synonym : QString();
        }
    }
    return answer;
}

Answer answerTo(const BlockSpec& spec, const QString& word)
{
    Answer answer = answerByName(spec, word);
    if (answer.score > 0)
        return answer;
    if (beginsAWord(QString::fromLatin1(categoryTitle(spec.category)), word))
        answer.score = kCategoryScore;
    else if (beginsAWord(QString::fromStdString(spec.summary), word))
        answer.score = kSummaryScore;
    return answer;
}

/// Every word must be answered. Words that stand together in a name count as one.
Answer answerToAll(const BlockSpec& spec, const QString& query, const QStringList& words)
{
    Answer all;
    for (const QString& word : words) {
        const Answer answer = answerTo(spec, word);
        if (answer.score == 0)
            return {};
        all.score += answer.score;
        all.letters.insert(all.letters.end(), answer.letters.begin(), answer.letters.end());
        if (all.synonym.isEmpty())
            all.synonym = answer.synonym;
    }
    all.score /= static_cast<int>(words.size());
    std::sort(all.letters.begin(), all.letters.end());
    all.letters.erase(std::unique(all.letters.begin(), all.letters.end()), all.letters.end());
    const Answer whole = answerByName(spec, query);
    return whole.score > all.score ? whole : all;
}

std::vector<const BlockSpec*> candidates(const BlockRegistry& registry, const BlockFilter& fits)
{
    std::vector<const BlockSpec*> specs = registry.all();
    std::erase_if(specs, [&](const BlockSpec* spec) {
        return (spec->inputs.empty() && spec->outputs.empty()) || (fits && !fits(*spec));
    });
    return specs;
}

} // namespace

std::vector<BlockMatch> searchBlocks(const BlockRegistry& registry, const QString& query, const QStringList& recent,
                                     const BlockFilter& fits)
{
    struct Ranked {
        BlockMatch match;
        int score;
        qsizetype age;
    };
    const QString asked = query.simplified();
    const QStringList words = asked.split(' ', Qt::SkipEmptyParts);
    std::vector<Ranked> ranked;
    for (const BlockSpec* spec : candidates(registry, fits)) {
        Answer answer = words.isEmpty() ? Answer() : answerToAll(*spec, asked, words);
        if (!words.isEmpty() && answer.score == 0)
            continue;
        const qsizetype at = recent.indexOf(QString::fromStdString(spec->id));
        ranked.push_back({{spec, std::move(answer.letters), std::move(answer.synonym), at >= 0},
                          answer.score,
                          at >= 0 ? at : recent.size()});
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
        return a.score != b.score ? a.score > b.score : a.age < b.age;
    });
    std::vector<BlockMatch> matches;
    for (Ranked& entry : ranked)
        matches.push_back(std::move(entry.match));
    return matches;
}

const PortSpec* fittingPort(const BlockSpec& spec, const HeldEnd& held)
{
    return joiningPort(held.isOutput ? spec.inputs : spec.outputs, held.type);
}

BlockFilter fitting(const HeldEnd& held)
{
    return [held](const BlockSpec& spec) { return fittingPort(spec, held) != nullptr; };
}

} // namespace unroll
