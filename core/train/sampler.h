// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/data/vocabulary.h"
#include "core/experiment/sampling_rule.h"
#include "core/model/model.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace unroll {

struct SampleRequest {
    std::string prompt;        ///< empty: the first entry of the alphabet
    std::int64_t tokens = 200; ///< at most
    SamplingRule rule = {};
    std::uint64_t seed = 0; ///< of a generator of its own: sampling never draws from training's
};

/// The chances of the tokens by scores [classes] that are finite, as the rule leaves them: fp64, on the CPU. Of equal
/// scores the one of the lower class counts as the likelier. Temperature 0: all on the likeliest.
at::Tensor chancesOf(const at::Tensor& scores, const SamplingRule& rule);

/// The prompt's tokens and those that were drawn after them; as sampleText(). `took` gets the prompt's, and then each
/// as it is drawn.
Result<std::vector<std::int32_t>> sampleTokens(
    Model& model, const Vocabulary& vocabulary, const SampleRequest& request, const std::stop_token& stop = {},
    const std::function<void(const std::vector<std::int32_t>& tokens, bool begins)>& took = {});

/// Text that goes on from the prompt, prompt included. The model steps with carried state. Errors: data of numbers, a
/// character of the prompt or of the stop text that the alphabet lacks (place "prompt", "stop"), more tokens than the
/// network takes (place: the node that limits them), scores that are not finite, `stop` asked for the end. `heard` gets
/// the prompt, and then each token as it is drawn, as Vocabulary::written() writes it.
Result<std::string> sampleText(Model& model, const Vocabulary& vocabulary, const SampleRequest& request,
                               const std::stop_token& stop = {},
                               const std::function<void(const std::string& piece)>& heard = {});

} // namespace unroll
