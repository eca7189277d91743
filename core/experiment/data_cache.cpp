// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/experiment/data_cache.h"

#include "core/base/cuda_facts.h"
#include "core/base/home_path.h"
#include "core/base/mutex.h"
#include "core/base/number_text.h"
#include "core/data/dataset.h"
#include "core/data/table_reader.h"
#include "core/experiment/remedies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sys/stat.h>
#include <variant>

namespace unroll {

namespace {

/// Of the columns that are read; none of data that are no table, or where one holds no number.
std::vector<InputFacts> inputFacts(const Dataset& data)
{
    std::vector<InputFacts> facts;
    const std::vector<ColumnSummary> columns = data.columns();
    for (const ColumnScale& scale : data.scales().inputs) {
        const auto column = std::find_if(columns.begin(), columns.end(),
                                         [&](const ColumnSummary& each) { return each.name == scale.name; });
        if (column == columns.end() || column->count == 0)
            return {};
        facts.push_back({listOfNames({scale.name}), (column->least - scale.shift) / scale.scale, column->least});
    }
    return facts;
}

/// Which file it is that a parameter names, its size and its times, so that a changed file is read again: also one
/// whose time of writing was set back, or that another one has taken the place of.
std::string fileStamp(const std::string& text, const std::string& folder)
{
    struct stat found = {};
    if (stat(pathInFile(pathFrom(folder, text)).file.c_str(), &found) != 0 ||
        (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)))
        return "-";
    return fmt::format("{}:{} {} {}.{:09} {}.{:09}", found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec,
                       found.st_mtim.tv_nsec, found.st_ctim.tv_sec, found.st_ctim.tv_nsec);
}

/// What one opening depends on: the data block, its parameters, and the files that these name as they are now.
struct Wanted {
    std::string block;
    Params params;
    std::string folder;
    std::vector<std::string> stamps;

    bool operator==(const Wanted&) const = default;
};

Wanted wantedNow(const std::string& block, const Params& params, const std::string& folder)
{
    Wanted wanted{block, params, folder, {}};
    for (const auto& [name, value] : params)
        if (const auto* text = std::get_if<std::string>(&value); text != nullptr && !text->empty())
            wanted.stamps.push_back(fileStamp(*text, folder));
    return wanted;
}

/// Sequences of one batch that end in padding while they have steps. Rows that only fill up a batch are padding
/// throughout.
bool hasShortSequences(const Batch& batch)
{
    for (std::int64_t b = 0; b < batch.sequences && !batch.mask.empty(); ++b) {
        std::int64_t real = 0;
        for (std::int64_t t = 0; t < batch.steps; ++t)
            real += batch.mask[static_cast<std::size_t>(t * batch.sequences + b)];
        if (real > 0 && real < batch.steps)
            return true;
    }
    return false;
}

/// Whether sequences of a batch differ in length, by the first batches of each split.
bool pads(const Dataset& data)
{
    constexpr std::int64_t kTokens = 1 << 20; // enough to look at
    std::int64_t batch = 32;
    while (batch > 1 && (batch * data.steps() > kTokens || !data.accepts(batch)))
        batch /= 2;
    return (data.accepts(batch) && hasShortSequences(data.batch(Split::Train, 0, batch, 0))) ||
           (data.batchesInSplit(Split::Validation, batch) > 0 &&
            hasShortSequences(data.evaluationBatch(Split::Validation, 0, batch)));
}

/// The data in use, and what was in use before it: a step back finds it. Each holds all tokens of its text.
constexpr std::size_t kMostKept = 2;

} // namespace

struct DataCache::State {
    struct Opened {
        Wanted wanted;
        std::shared_ptr<const Dataset> data;
        bool pads = false;
    };

    Sources sources;
    LearnedData learned;
    bool toTrain = true;
    Mutex mutex;
    std::vector<Opened> opened UNROLL_GUARDED_BY(mutex); ///< used last comes first

    Result<Opened> open(const std::string& block, const Params& params, const std::string& folder);
};

DataCache::DataCache(Sources sources, LearnedData learned, bool toTrain) : m_state(std::make_unique<State>())
{
    m_state->toTrain = toTrain;
    m_state->sources = std::move(sources);
    m_state->learned = std::move(learned);
}

DataCache::~DataCache() = default;

