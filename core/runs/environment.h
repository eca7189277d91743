// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/data/learned_data.h"
#include "core/data/tokenizer.h"
#include "core/runs/run_measures.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace unroll {

class Dataset;

/// A device as it is shown: "cpu, 2 threads", "cuda:0". 0 threads: not known.
std::string deviceText(const std::string& device, std::int64_t threads);

/// Where and on what a run was made: environment.json.
struct RunEnvironment {
    std::string version;      ///< of Unroll
    std::string torch;        ///< "2.11.0"
    std::string device;       ///< as resolved: "cpu", "cuda:0"
    std::int64_t threads = 0; ///< as resolved
    std::string products;     ///< what multiplied fp32 matrices on the CPU: "AMX", "MKL", "oneDNN"; empty on a GPU
    std::uint64_t seed = 0;
    std::string data;         ///< the dataset in one line
    std::string dataHash;     ///< Dataset::contentHash
    std::int64_t classes = 0; ///< of the data, so that a run can be exported where its data is not
    std::int64_t steps = 0;   ///< T of a batch, likewise
    /// Text of every class, "\n" for <eos>; empty where a class alone is not text (bytes).
    std::vector<std::string> alphabet;
    std::string folder;    ///< where relative data paths of the experiment are looked up; filled in by RunFolder
    SeriesScales scales{}; ///< of the columns, where the data are numbers
    std::vector<std::string> labels = {}; ///< of what is asked for, where that is not the alphabet's
    std::optional<double> entropyFloor =
        {}; ///< of the whole validation split, nats/target; filled in where the loss is in nats
    std::optional<double> entropyExpected = {}; ///< as Dataset::entropyExpected, likewise
    std::optional<double> sliceFloor = {};      ///< of what of it is evaluated on the way, likewise
    RunMeasures measures = {};                  ///< filled in where a run begins
    std::vector<std::string> tags = {};         ///< words of the user's, by which runs are found again
    std::string trial = {}; ///< text of a JSON object: what a search that started the run says of it; empty: none
    std::int64_t ranks = 1; ///< processes that train it together

    /// The alphabet as one text, for data that is to be read with it; empty where classes are not characters.
    std::string characters() const;
    /// What data must be read with so that they mean to the model what its own did.
    LearnedData learned() const;
    /// The data's alphabet without the data; null where classes are neither characters nor words.
    std::shared_ptr<const Vocabulary> vocabulary() const;

    bool operator==(const RunEnvironment&) const = default;
};

/// The text of every class, where text and classes go both ways; empty otherwise (bytes).
std::vector<std::string> classTexts(const Vocabulary& vocabulary);

/// Another text may have as many characters, but not the same ones: its classes would mean something else. Likewise
/// columns of numbers.
Result<void> sameMeaning(const Dataset& data, const RunEnvironment& trained);

Json environmentToJson(const RunEnvironment& environment);
/// Members that are missing keep their defaults; a file that is not an object is an error.
Result<RunEnvironment> environmentFromJson(const Json& json, const std::string& source);

} // namespace unroll
