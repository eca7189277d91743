// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/lens_answers.h"

#include "core/base/reason.h"
#include "core/train/sampler.h"

#include <c10/util/Exception.h>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>

namespace unroll {

namespace {

/// What the work threw; empty: nothing.
template <class Work>
std::string whatWasThrown(Work work)
{
    try {
        work();
    } catch (const c10::AcceleratorError&) {
        throw; // nothing more can be computed there
    } catch (const c10::Error& error) {
        return firstLine(error.what_without_backtrace());
    } catch (const std::bad_alloc&) {
        return "not enough memory";
    } catch (const std::exception& error) {
        return firstLine(error.what());
    }
    return {};
}

/// The prompt as a sentence shows it.
std::string quoted(const std::string& prompt)
{
    constexpr std::size_t kMost = 24; // bytes
    return prompt.size() <= kMost ? "\"" + prompt + "\"" : "the given prompt";
}

} // namespace

Result<ProbeText> writtenReading(Model& model, const TextFacts& facts, const ReadingRequest& request, std::int64_t step,
                                 const std::stop_token& end)
{
    if (!facts.labels.empty())
        return fail("the network tells labels and writes no text");
    std::int64_t length = std::clamp<std::int64_t>(request.length, 1, longestReading);
    if (const auto& limit = model.longestSequence())
        length = std::min(length, limit->steps);
    const auto prompt = facts.vocabulary.encode(request.text);
    const std::int64_t given = prompt ? std::max<std::int64_t>(std::ssize(*prompt), 1) : 1;
    const auto tokens = sampleTokens(
        model, facts.vocabulary,
        {.prompt = request.text, .tokens = std::max<std::int64_t>(length - given, 0), .seed = request.seed}, end);
    if (!tokens)
        return tl::unexpected(tokens.error());
    return readingOfTokens(facts, *tokens, length,
                           request.text.empty() ? fmt::format("text that the network wrote at step {}", step)
                                                : fmt::format("text that the network wrote after {} at step {}",
                                                              quoted(request.text), step));
}

std::vector<std::shared_ptr<const LensFrame>> answersOf(Model& model, const Dataset* data, ProbeText text,
                                                        const std::vector<LensQuery>& queries, std::int64_t step,
                                                        const std::stop_token& end)
{
    cutToModel(text, model);
    std::optional<ProbeFrame> shown;
    const std::string unread = text.steps() == 0
                                   ? std::string("there is nothing to read")
                                   : whatWasThrown([&] { shown = look(model, text, needsOf(queries), step); });
    std::vector<std::shared_ptr<const LensFrame>> frames;
    for (const LensQuery& query : queries) {
        std::shared_ptr<const LensFrame> frame;
        const std::string trouble = shown ? whatWasThrown([&] {
            frame = frameOf({*shown, &model, data, &text, end}, query);
        })
                                          : unread;
        frames.push_back(frame ? frame : std::make_shared<const LensFrame>(LensFrame{query, step, trouble, nullptr}));
    }
    return frames;
}

} // namespace unroll
