// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/wire_commands.h"

#include "core/remote/wire_values.h"

#include <fmt/format.h>
#include <functional>
#include <map>
#include <utility>

namespace unroll {

namespace {

/// Reads the words of a command, and gives what is to be called once all of them are there.
using ReadCommand = std::function<void(Session&)> (*)(const MemberReader&);

std::function<void(Session&)> readSample(const MemberReader& members)
{
    SamplingRule rule;
    members.inside("rule", [&](const MemberReader& inside) { rule = ruleFrom(inside); });
    return [prompt = members.text("prompt"), tokens = members.whole("tokens"), rule,
            seed = members.natural("seed")](Session& session) { session.sample(prompt, tokens, rule, seed); };
}

std::function<void(Session&)> readReading(const MemberReader& members)
{
    ReadingRequest reading;
    members.inside("reading", [&](const MemberReader& inside) { reading = readingFrom(inside); });
    return [reading](Session& session) { session.setReading(reading); };
}

template <void (Session::*member)()>
std::function<void(Session&)> plain(const MemberReader&)
{
    return [](Session& session) { (session.*member)(); };
}

const std::map<std::string, ReadCommand>& commandReaders()
{
    using Call = std::function<void(Session&)>;
    static const std::map<std::string, ReadCommand> readers{
        {"run", plain<&Session::run>},
        {"pause", plain<&Session::pause>},
        {"stop", plain<&Session::stop>},
        {"look", plain<&Session::look>},
        {"checkpoint", plain<&Session::checkpoint>},
        {"keep_weights", plain<&Session::keepWeights>},
        {"step",
         [](const MemberReader& members) -> Call {
             return [count = members.whole("count")](Session& session) { session.step(count); };
         }},
        {"rate",
         [](const MemberReader& members) -> Call {
             return [peak = members.real("peak")](Session& session) { session.setLearningRate(peak); };
         }},
        {"ask",
         [](const MemberReader& members) -> Call {
             return [open = members.each("open", queryFrom)](Session& session) { session.ask(open); };
         }},
        {"reading", readReading},
        {"drew",
         [](const MemberReader& members) -> Call {
             return [seconds = members.real("seconds")](Session& session) { session.drew(seconds); };
         }},
        {"sample", readSample},
        {"moved",
         [](const MemberReader& members) -> Call {
             return [folder = members.text("folder")](Session& session) { session.folderMoved(folder); };
         }},
    };
    return readers;
}

template <class Value>
Message oneWord(const char* kind, const char* name, Value value)
{
    Message message = commandMessage(kind);
    message.head.add(name, std::move(value));
    return message;
}

} // namespace

Message commandMessage(const char* kind)
{
    Message message{Json(JsonObject{})};
    message.head.add("kind", kind);
    return message;
}

Message stepMessage(std::int64_t count)
{
    return oneWord("step", "count", count);
}

Message rateMessage(double peak)
{
    return oneWord("rate", "peak", peak);
}

Message askMessage(const std::vector<LensQuery>& open)
{
    return oneWord("ask", "open", queriesJson(open));
}

Message readingMessage(const ReadingRequest& reading)
{
    return oneWord("reading", "reading", readingJson(reading));
}

Message drewMessage(double seconds)
{
    return oneWord("drew", "seconds", seconds);
}

Message sampleMessage(const std::string& prompt, std::int64_t tokens, const SamplingRule& rule, std::uint64_t seed)
{
    Message message = oneWord("sample", "prompt", prompt);
    message.head.add("tokens", tokens);
    message.head.add("rule", ruleJson(rule));
    message.head.add("seed", seed);
    return message;
}

Message movedMessage(const std::string& folder)
{
    return oneWord("moved", "folder", folder);
}

Result<bool> applyCommand(Session& session, const Message& message)
{
    const auto& readers = commandReaders();
    const auto reader = readers.find(message.kind());
    if (reader == readers.end())
        return false;
    const BlockReader blocks(message.body);
    std::string fault;
    const auto call = reader->second(MemberReader(message.head, blocks, fault));
    if (!fault.empty())
        return fail(fmt::format("the command {} cannot be read: its {} is not as expected", reader->first, fault));
    call(session);
    return true;
}

} // namespace unroll
