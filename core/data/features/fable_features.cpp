// SPDX-License-Identifier: GPL-3.0-or-later
// What the grammar of the bundled fables knows at each character: the text is read back by the grammar itself, and what
// it says and picks tells where in it a character stands.
#include "core/data/corpus_story.h"
#include "core/data/corpus_words.h"
#include "core/data/features/feature_list.h"

#include <algorithm>
#include <array>
#include <string>

namespace unroll {

namespace {

/// By character; NaN where it is not known or has no meaning.
struct FableNotes {
    using Values = std::vector<float>;

    explicit FableNotes(size_t characters)
        : place(characters, kUnknownFeature),
          sentence(place),
          waits(place),
          plural(place),
          firstSpeaks(place),
          question(place),
          firstReturns(place),
          title(place),
          moral(place),
          tells(place)
    {}

    Values place;        ///< characters since the fable began
    Values sentence;     ///< sentences that began
    Values waits;        ///< a subject is read and its verb is not
    Values plural;       ///< while it waits: the subject is plural
    Values firstSpeaks;  ///< in a speech, before the speaker is named: it is the title's first animal
    Values question;     ///< inside a question
    Values firstReturns; ///< the name that comes next is the title's first
    Values title, moral; ///< inside it
    Values tells;        ///< nats that the next character tells to who knows the grammar
    int64_t fables = 0;  ///< that were read to their ends
};

/// Reads one fable and notes what it meets.
class FableListener final : public Script {
public:
    FableListener(std::string_view text, size_t from, FableNotes& notes)
        : m_text(text), m_from(from), m_notes(notes), m_reader(text, from, m_record)
    {}

    void say(std::string_view words) override
    {
        const size_t before = m_reader.at();
        m_reader.say(words);
        if (m_reader.failed())
            return;
        if (m_speaker != Menu::kNone && words == name(m_speaker))
            endSpeech(before);
    }

    /// The characters up to here are known; those that the text is cut off in are not.
    void finish()
    {
        const size_t end = m_reader.at();
        for (size_t i = m_from; i < end; ++i) {
            m_notes.place[i] = static_cast<float>(i - m_from);
            for (FableNotes::Values* values : {&m_notes.waits, &m_notes.question, &m_notes.title, &m_notes.moral})
                if ((*values)[i] != 1)
                    (*values)[i] = 0;
            if (i + 1 - m_from < m_record.nats.size())
                m_notes.tells[i] = static_cast<float>(m_record.nats[i + 1 - m_from]);
        }
        mark(m_notes.title, m_from, std::min(m_text.find('\n', m_from), end), 1);
        if (const size_t moral = m_text.find("Moral:", m_from); moral < end)
            mark(m_notes.moral, moral, end, 1);
        countSentences(end);
        noteNames(end);
        if (!m_reader.failed())
            ++m_notes.fables;
    }

    bool failed() const { return m_reader.failed(); }
    size_t at() const { return m_reader.at(); }

private:
    Choice take(const Menu& menu) override
    {
        const size_t before = m_reader.at();
        const Choice choice = m_reader.pick(menu);
        if (m_reader.failed())
            return choice;
        const auto groups = menu.groups();
        const auto is = [&](size_t size, size_t group, std::string_view single) {
            return groups.size() == size && groups[group].single == single;
        };
        if (m_picks == 0 || m_picks == 2)
            m_names[m_picks / 2] = choice.item;
        ++m_picks;
        if (is(4, 1, "of the ")) // a subject waits for its verb
            waitForVerb(before, groups[0].single.starts_with("were") || groups[0].single.starts_with("are"), choice);
        else if (is(3, 2, "Oh, ") && choice.group < 2) // whom is spoken to tells who speaks
            beginSpeech(choice);
        else if (is(6, 1, "I ") && choice.group >= 4)
            mark(m_notes.question, m_reader.at() - 1, m_text.find('?', m_reader.at()), 1);
        else if (groups.back().single == "So ")
            m_sentences.push_back(before);
        return choice;
    }

    std::string_view name(size_t animal) const { return words::kNames[m_names[animal]]; }

    void mark(FableNotes::Values& values, size_t from, size_t to, float value)
    {
        for (size_t i = from; i < std::min(to, values.size()); ++i)
            values[i] = value;
    }

    /// From the last character of the subject to the one before the verb.
    void waitForVerb(size_t before, bool plural, const Choice& choice)
    {
        if (m_subject == Menu::kNone)
            m_subject = before - 1;
        if (choice.group != 0)
            return;
        mark(m_notes.waits, m_subject, before, 1);
        mark(m_notes.plural, m_subject, before, plural ? 1 : 0);
        m_subject = Menu::kNone;
    }

