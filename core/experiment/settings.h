// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/block/spec.h"
#include "core/experiment/optimizer_spec.h"
#include "core/experiment/sampling_rule.h"

#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

enum class ScheduleKind { Constant, Cosine };
/// What becomes of the schedule where a run goes on with another number of steps than it was planned for.
enum class Continuation { Keep, Stretch, Restart };
enum class Precision { Fp32, Tf32, Bf16 };

/// What fp32 products on the CPU are made by (core/linalg): the best there is, the library, or AMX.
enum class Products { Auto, Library, Amx };

inline constexpr std::int64_t kMostThreads = 1024;

/// How an experiment is trained. Every member is in the file, under the name in the comment where it differs.
struct TrainSettings {
    std::int64_t steps = 2000;                 ///< optimiser updates
    std::int64_t batch = 12;                   ///< sequences a batch (B)
    std::int64_t accumulation = 1;             ///< batches an update
    std::string optimizer = kDefaultOptimizer; ///< one of optimizerSpecs()
    double learningRate = 1e-3;                ///< learning_rate
    Params optimizerSettings; ///< of all optimisers, each a member of the file; one that is not there has its default
    ScheduleKind schedule = ScheduleKind::Cosine;
    std::int64_t warmup = 100;       ///< steps of linear rise
    double startLearningRate = 0;    ///< start_learning_rate, of the first update; 0: the first of `warmup` equal rises
    std::int64_t decaySteps = 0;     ///< decay_steps, updates of the cosine after the warm-up; 0: up to `steps`
    double finalLearningRate = 1e-4; ///< final_learning_rate, where the cosine ends
    Continuation continuation = Continuation::Keep; ///< schedule_on_resume
    double clip = 1.0;                              ///< norm of each clip group's gradient; 0: no clipping
    Precision precision = Precision::Fp32;
    Products products = Products::Auto; ///< what it came to is in the run's environment
    std::int64_t evaluateEvery = 200;   ///< evaluate_every; 0: only at the end
    std::int64_t evaluateBatches = 20;  ///< evaluate_batches: the fixed validation slice
    bool evaluateWhole = true;          ///< evaluate_whole: the whole split at the end
    std::int64_t sampleEvery = 500;     ///< sample_every; 0: never
    std::int64_t sampleTokens = 200;    ///< sample_tokens
    std::string samplePrompt;           ///< sample_prompt; empty: the dataset's first alphabet entry
    double sampleTemperature = 0.8;     ///< sample_temperature
    std::int64_t sampleTopK = 0;        ///< sample_top_k; 0: all tokens
    double sampleTopP = 1;              ///< sample_top_p; 1: all tokens
    std::string sampleStop;             ///< sample_stop; empty: none
    std::int64_t checkpointEvery = 500; ///< checkpoint_every; 0: only at the end
    std::int64_t logEvery = 1;          ///< log_every: steps a metrics row
    std::int64_t patience = 0;          ///< evaluations without a better validation loss before an early stop; 0: never
    std::int64_t threads = 0;           ///< 0: all cores; the resolved number is stored in the run
    std::string device = "auto";        ///< auto, cpu, cuda, cuda:1

    bool operator==(const TrainSettings&) const = default;
    SamplingRule samplingRule() const { return {sampleTemperature, sampleTopK, sampleTopP, sampleStop}; }
};

/// The settings as a schema, in the order of the file, for panels and the command line: described as a block's
/// parameters are. Made from the same table that reads and writes the file.
const std::vector<ParamSpec>& trainSettingSpecs();
ParamValue trainSetting(const TrainSettings& settings, const std::string& name);
/// Errors: unknown name, wrong type, out of range; the sentence says what was expected.
Result<TrainSettings> withTrainSetting(const TrainSettings& settings, const std::string& name, const ParamValue& value);

/// Of the optimiser that is chosen; 0 where it has no setting of that name.
double optimizerSetting(const TrainSettings& settings, const std::string& name);

} // namespace unroll
