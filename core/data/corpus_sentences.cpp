// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/corpus_sentences.h"

namespace unroll {

using namespace words;

namespace {

constexpr std::array<string_view, 9> kTens = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};
constexpr std::array<string_view, 10> kUnits = {"0 ", "1 ", "2 ", "3 ", "4 ", "5 ", "6 ", "7 ", "8 ", "9 "};

} // namespace

size_t Sentences::someone()
{
    return m_script.pick(Menu().one(nameOf(0), 1, " ").one(nameOf(1), 1, " ")).group;
}

void Sentences::treasure()
{
    m_script.say(kLooks[m_cast.look]);
    m_script.say(" ");
    m_script.say(kThings[m_cast.thing]);
}

void Sentences::place(std::span<const string_view> where)
{
    m_script.pick(Menu().each(where, 1));
    if (m_script.pick(Menu().each(kLooks, 1, " ").each(kPlaces, 1)).group == 0)
        m_script.pick(Menu().each(kPlaces, 1));
}

void Sentences::act(size_t who, bool mayBranch, bool last)
{
    Menu menu;
    menu.each(kWent, 1, " ").each(kDid, 2, " ").one("was ", 6);
    if (mayBranch)
        menu.one("(who was ", 4).one("and ", 4).one("told ", 3);
    const Choice verb = m_script.pick(menu);
    switch (verb.group) {
    case 0: place(kToward); break;
    case 1: thing(m_cast.animals[who].possessive()); break;
    case 2: m_script.pick(Menu().each(kMoods, 1)); break;
    case 3: m_script.pick(Menu().each(kMoods, 1, ") ")); return act(who, false);
    case 4: return together(1 - who);
    default:
        m_script.say(nameOf(1 - who));
        m_script.say(" that the ");
        return scene(true, false);
    }
    if (last)
        m_script.say(".");
    else
        tail(who, static_cast<Verb>(verb.group));
}

// After "Ada and ".
void Sentences::together(size_t who)
{
    m_script.say(nameOf(who));
    m_script.say(" ");
    switch (m_script.pick(Menu().each(kWent, 1, " ").each(kDid, 1, " ").one("were ", 8)).group) {
    case 0: place(kToward); break;
    case 1: thing("their "); break;
    default: m_script.pick(Menu().each(kMoods, 1)); break;
    }
    m_script.say(".");
}

void Sentences::tail(size_t who, Verb verb)
{
    const string_view mine = m_cast.animals[who].possessive();
    Menu menu;
    menu.one(".", 14).one(", and ", 4).one(", but ", 3).one(" with ", 4).one(" while the ", 3);
    menu.each(kSlowly, verb == Verb::Mood ? 0 : 1).one(" and ", verb == Verb::Journey ? 0 : 14);
    switch (m_script.pick(menu).group) {
    case 0: return;
    case 1:
    case 2: {
        const Choice next =
            m_script.pick(Menu().one(m_cast.animals[who].pronoun(), 1, " ").one(nameOf(1 - who), 1, " "));
        return act(next.group == 0 ? who : 1 - who, false, true);
    }
    case 3: thing(mine); break;
    case 4: return scene(true, false);
    case 5: break;
    default:
        if (verb == Verb::Mood)
            m_script.pick(Menu().each(kMoods, 1));
        else
            thing(mine);
    }
    m_script.say(".");
}

// Looks, up to two, and a thing.
void Sentences::described(string_view ending)
{
    if (m_script.pick(Menu().each(kLooks, 3, " ").each(kThings, 2, ending)).group == 1)
        return;
    if (m_script.pick(Menu().each(kLooks, 1, " ").each(kThings, 4, ending)).group == 0)
        m_script.pick(Menu().each(kThings, 1, ending));
}

void Sentences::thing(string_view mine)
{
    Menu menu;
    menu.one("the ", 20).one(mine, 20).one("two ", 14).one("no ", 14).each(kTens, 3).one("that ", 4);
    menu.each(kLooks, 1, " ").each(kThings, 1, "s");
    switch (m_script.pick(menu).group) {
    case 0:
    case 1: return described("");
    case 2:
    case 3: return described("s");
    case 4: m_script.pick(Menu().each(kUnits, 1)); return described("s");
    case 5: return treasure();
    case 6: m_script.pick(Menu().each(kThings, 1, "s")); return;
    default: return;
    }
}

// Two to five things in one place, or one.
void Sentences::inventory()
{
    constexpr int kMost = 5;
    m_script.pick(Menu().each(kPlaces, 1, " lay "));
    thing("one ");
    for (int said = 1; said < kMost; ++said) {
        const bool mayStop = said == 1, mayGoOn = said < kMost - 1;
        const Choice next = m_script.pick(Menu().one(" and ", 3).one(".", mayStop ? 1 : 0).one(", ", mayGoOn ? 4 : 0));
        if (next.group == 1)
            return;
        thing("one ");
        if (next.group == 0)
            break;
    }
    m_script.say(".");
}

