// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/inspection.h"

#include "core/check/ports.h"
#include "core/data/word_vocabulary.h"
#include "core/lens/probe.h"
#include "core/runs/run_measures.h"
#include "core/session/lens_answers.h"
#include "core/session/run_summaries.h"
#include "core/train/device.h"
#include "core/train/labels.h"
#include "core/train/sampler.h"
#include "core/train/trained_run.h"
#include "core/train/trainer.h"

#include <c10/util/Exception.h>

#include <cmath>
#include <fmt/format.h>
#include <new>
#include <numbers>

namespace unroll {
namespace {

/// What torch throws becomes an Error that names the node.
template <class Work>
auto guarded(const Model& model, Work work) -> decltype(work())
{
    try {
        return work();
    } catch (const c10::Error& error) {
        return fail(error.what_without_backtrace(), model.runningNode());
    } catch (const std::bad_alloc&) {
        return fail("not enough memory", model.runningNode());
    }
}

void addSignals(const Graph& graph, const CheckedGraph& checked, const std::string& prefix,
                std::vector<WatchedSignal>& names)
{
    for (NodeId id : checked.order) {
        const Node& node = *graph.find(id);
        const CheckedNode& facts = checked.nodes.at(id);
        for (const SignalSpec& signal : facts.spec->signalSpecs)
            names.push_back({prefix + node.name, signal.name});
        if (!node.group)
            continue;
        for (std::int64_t copy = 1; copy <= node.group->repeat; ++copy) {
            const std::string index = node.group->repeat > 1 ? fmt::format(".{}.", copy) : ".";
            addSignals(*node.group->graph, facts.inCopy(copy), prefix + node.name + index, names);
        }
    }
}

Error noData()
{
    return {"the data was not opened"};
}

} // namespace

struct Inspection::Parts {
    TrainedRun run;
    std::unique_ptr<Model> model;
    std::string deviceNote;
};

Inspection::Inspection(std::unique_ptr<Parts> parts) : m_parts(std::move(parts)) {}

Inspection::~Inspection() = default;

Result<std::unique_ptr<Inspection>> Inspection::open(const std::string& path, const BlockRegistry& registry,
                                                     const Builders& builders, const InspectionOptions& options)
{
    auto device = openDevice(options.device, false); // before anything else of torch
    if (!device)
        return tl::unexpected(device.error());
    prepareWorkerThread(options.threads, false);
    const DataNeed need = options.needsData ? DataNeed::Whole : DataNeed::Alphabet;
    auto run = openTrainedRun(path, registry, builders,
                              {.dataPath = options.dataPath,
                               .checkpoint = options.checkpoint,
                               .assignments = options.assignments,
                               .need = need});
    if (!run)
        return tl::unexpected(run.error());
    chooseProductsToRead(run->experiment.training.products, run->folder.environment().products);
    auto model = buildTrained(*run, registry, builders);
    if (!model)
        return tl::unexpected(model.error());
    const auto moved = guarded(**model, [&]() -> Result<void> {
        (*model)->to(at::Device(device->name));
        return {};
    });
    if (!moved)
        return tl::unexpected(moved.error());
    return std::unique_ptr<Inspection>(
        new Inspection(std::make_unique<Parts>(Parts{std::move(*run), std::move(*model), device->note})));
}

const Experiment& Inspection::experiment() const
{
    return m_parts->run.experiment;
}

const RunEnvironment& Inspection::environment() const
{
    return m_parts->run.folder.environment();
}

std::int64_t Inspection::step() const
{
    return m_parts->run.checkpoint.step;
}

std::vector<DataNote> Inspection::dataNotes() const
{
    return m_parts->run.data == nullptr ? std::vector<DataNote>{} : m_parts->run.data->notes();
}

const std::string& Inspection::deviceNote() const
{
    return m_parts->deviceNote;
}

std::vector<WatchedSignal> Inspection::signalNames() const
{
    return watchableSignals(m_parts->run.experiment.graph, m_parts->run.checked);
}

namespace {

/// What the figures stand beside, of the same targets.
void compare(SplitFigures& figures, const Evaluation& means, const Dataset& data, const Portion& portion)
{
    if (auto baseline = data.baseline(portion); baseline && baseline->unit == figures.lossUnit)
        figures.baseline = std::move(baseline);
    if (!figures.baseline)
        figures.noBaseline = data.whyNoBaseline(portion);
    if (!isInNats(figures.lossUnit))
        return;
    figures.floor = data.entropyFloor(portion);
    figures.expected = data.entropyExpected(portion.split);
    if (figures.split == Split::Validation || figures.split == Split::Test) // others may have been learned by heart
        figures.leak = leakIn(means, figures.floor, figures.split == Split::Test ? "test" : "validation");
}

Error notFinite(const BadNode& bad)
{
    const std::string where = bad.sentence.empty() ? std::string() : ": " + bad.sentence;
    return {"the model's outputs are not finite" + where, bad.node};
}

/// The loss in bits and as choices, where it is one of probabilities.
void addOtherUnits(SplitFigures& figures, const RunMeasures& measures, bool ofClasses)
{
    if (!isInNats(figures.lossUnit))
        return;
    figures.bitsPerTarget = figures.loss / std::numbers::ln2;
    if (measures.isCharacterLoss())
        figures.bitsPerCharacter = figures.bitsPerTarget;
    if (ofClasses && figures.labels.empty())
        figures.perplexity = std::exp(figures.loss);
}

const char* splitName(Split split)
{
    switch (split) {
    case Split::Train: return "the training part";
    case Split::Validation: return "the validation part";
    case Split::Test: return "the test part";
    case Split::All: break;
    }
    return "the whole";
}

} // namespace

Result<SplitFigures> Inspection::evaluate(Split split)
{
    if (!m_parts->run.data)
        return tl::unexpected(noData());
    const Dataset& data = *m_parts->run.data;
    if (!data.has(split))
        return fail(split == Split::Test ? "the data has no test part: set test_fraction or test_file"
                                         : fmt::format("{} of the data contains no target", splitName(split)),
                    data.describe());
    return guarded(*m_parts->model, [&]() -> Result<SplitFigures> {
        Trainer trainer(m_parts->run.experiment, *m_parts->model, data);
        const Portion whole = trainer.portion(split);
        const Evaluation means = *trainer.evaluate(whole); // nobody asks it to stop
        if (!means.loss)
            return fail(fmt::format("{} contains no target, so there is nothing to score: {}", splitName(split),
                                    data.evaluationText(split)),
                        data.describe());
        const CheckedGraph& checked = m_parts->run.checked;
        SplitFigures figures{.split = split,
                             .scored = data.evaluationText(split),
                             .loss = *means.loss,
                             .lossUnit = lossUnitOf(checked),
                             .accuracy = means.accuracy,
                             .targets = means.targets,
                             .labels = data.labels(),
                             .confusion = means.confusion};
        if (!std::isfinite(*means.loss)) {
            figures.fault = notFinite(means.bad.value_or(BadNode{}));
            return figures;
        }
        compare(figures, means, data, whole);
        addOtherUnits(figures, measuresOf(checked, data), data.classes() > 0);
        return figures;
    });
}

Result<std::string> Inspection::sample(const std::string& prompt, std::int64_t tokens, const SamplingRule& rule,
                                       std::uint64_t seed, const std::function<void(const std::string&)>& heard)
{
    return guarded(*m_parts->model, [&]() -> Result<std::string> {
        if (const std::vector<std::string>& labels = environment().labels; !labels.empty())
            return labelOfText(*m_parts->model, *m_parts->run.vocabulary, labels, prompt);
        return sampleText(*m_parts->model, *m_parts->run.vocabulary, {prompt, tokens, rule, seed}, {}, heard);
    });
}

std::string Inspection::unknownIn(const std::string& prompt) const
{
    return unknownText(*m_parts->run.vocabulary, prompt);
}

bool Inspection::tellsBytes() const
{
    const Vocabulary& vocabulary = *m_parts->run.vocabulary;
    constexpr std::int32_t kNoCharacter = 255;
    return vocabulary.classes() == 256 && vocabulary.written({kNoCharacter}, true) == "\xFF";
}

Result<ProbeFrame> Inspection::look(const std::string& text, const std::vector<WatchedSignal>& watched,
                                    std::size_t longest)
{
    const ProbeText wished = encodeProbeText(*m_parts->run.vocabulary, text, longest);
    if (!wished.trouble.empty())
        return fail(wished.trouble);
    if (wished.tokens.empty() && !m_parts->run.data)
        return tl::unexpected(noData());
    return guarded(*m_parts->model, [&]() -> Result<ProbeFrame> {
        const bool takes = !wished.tokens.empty();
        return probe(*m_parts->model, takes ? wished : makeProbeText(*m_parts->run.data, text, longest), watched,
                     step());
    });
}

namespace {

/// What lenses had kept when the checkpoint was written.
Result<LensHistories> historiesUpTo(const std::filesystem::path& run, std::int64_t step)
{
    auto histories = lensHistoriesOf(run);
    if (histories)
        for (auto& [lens, history] : *histories)
            history.cutBehind(step);
    return histories;
}

/// What a text can be read like where the run's data may be gone: texts alone are remembered, with what their alphabet
/// is.
TextFacts textFacts(const TrainedRun& run)
{
    if (run.data)
        return factsOf(*run.data);
    const auto& nodes = run.checked.nodes;
    const auto source = nodes.find(run.checked.source);
    const bool isText = source != nodes.end() && source->second.spec->id == "text";
    return {*run.vocabulary, run.folder.environment().labels, isText};
}

} // namespace

Result<ProbeText> Inspection::read(const ReadingRequest& reading)
{
    const TrainedRun& run = m_parts->run;
    if (reading.from == ReadingRequest::From::Sample)
        return writtenReading(*m_parts->model, textFacts(run), reading, step());
    if (reading.from == ReadingRequest::From::Text && !run.data)
        return encodeReading(textFacts(run), reading.text, reading.steps());
    if (!run.data)
        return tl::unexpected(noData());
    return readingOf(*run.data, reading);
}

Result<ProbeFrame> Inspection::look(const ReadingRequest& reading, const std::vector<WatchedSignal>& watched)
{
    return guarded(*m_parts->model, [&]() -> Result<ProbeFrame> {
        const auto text = read(reading);
        return text ? probe(*m_parts->model, *text, watched, step()) : Result<ProbeFrame>(tl::unexpected(text.error()));
    });
}

Result<std::shared_ptr<const LensFrame>> Inspection::see(const LensQuery& query, const ReadingRequest& reading)
{
    return guarded(*m_parts->model, [&]() -> Result<std::shared_ptr<const LensFrame>> {
        const auto text = read(reading);
        if (!text)
            return tl::unexpected(text.error());
        const auto histories = historiesUpTo(m_parts->run.folder.path(), step());
        if (!histories)
            return tl::unexpected(histories.error());
        auto frame = answersOf(*m_parts->model, {m_parts->run.data.get(), &*histories}, *text, {query}, step()).front();
        if (frame->data == nullptr)
            return fail(frame->trouble);
        return frame;
    });
}

Result<std::int64_t> Inspection::find(const std::string& text, std::int64_t from) const
{
    if (!m_parts->run.data)
        return tl::unexpected(noData());
    return findText(*m_parts->run.data, text, from);
}

std::vector<WatchedSignal> watchableSignals(const Graph& graph, const CheckedGraph& checked)
{
    std::vector<WatchedSignal> names;
    addSignals(graph, checked, "", names);
    return names;
}

} // namespace unroll
