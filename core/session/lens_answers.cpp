// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/lens_answers.h"

#include "core/base/reason.h"
#include "core/data/word_vocabulary.h"
#include "core/lens/edited_look.h"
#include "core/lens/touched_passes.h"
#include "core/train/sampler.h"

#include <c10/util/Exception.h>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>

namespace unroll {

namespace {

/// What the work threw; empty: nothing.
template <class Work>
std::string thrownBy(Work work)
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

struct NotRead : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What a snapshot gave.
struct Looked {
    ProbeFrame frame;
    std::unique_ptr<TouchedPasses> touched =
        {}; ///< every pass of the model is made under the edits as long as it is there
};

/// The reading as it is, or under edits; what cannot be edited is thrown as words.
Looked lookUnder(const std::string& edit, Model& model, const Dataset* data, const ProbeText& text,
                 const LensNeeds& needs, std::int64_t step, const std::stop_token& end)
{
    if (edit.empty())
        return {look(model, text, needs, step)};
    const auto edits = parseEdits(edit);
    if (!edits)
        throw NotRead(edits.error().text());
    auto shown = editedLook(model, data, text, needs, step, *edits, end);
    if (!shown)
        throw NotRead(shown.error().text());
    auto touched = TouchedPasses::over(model, data, text, *edits);
    if (!touched)
        throw NotRead(touched.error().text());
    return {std::move(*shown), std::move(*touched)};
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
        return fail("the network predicts labels and writes no text");
    std::int64_t length = request.steps();
    if (const auto& limit = model.longestSequence())
        length = std::min(length, limit->steps);
    const auto prompt = facts.vocabulary.encode(request.text);
    const std::int64_t given = prompt ? std::max<std::int64_t>(std::ssize(*prompt), 1) : 1;
    const auto tokens = sampleTokens(
        model, facts.vocabulary,
        {.prompt = request.text, .tokens = std::max<std::int64_t>(length - given, 0), .seed = request.seed}, end);
    if (!tokens)
        return tl::unexpected(tokens.error());
    const std::string unknown = unknownText(facts.vocabulary, request.text);
    return readingOfTokens(facts, *tokens, length,
                           request.text.empty()
                               ? fmt::format("text that the network wrote at step {}", step)
                               : fmt::format("text that the network wrote after {} at step {}{}", quoted(request.text),
                                             step, unknown.empty() ? "" : fmt::format(" ({})", unknown)));
}

namespace {

/// The frames of queries that read under the same edits, from one pass. What was kept over training is of the untouched
/// network.
std::vector<std::shared_ptr<const LensFrame>> answersUnder(const std::string& edit, Model& model, const LensAids& aids,
                                                           const ProbeText& text, const std::vector<LensQuery>& queries,
                                                           std::int64_t step, const std::stop_token& end)
{
    std::optional<Looked> shown;
    const bool untouched = edit.empty();
    const std::string unread = text.steps() == 0 ? std::string("there is nothing to read") : thrownBy([&] {
        shown.emplace(lookUnder(edit, model, aids.data, text, needsOf(queries), step, end));
    });
    std::vector<std::shared_ptr<const LensFrame>> frames;
    for (const LensQuery& query : queries) {
        std::shared_ptr<const LensFrame> frame;
        const std::string trouble = shown ? thrownBy([&] {
            frame = frameOf({shown->frame, &model, aids.data, &text, end, untouched ? aids.histories : nullptr,
                             untouched ? aids.update : nullptr},
                            query);
        })
                                          : unread;
        frames.push_back(frame ? frame : std::make_shared<const LensFrame>(LensFrame{query, step, trouble, nullptr}));
    }
    return frames;
}

} // namespace

std::vector<std::shared_ptr<const LensFrame>> answersOf(Model& model, const LensAids& aids, ProbeText text,
                                                        const std::vector<LensQuery>& queries, std::int64_t step,
                                                        const std::stop_token& end)
{
    cutToModel(text, model);
    std::vector<std::shared_ptr<const LensFrame>> frames(queries.size());
    for (std::size_t first = 0; first < queries.size(); ++first) {
        if (frames[first])
            continue;
        std::vector<std::size_t> places;
        std::vector<LensQuery> alike;
        for (std::size_t i = first; i < queries.size(); ++i)
            if (queries[i].edit == queries[first].edit) {
                places.push_back(i);
                alike.push_back(queries[i]);
            }
        const auto answers = answersUnder(queries[first].edit, model, aids, text, alike, step, end);
        for (std::size_t i = 0; i < places.size(); ++i)
            frames[places[i]] = answers[i];
    }
    return frames;
}

} // namespace unroll