    void beginSpeech(const Choice& spokenTo)
    {
        m_speaker = 1 - spokenTo.group;
        m_speech = m_reader.at() - 1;
    }

    void endSpeech(size_t before)
    {
        mark(m_notes.firstSpeaks, m_speech, before, m_speaker == 0 ? 1 : 0);
        m_speaker = Menu::kNone;
    }

    void countSentences(size_t end)
    {
        for (size_t i = 0; i < m_sentences.size(); ++i)
            mark(m_notes.sentence, m_sentences[i], i + 1 < m_sentences.size() ? m_sentences[i + 1] : end,
                 static_cast<float>(i + 1));
    }

    /// Names begin with a capital and are no other word; every one has an initial of its own.
    void noteNames(size_t end)
    {
        if (m_picks < 3)
            return; // the title is cut off
        float next = kUnknownFeature;
        for (size_t i = end; i-- > m_from;) {
            if (m_notes.title[i] != 1)
                m_notes.firstReturns[i] = next;
            for (size_t animal = 0; animal < 2; ++animal)
                if (m_text.substr(i, end - i).starts_with(name(animal)))
                    next = animal == 0 ? 1 : 0;
        }
    }

    std::string_view m_text;
    size_t m_from;
    FableNotes& m_notes;
    ScriptRecord m_record;
    ScriptReader m_reader;
    size_t m_picks = 0;
    std::array<size_t, 2> m_names{};
    size_t m_subject = Menu::kNone; ///< where the one that waits ends
    size_t m_speaker = Menu::kNone; ///< who is to be named
    size_t m_speech = 0;
    std::vector<size_t> m_sentences; ///< where each begins
};

/// Reads every fable that begins within the text, the last one as far as it goes.
FableNotes notesOf(const std::string& text)
{
    FableNotes notes(text.size());
    constexpr std::string_view mark = "\n\n# ";
    const auto isKnown = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (!std::all_of(text.begin(), text.end(), isKnown))
        return notes;
    for (size_t at = text.starts_with("# ") ? 0 : text.find(mark); at < text.size();) {
        at += text.substr(at).starts_with(mark) ? 2 : 0;
        FableListener listener(text, at, notes);
        tellFable(listener);
        listener.finish();
        at = listener.failed() ? text.find(mark, listener.at()) : listener.at();
    }
    return notes;
}

std::string asciiOf(const std::vector<char32_t>& characters)
{
    std::string text;
    for (const char32_t c : characters)
        text += c < 0x80 ? static_cast<char>(c) : '\x80';
    return text;
}

struct FableFeature {
    const char* id;
    const char* name;
    const char* when;
    FableNotes::Values FableNotes::*values;
};

constexpr FableFeature kFableFeatures[] = {
    {"subject_waits", "subjects that wait for their verbs", "between a subject and its verb", &FableNotes::waits},
    {"plural_subject", "the number of the subject", "when a plural subject waits for its verb", &FableNotes::plural},
    {"first_returns", "the name that returns next", "when the title's first name returns next",
     &FableNotes::firstReturns},
    {"first_speaks", "who speaks", "when the title's first animal speaks", &FableNotes::firstSpeaks},
    {"question", "questions", "inside questions", &FableNotes::question},
    {"title", "titles", "inside titles", &FableNotes::title},
    {"moral", "morals", "inside morals", &FableNotes::moral},
    {"place_in_fable", "the place in the fable", "", &FableNotes::place},
    {"sentence_in_fable", "the number of the sentence in the fable", "", &FableNotes::sentence},
    {"next_tells", "the information of the next character", "", &FableNotes::tells},
};

} // namespace

/// Of a text in which at least one whole fable stands.
void addFableFeatures(FeatureList& list, const Dataset& data)
{
    if (!readsText(data))
        return;
    std::vector<FableNotes> notes;
    int64_t fables = 0;
    for (const ReadSequence& sequence : list.sequences()) {
        notes.push_back(notesOf(asciiOf(charactersOf(data, sequence.tokens))));
        fables += notes.back().fables;
    }
    if (fables == 0)
        return;
    for (const FableFeature& feature : kFableFeatures) {
        size_t next = 0;
        list.add(feature.id, feature.name, feature.when,
                 [&](const ReadSequence&) { return notes[next++].*feature.values; });
    }
}

} // namespace unroll
