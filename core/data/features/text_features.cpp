// SPDX-License-Identifier: GPL-3.0-or-later
// What can be said of any text, from its characters alone.
#include "core/data/features/feature_list.h"

#include <algorithm>
#include <string_view>

namespace unroll {

namespace {

bool isOf(std::u32string_view signs, char32_t c)
{
    return signs.find(c) != std::u32string_view::npos;
}

bool isDigit(char32_t c)
{
    return c >= U'0' && c <= U'9';
}

bool isSpace(char32_t c)
{
    return c == U' ' || (c >= U'\t' && c <= U'\r') || c == U'\u00A0' || c == U'\u3000';
}

/// Of Latin, Greek and Cyrillic, whose capitals lie in blocks of their own or before their small letters.
bool isCapital(char32_t c)
{
    if (c >= 0x100 && c < 0x180)
        return c % 2 == (c >= 0x139 && c <= 0x148 ? 1 : 0);
    return (c >= U'A' && c <= U'Z') || (c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3A9) ||
           (c >= 0x400 && c <= 0x42F);
}

bool isPunctuation(char32_t c)
{
    return (c > U' ' && c < 0x7F && !isDigit(c) && !(c >= U'A' && c <= U'Z') && !(c >= U'a' && c <= U'z')) ||
           (c >= 0xA1 && c <= 0xBF && c != 0xAA && c != 0xB5 && c != 0xBA) || c == 0xD7 || c == 0xF7 ||
           (c >= 0x2010 && c <= 0x206F) || (c >= 0x3001 && c <= 0x303F);
}

bool isLetter(char32_t c)
{
    return c > U' ' && c != 0x7F && !isDigit(c) && !isSpace(c) && !isPunctuation(c);
}

bool isWord(char32_t c)
{
    return isLetter(c) || isDigit(c);
}

/// An empty line ends whatever was left open.
class Paragraphs {
public:
    bool ends(char32_t c)
    {
        const bool empty = c == U'\n' && m_last == U'\n';
        if (c != U'\r')
            m_last = c;
        return empty;
    }

private:
    char32_t m_last = 0;
};

using Characters = std::vector<char32_t>;

/// Whether a text that is cut at its beginning begins inside a quotation: its first straight mark has no space before
/// it and one, or a sign, behind it.
bool beginsInside(const Characters& text)
{
    const auto mark = std::find(text.begin(), text.end(), U'"');
    if (mark == text.begin() || mark == text.end() || mark + 1 == text.end())
        return false;
    const bool opens = isSpace(*(mark - 1)) || isOf(U"([{", *(mark - 1));
    return !opens && !isWord(*(mark + 1));
}

/// 1 from the mark that opens to the character before the one that closes.
std::vector<float> inDoubleQuotes(const Characters& text, bool begins)
{
    std::vector<float> inside;
    Paragraphs paragraphs;
    bool open = !begins && beginsInside(text);
    for (const char32_t c : text) {
        const bool empty = paragraphs.ends(c);
        if (c == U'"')
            open = !open;
        else if (isOf(U"\u201C\u201E\u00AB", c))
            open = !(c == U'\u201C' && open); // after a low mark the high one closes
        else if (isOf(U"\u201D\u00BB", c) || empty)
            open = false;
        inside.push_back(open ? 1 : 0);
    }
    return inside;
}

/// An apostrophe within a word is none: a mark opens where no letter stands before it and one behind it.
std::vector<float> inSingleQuotes(const Characters& text)
{
    std::vector<float> inside;
    Paragraphs paragraphs;
    bool open = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char32_t before = i > 0 ? text[i - 1] : U' ', after = i + 1 < text.size() ? text[i + 1] : U' ';
        const bool empty = paragraphs.ends(text[i]);
        if (isOf(U"'\u2018\u2019", text[i])) {
            if (!open)
                open = !isWord(before) && isWord(after) && text[i] != U'\u2019';
            else
                open = isWord(after);
        }
        open = open && !empty;
        inside.push_back(open ? 1 : 0);
    }
    return inside;
}

/// How many brackets are open behind each character.
std::vector<float> bracketDepth(const Characters& text)
{
    std::vector<float> depths;
    Paragraphs paragraphs;
    int depth = 0;
    for (const char32_t c : text) {
        if (isOf(U"([{", c))
            ++depth;
        else if (isOf(U")]}", c))
            depth = std::max(0, depth - 1);
        if (paragraphs.ends(c))
            depth = 0;
        depths.push_back(static_cast<float>(depth));
    }
    return depths;
}

/// Characters since one at which `isStart` holds, 0 there; not known before the first of them unless the text begins
/// here, where it counts from 1.
template <class IsStart>
std::vector<float> placeSince(const Characters& text, bool begins, const IsStart& isStart)
{
    std::vector<float> places;
    float place = begins ? 0 : kUnknownFeature;
    for (const char32_t c : text) {
        place = isStart(c) ? 0 : place + 1;
        places.push_back(place);
    }
    return places;
}

class TextFeatures {
public:
    TextFeatures(FeatureList& list, const Dataset& data) : m_list(list)
    {
        for (const ReadSequence& sequence : list.sequences())
            m_texts.push_back(charactersOf(data, sequence.tokens));
    }

