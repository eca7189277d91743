// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/spec.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace unroll {

/// Number of steps of a reading where none is asked for, and the most that there are.
inline constexpr std::size_t kUsualReading = 96;
inline constexpr std::size_t kLongestReading = 512;

/// One watched signal on the probe text: values[t * width + unit]. Matrices lie one behind the other, row by row.
struct SignalFrame {
    std::string node; ///< path of the node, dots in groups
    std::string signal;
    SignalKind look = SignalKind::Signed;
    std::int64_t steps = 0;
    std::int64_t width = 0;
    std::vector<float> values;
    std::int64_t rows = 0;    ///< of each matrix; 0: the units are single numbers
    std::int64_t columns = 0; ///< of each matrix
    MatrixAxes axes = {};     ///< what is counted along them
};

/// Of a signal of matrices: how many there are at each step; 0: its units are single numbers.
inline std::int64_t matrixCount(const SignalFrame& frame)
{
    return frame.rows > 0 && frame.columns > 0 ? frame.width / frame.rows / frame.columns : 0;
}

/// Heads of a signal that shows attention, whose rows come in a block for each head, one row for every step examined;
/// 0: its rows are units. A probe starts from a zero state.
inline std::int64_t attentionHeads(const SignalFrame& frame)
{
    return frame.look == SignalKind::Attention && frame.steps > 0 ? frame.width / frame.steps : 0;
}

/// Predicted and actual values of a model of numbers at each step: one target column, in its own units. NaN: nothing is
/// told or asked there, as at all steps but one where the model tells one number a sequence.
struct Forecast {
    std::string column;
    std::vector<float> told;
    std::vector<float> right;
};

/// A class and the probability that the model gives it.
struct ClassChance {
    std::string label; ///< visible: a character, a word, a class's name
    double probability = 0;
};

/// The model's own answer at one step about its targets, beside what came. Computed in double precision from what the
/// loss compares.
struct StepAnswer {
    std::string
        came; ///< label of the class that came; empty: nothing is asked at this step, or the targets are numbers
    double probability = 0; ///< of it; NaN where `came` is empty
    /// In the unit of the training loss, of numbers the mean over the step's targets; NaN where nothing is asked.
    double loss = 0;
    std::vector<ClassChance>
        likeliest; ///< five at most, likeliest first; empty where the targets are numbers, or the model is not asked
    std::int64_t asked = 0; ///< targets that the loss is the mean of
};

/// One snapshot: the watched signals on one probe text at one training step. Plain floats: nothing of torch leaves the
/// worker.
struct ProbeFrame {
    std::int64_t step = 0;
    std::vector<std::string> characters; ///< a visible label under each column; none where numbers were read
    std::vector<SignalFrame> signalFrames;
    std::vector<Forecast> forecasts =
        {}; ///< a target column each; none where classes are told, or where they were not asked for
    std::vector<StepAnswer> answers = {}; ///< a step each; none where they were not asked for
    std::string of = {};                  ///< what was read, in words: "the validation split (steps 1 to 96)"
    std::string lossUnit = {};            ///< of the answers: "nats/token"; empty where there are none
};

/// Whether the labels are single characters, as a text's are; those of classes may be words, "231".
inline bool readsCharacters(const ProbeFrame& frame)
{
    const auto isOne = [](const std::string& label) {
        return std::ranges::count_if(label, [](char byte) { return (byte & 0xc0) != 0x80; }) == 1; // UTF-8
    };
    return !frame.characters.empty() && std::ranges::all_of(frame.characters, isOne);
}

/// What is to be read. A value; at most kLongestReading steps.
struct ReadingRequest {
    enum class From {
        Start, ///< the beginning of validation
        /// `at` steps into the whole data, or from where they have `text` at that step or behind it. Where sequences
        /// stand for themselves: of a task number `at` of validation, or of such sequences of the length that is asked
        /// for; of labelled data sequence number `at` of the file. From 0.
        Place,
        Text, ///< `text` itself
        /// What the model writes after `text`, drawn with `seed`, when it is asked for; then that text is read again
        /// and again.
        Sample
    };
    From from = From::Start;
    std::string text = {};
    std::int64_t at = 0;
    /// Steps at most; 0: nothing is asked for, and kUsualReading are read. Of a task a sequence of so many steps;
    /// where nothing is asked for, and of labelled data, sequences are read whole, up to kLongestReading: what is asked
    /// of them may come last.
    std::int64_t length = 0;
    std::uint64_t seed = 0;
    /// Of a place that is found by `text`: so many matches further on; after the last one the first again.
    std::int64_t further = 0;

    std::int64_t steps() const ///< at most
    {
        constexpr auto most = static_cast<std::int64_t>(kLongestReading);
        return length == 0 ? static_cast<std::int64_t>(kUsualReading) : std::clamp<std::int64_t>(length, 1, most);
    }

    bool operator==(const ReadingRequest&) const = default;
};

/// The text itself; of an empty one the start of validation: what an experiment's probe text stands for.
inline ReadingRequest readingOfText(std::string text)
{
    const auto from = text.empty() ? ReadingRequest::From::Start : ReadingRequest::From::Text;
    return {.from = from, .text = std::move(text)};
}

/// Which signal is watched.
struct WatchedSignal {
    std::string node;
    std::string signal;

    bool operator==(const WatchedSignal&) const = default;
    auto operator<=>(const WatchedSignal&) const = default;
};

} // namespace unroll
