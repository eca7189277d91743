// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run_samples.h"

#include "core/data/word_vocabulary.h"
#include "core/train/labels.h"

#include <fmt/format.h>

#include <string>

namespace unroll {

namespace {

Result<std::string> labelled(const RunParts& parts, const std::string& text)
{
    const auto words = labelOfText(*parts.model, *parts.data, parts.data->labels(), text);
    const std::string unknown = unknownText(*parts.data, text);
    return words ? fmt::format("{}\n  predicted {}{}", text, *words, unknown.empty() ? "" : "; " + unknown) : words;
}

} // namespace

void takeSample(const RunParts& parts, const SampleRequest& request, const std::stop_token& stop, RunReport& report)
{
    const bool asksText = !request.prompt.empty() && parts.data->classes() > 0;
    auto text = !parts.tellsLabels() ? sampleText(*parts.model, *parts.data, request, stop)
                : asksText           ? labelled(parts, request.prompt)
                                     : labelsInValidation(*parts.model, *parts.data, request.seed);
    if (stop.stop_requested())
        return;
    if (!text)
        report.note("no sample: " + text.error().text());
    else
        report.addSample({parts.trainer->stepsDone(), *text});
}

} // namespace unroll
