// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/corpus_story.h"

#include "core/data/corpus_sentences.h"

namespace unroll {

using namespace words;

namespace {

constexpr int kMinSentences = 8, kMaxSentences = 24;

// "# Ada the fox, Bram the owl and the red kite"
Cast title(Script& script)
{
    Cast cast;
    Character &first = cast.animals[0], &second = cast.animals[1];
    script.say("# ");
    first.name = script.pick(Menu().each(kNames, 1, " the ")).item;
    first.creature = script.pick(Menu().each(kCreatures, 1, ", ")).item;
    second.name = script.pick(Menu().each(kNames, 1, " the ", first.name)).item;
    second.creature = script.pick(Menu().each(kCreatures, 1, " and the ", first.creature)).item;
    cast.look = script.pick(Menu().each(kLooks, 1, " ")).item;
    cast.thing = script.pick(Menu().each(kThings, 1, "\n")).item;
    return cast;
}

void opening(Script& script, Sentences& sentences)
{
    script.pick(Menu().each(kOpenings, 1));
    sentences.someone();
    script.pick(Menu().each(kDid, 1, " the "));
    sentences.treasure();
    script.say(" ");
    sentences.place(kNear);
    script.say(".");
}

// False when the story comes to its end; "So " is said then.
bool sentence(Script& script, Sentences& sentences, const Cast& cast, bool mayEnd)
{
    script.pick(Menu().one(" ", 5).one("\n", 1));
    Menu menu;
    menu.one(cast.animals[0].called(), 8, " ").one(cast.animals[1].called(), 8, " ").each(kTimes, 1);
    menu.one("The ", 7).one("\"", 7).one("By the ", 5).one("Near the ", 3).one("So ", mayEnd ? 4 : 0);
    const Choice begin = script.pick(menu);
    switch (begin.group) {
    case 0:
    case 1: sentences.act(begin.group, true); return true;
    case 2: sentences.act(sentences.someone(), true); return true;
    case 3: sentences.scene(true, true); return true;
    case 4: sentences.speech(); return true;
    case 5:
    case 6: sentences.inventory(); return true;
    default: return false;
    }
}

// After "So ".
void ending(Script& script, Sentences& sentences, const Cast& cast)
{
    sentences.someone();
    script.pick(Menu().each(kDid, 1, " that "));
    sentences.treasure();
    script.say(".\nMoral: a ");
    script.pick(Menu().each(kMoods, 1, " "));
    script.say(cast.animals[0].kind());
    script.say(" ");
    script.pick(Menu().each(kMinds, 1, " a "));
    script.pick(Menu().each(kMoods, 1, " "));
    script.say(cast.animals[1].kind());
    script.say(".\n\n");
}

} // namespace

void tellFable(Script& script)
{
    const Cast cast = title(script);
    Sentences sentences(script, cast);
    opening(script, sentences);
    int said = 0;
    while (said < kMaxSentences && sentence(script, sentences, cast, said >= kMinSentences))
        ++said;
    if (said == kMaxSentences)
        script.say(" So ");
    ending(script, sentences, cast);
}

} // namespace unroll
