// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/message.h"
#include "core/base/result.h"
#include "core/session/session.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

// The commands of a session as messages; the kind is the member's name.
Message commandMessage(const char* kind); ///< one without more words: run, pause, stop, look, checkpoint, keep_weights
Message stepMessage(std::int64_t count);
Message rateMessage(double peak);
Message askMessage(const std::vector<LensQuery>& open);
Message readingMessage(const ReadingRequest& reading);
Message drewMessage(double seconds);
Message sampleMessage(const std::string& prompt, std::int64_t tokens, const SamplingRule& rule, std::uint64_t seed);
Message movedMessage(const std::string& folder);

/// Calls the session's member that the message names. False: it is none of these commands. Errors: a command that
/// cannot be read; nothing was called then.
Result<bool> applyCommand(Session& session, const Message& message);

} // namespace unroll