/// Who asks for what another is reading waits for it.
Result<DataCache::State::Opened> DataCache::State::open(const std::string& block, const Params& params,
                                                        const std::string& folder)
{
    OpenSource source = sources.source(block);
    if (source == nullptr)
        return fail(fmt::format("the data block {} cannot be opened in this version", block));
    const MutexLock lock(mutex);
    Wanted wanted = wantedNow(block, params, folder); // as the files are after the wait
    const auto found =
        std::find_if(opened.begin(), opened.end(), [&](const Opened& each) { return each.wanted == wanted; });
    if (found != opened.end()) {
        std::rotate(opened.begin(), found, found + 1);
        return opened.front();
    }
    if (opened.size() == kMostKept) // before the next is read, so that its memory is free again
        opened.pop_back();
    // A failure is not kept: its reason (rights, memory) may be gone the next time while the file is the same.
    auto data = source({params, folder, &learned, toTrain});
    if (!data)
        return tl::unexpected(data.error());
    return *opened.insert(opened.begin(), {std::move(wanted), *data, unroll::pads(**data)});
}

Result<std::shared_ptr<const Dataset>> DataCache::open(const std::string& block, const Params& params,
                                                       const std::string& folder)
{
    return m_state->open(block, params, folder).map([](const State::Opened& opened) { return opened.data; });
}

std::function<SourceFacts(const std::string&, const Params&)> DataCache::facts(std::string folder)
{
    return [this, folder = std::move(folder)](const std::string& block, const Params& params) {
        SourceFacts facts;
        const auto opened = m_state->open(block, params, folder);
        if (!opened) {
            // An error's place is a parameter or a file; a parameter is named by where the error is shown.
            const std::string& place = opened.error().place;
            const bool isParam = params.count(place) > 0;
            facts.error = isParam ? opened.error().message : opened.error().text();
            facts.errorParam = isParam ? place : params.count("file") > 0 ? "file" : "";
            return facts;
        }
        const Dataset& data = *opened->data;
        facts.classes = data.classes();
        facts.labels = std::ssize(data.labels());
        facts.steps = data.steps();
        facts.carried = data.carriesState();
        facts.pads = opened->pads;
        const NumberFacts numbers = data.numbers();
        facts.inputs = numbers.inputs;
        facts.targets = numbers.targets;
        facts.shares = numbers.shares;
        facts.columns = inputFacts(data);
        return facts;
    };
}