    /// `make` is given the characters of a sequence, and whether the text begins with it.
    template <class Make>
    void add(std::string id, std::string name, std::string when, const Make& make)
    {
        size_t next = 0;
        m_list.add(std::move(id), std::move(name), std::move(when),
                   [&](const ReadSequence& sequence) { return make(m_texts[next++], sequence.begins); });
    }

    /// `is` is asked of each character and the one before it, a line end before the first.
    template <class Is>
    void each(std::string id, std::string name, std::string when, const Is& is)
    {
        add(std::move(id), std::move(name), std::move(when), [&](const Characters& text, bool) {
            std::vector<float> values;
            for (size_t i = 0; i < text.size(); ++i)
                values.push_back(is(text[i], i > 0 ? text[i - 1] : U'\n') ? 1 : 0);
            return values;
        });
    }

private:
    FeatureList& m_list;
    std::vector<Characters> m_texts;
};

void addNested(TextFeatures& features)
{
    features.add("in_quotes", "quotations", "inside quotations",
                 [](const Characters& text, bool begins) { return inDoubleQuotes(text, begins); });
    features.add("in_single_quotes", "single quotation marks", "inside single quotation marks",
                 [](const Characters& text, bool) { return inSingleQuotes(text); });
    features.add("in_brackets", "brackets", "inside brackets", [](const Characters& text, bool) {
        std::vector<float> inside = bracketDepth(text);
        for (float& depth : inside)
            depth = std::min(depth, 1.0f);
        return inside;
    });
    features.add("bracket_depth", "bracket depth", "", [](const Characters& text, bool) { return bracketDepth(text); });
}

void addKinds(TextFeatures& features)
{
    features.each("capital", "capital letters", "at capital letters",
                  [](char32_t c, char32_t) { return isCapital(c); });
    features.each("letter", "letters", "at letters", [](char32_t c, char32_t) { return isLetter(c); });
    features.each("digit", "digits", "at digits", [](char32_t c, char32_t) { return isDigit(c); });
    features.each("space", "spaces", "at spaces", [](char32_t c, char32_t) { return isSpace(c); });
    features.each("punctuation", "punctuation", "at punctuation",
                  [](char32_t c, char32_t) { return isPunctuation(c); });
    features.each("word_start", "first letters of words", "at the first letter of a word",
                  [](char32_t c, char32_t before) { return isWord(c) && !isWord(before); });
    features.each("line_start", "line starts", "at the first character of a line",
                  [](char32_t, char32_t before) { return before == U'\n'; });
}

void addPlaces(TextFeatures& features)
{
    features.add("word_end", "last letters of words", "at the last letter of a word", [](const Characters& text, bool) {
        std::vector<float> values;
        for (size_t i = 0; i + 1 < text.size(); ++i)
            values.push_back(isWord(text[i]) && !isWord(text[i + 1]) ? 1 : 0);
        return values; // what comes behind the last character is not known
    });
    features.add("place_in_word", "the place in the word", "", [](const Characters& text, bool begins) {
        return placeSince(text, begins, [](char32_t c) { return !isWord(c); });
    });
    features.add("place_in_sentence", "the place in the sentence", "", [](const Characters& text, bool begins) {
        return placeSince(text, begins, [](char32_t c) { return isOf(U".!?\u3002", c); });
    });
    features.add("place_in_line", "the place in the line", "", [](const Characters& text, bool begins) {
        return placeSince(text, begins, [](char32_t c) { return c == U'\n'; });
    });
}

} // namespace

void addTextFeatures(FeatureList& list, const Dataset& data)
{
    if (!readsText(data))
        return;
    TextFeatures features(list, data);
    addNested(features);
    addKinds(features);
    addPlaces(features);
}

} // namespace unroll