// After "The fog ".
void Sentences::weather()
{
    m_script.pick(Menu().each(kPassed, 1));
    if (m_script.pick(Menu().one(".", 8).each(kSlowly, 1)).group == 1)
        m_script.say(".");
}

// Without animals in the present tense the caller ends the sentence.
void Sentences::scene(bool past, bool withAnimals)
{
    Menu menu;
    menu.each(kLooks, 1, " ").each(kThings, 1, " ").each(kThings, 1, "s ").each(kWeather, past ? 1 : 0, " ");
    if (withAnimals)
        menu.one(m_cast.animals[0].kind(), 12, " ").one(m_cast.animals[1].kind(), 12, " ");
    Choice subject = m_script.pick(menu);
    if (subject.group == 0) {
        subject = m_script.pick(Menu().each(kThings, 1, " ").each(kThings, 1, "s "));
        ++subject.group;
    }
    if (subject.group == 3)
        return weather();
    if (subject.group > 3)
        return act(subject.group - 4, false);
    state(past, subject.group == 2, true);
    if (past)
        m_script.say(".");
}

// After a subject, with whose number the verb agrees across whatever comes between.
void Sentences::state(bool past, bool plural, bool mayBranch)
{
    const string_view is = past ? (plural ? "were " : "was ") : (plural ? "are " : "is ");
    const uint64_t branch = mayBranch ? 2 : 0;
    switch (m_script.pick(Menu().one(is, 6).one("of the ", branch).one("by the ", branch).one("(", branch)).group) {
    case 0: m_script.pick(Menu().each(kLooks, 1)); return;
    case 1:
    case 2: m_script.pick(Menu().each(kPlaces, 1, " ")); break;
    default: aside();
    }
    state(past, plural, false);
}

// After the round bracket; may hold square ones.
void Sentences::aside()
{
    m_script.pick(Menu().each(kLooks, 1));
    switch (m_script.pick(Menu().one(") ", 2).one(" [from the ", 1).one(" [so the ", 1)).group) {
    case 0: return;
    case 1: m_script.pick(Menu().each(kPlaces, 1, "]) ")); return;
    default:
        m_script.pick(Menu().one(m_cast.animals[0].kind(), 1, " said]) ").one(m_cast.animals[1].kind(), 1, " said]) "));
    }
}

// Who is addressed tells who speaks.
void Sentences::speech()
{
    const Choice begin = m_script.pick(Menu().one(nameOf(0), 2, ", ").one(nameOf(1), 2, ", ").one("Oh, ", 1));
    size_t speaker = 1 - begin.group % 2;
    if (claim(false))
        m_script.pick(Menu().each(kAsked, 1, " "));
    else
        m_script.pick(Menu().each(kSaid, 1, " "));
    if (begin.group == 2)
        speaker = m_script.pick(Menu().one(nameOf(0)).one(nameOf(1))).group;
    else
        m_script.say(nameOf(speaker));
    if (m_script.pick(Menu().one(".", 3).one(", and ", 1)).group == 0)
        return;
    m_script.say(m_cast.animals[speaker].pronoun());
    m_script.say(" ");
    act(speaker, false, true);
}

// What is said, to the quotation mark that ends it; true for a question.
bool Sentences::claim(bool nested)
{
    const string_view close = nested ? "'" : "\" ";
    Menu menu;
    menu.one("the ", 4).one("I ", 5).one("you ", 4).one("my ", nested ? 0 : 2).one("is the ", 2).one("are the ", 2);
    const Choice begin = m_script.pick(menu);
    switch (begin.group) {
    case 0: scene(false, false); break;
    case 1: statement("my "); break;
    case 2: statement("your "); break;
    case 3:
        m_script.pick(Menu().each(kKin, 1, " "));
        if (m_script.pick(Menu().each(kDoes, 1, " ").one("says, '", 24)).group == 0)
            thing("my ");
        else
            claim(true);
        break;
    default:
        question(begin.group == 5);
        m_script.say(close);
        return true;
    }
    if (!nested)
        m_script.pick(Menu().one(",", 3).one("!", 1));
    m_script.say(close);
    return false;
}

void Sentences::question(bool plural)
{
    described(plural ? "s " : " ");
    m_script.pick(Menu().each(kLooks, 1, "?"));
}

void Sentences::statement(string_view mine)
{
    m_script.pick(Menu().each(kDo, 1, " "));
    thing(mine);
}

} // namespace unroll