namespace {

/// At the data node.
Diagnostic ofSource(const Experiment& experiment, const CheckedGraph& checked)
{
    Diagnostic diagnostic;
    diagnostic.node = checked.source;
    diagnostic.nodeName = experiment.graph.find(checked.source)->name;
    return diagnostic;
}

void report(const Experiment& experiment, CheckedGraph& checked, Severity severity, const char* code,
            std::string sentence)
{
    Diagnostic diagnostic = ofSource(experiment, checked);
    diagnostic.severity = severity;
    diagnostic.code = code;
    diagnostic.sentence = std::move(sentence);
    checked.diagnostics.push_back(std::move(diagnostic));
}

/// "all 20 batches", "12 of the first 1,000 batches"
std::string emptyOf(const TargetCensus& census, std::int64_t all)
{
    if (census.empty == all)
        return fmt::format("all {}", counted(all, "batch"));
    return fmt::format("{} of the {}{}", grouped(census.empty), census.batches < all ? "first " : "",
                       counted(census.batches, "batch"));
}

/// A loss over no target is not a number: a part without any stops the run before it begins, and batches without any
/// are counted.
void checkTargets(const Experiment& experiment, const Dataset& data, CheckedGraph& checked)
{
    const TrainSettings& training = experiment.training;
    const std::int64_t updates =
        std::min(training.steps, std::numeric_limits<std::int64_t>::max() / training.accumulation);
    const std::int64_t trained = updates * training.accumulation;
    const std::int64_t whole = data.batchesInSplit(Split::Validation, training.batch) - data.warmUp(Split::Validation);
    const auto census = [&](Split split, std::int64_t batches) {
        return data.census(split, batches, training.batch, experiment.seed);
    };
    const auto none = [&](const TargetCensus& counted, const char* part, const char* end) {
        report(experiment, checked, Severity::Error, "no-targets",
               fmt::format("there is no target in the {} part: {}; {}", part, counted.lacks, end));
    };
    if (const auto found = census(Split::Train, trained); found && found->targets == 0)
        none(*found, "training", "there is nothing to train on");
    else if (found && found->empty > 0)
        report(experiment, checked, Severity::Warning, "few-targets",
               fmt::format("{} of this run have no target: such an update changes no weight, and its loss is n/a",
                           emptyOf(*found, trained)));
    const auto found = census(Split::Validation, whole);
    if (!found || found->empty == 0)
        return;
    if (found->targets == 0)
        return none(*found, "validation", "no validation loss can be computed on it");
    report(
        experiment, checked, Severity::Warning, "few-targets",
        fmt::format("{} of the validation part have no target: they do not count in its loss", emptyOf(*found, whole)));
    const std::int64_t slice = std::min(training.evaluateBatches, whole);
    if (const auto first = census(Split::Validation, slice); first && first->empty == slice)
        report(experiment, checked, Severity::Warning, "few-targets",
               fmt::format("the first {} of the validation part, the slice evaluated during training, have no target: "
                           "val/loss is n/a; raise evaluate_batches",
                           counted(slice, "batch")));
}

/// The note's one-click change of the data node's parameters.
Fix remedyOf(const DataNote& note, NodeId node)
{
    std::vector<GraphEdit> edits;
    for (const auto& [param, value] : note.settings)
        edits.push_back(edits::setParam(node, param, value));
    return {note.remedy, edits.size() == 1 ? edits.front() : edits::sequence(note.remedy, std::move(edits))};
}

/// What the data themselves have to be said of: the notes that training tells as well.
void addNotes(const Experiment& experiment, const Dataset& dataset, CheckedGraph& checked)
{
    for (const DataNote& note : dataset.notes()) {
        Diagnostic diagnostic = ofSource(experiment, checked);
        diagnostic.severity = note.warning ? Severity::Warning : Severity::Note;
        diagnostic.where = note.param;
        diagnostic.code = note.code;
        diagnostic.sentence = note.sentence;
        if (!note.settings.empty())
            diagnostic.fix = remedyOf(note, checked.source);
        checked.diagnostics.push_back(std::move(diagnostic));
    }
}

/// What the data say, and what the batch asks of them, as the check reports it.
void checkData(const Experiment& experiment, DataCache& data, CheckedGraph& checked)
{
    if (checked.source == 0 || checked.steps == 0)
        return; // there is no data, and the check has said so
    const CheckedNode& source = checked.nodes.at(checked.source);
    auto dataset = data.open(source.spec->id, source.params, experiment.folder);
    if (!dataset)
        return; // gone since the check read it
    if (auto accepted = (*dataset)->accepts(experiment.training.batch); !accepted)
        report(experiment, checked, Severity::Error, "batch-too-large", accepted.error().text());
    else
        checkTargets(experiment, **dataset, checked);
    addNotes(experiment, **dataset, checked);
}

/// Offers the largest batch that fits, where the batch is what asks for too much.
void offerSmallerBatch(const Experiment& experiment, std::int64_t memory, CheckedGraph& checked)
{
    const double batch = static_cast<double>(experiment.training.batch);
    // The estimate is at most a part for the weights, their gradients and moments, and one that grows with the batch.
    const double weights = 16.0 * static_cast<double>(checked.cost.parameters);
    const double sequence = (static_cast<double>(checked.trainingBytes) - weights) / batch;
    if (sequence <= 0)
        return;
    const double fits = std::floor((static_cast<double>(memory) - weights) / sequence);
    for (Diagnostic& diagnostic : checked.diagnostics)
        if (diagnostic.code == "memory" && fits >= 1 && fits < batch)
            diagnostic.fix = setBatch(experiment.training, static_cast<std::int64_t>(fits));
}

} // namespace

CheckedGraph checkExperiment(const Experiment& experiment, const BlockRegistry& registry, DataCache& data,
                             const std::string& device)
{
    const DeviceMemory memory = memoryFor(device.empty() ? experiment.training.device : device);
    CheckOptions options;
    options.sourceFacts = data.facts(experiment.folder);
    options.batch = experiment.training.batch;
    options.memoryAvailable =
        static_cast<std::int64_t>(std::min<std::uint64_t>(memory.bytes, std::numeric_limits<std::int64_t>::max()));
    options.memoryOwner = memory.owner;
    CheckedGraph checked = check(experiment.graph, registry, options);
    checkData(experiment, data, checked);
    offerSmallerBatch(experiment, options.memoryAvailable, checked);
    return checked;
}

CheckedGraph checkTrained(const Experiment& experiment, const BlockRegistry& registry, DataCache& data)
{
    CheckOptions options;
    options.sourceFacts = data.facts(experiment.folder);
    return check(experiment.graph, registry, options);
}

} // namespace unroll
