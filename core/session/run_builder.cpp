// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/run_builder.h"

#include "core/experiment/data_cache.h"
#include "core/experiment/remedies.h"
#include "core/runs/folder_lock.h"
#include "core/session/run_ranks.h"
#include "core/session/run_record.h"
#include "core/train/checkpoint.h"
#include "core/train/device.h"
#include "core/train/tensor_memory.h"
#include "core/train/trained_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace unroll {

RunBuilder::RunBuilder(Experiment& experiment, const BlockRegistry& registry, const Builders& builders,
                       SessionOptions& options, RunParts& parts, RunReport& report, Checkpointing& checkpoints)
    : m_experiment(experiment),
      m_registry(registry),
      m_builders(builders),
      m_options(options),
      m_parts(parts),
      m_report(report),
      m_checkpoints(checkpoints)
{}

Result<void> RunBuilder::build()
{
    const auto device = openMachine();
    if (!device)
        return tl::unexpected(device.error());
    if (auto opened = openEarlier(); !opened)
        return opened;
    setThreads();
    const auto machine = chooseMachine(*device);
    if (!machine)
        return tl::unexpected(machine.error());
    auto checked = checkAll(*device);
    if (!checked)
        return tl::unexpected(checked.error());
    if (auto built = buildModel(*checked, *device); !built)
        return built;
    if (auto loaded = loadInitialWeights(); !loaded)
        return loaded;
    if (auto opened = openRunFolder(*machine); !opened)
        return opened;
    if (auto same = demandSameRun(m_parts, m_experiment); !same)
        return same;
    describeRun(*device);
    return {};
}

/// The device, and the other ranks, who hear from here on why one of them cannot begin.
Result<std::string> RunBuilder::openMachine()
{
    // Before anything else of torch. Behind a window the next run may want a GPU that this one does not.
    const std::string wish =
        m_options.ended ? "auto" : m_experiment.training.device; // where it was trained may be gone
    auto device = openDevice(wish, m_options.behindWindow);
    if (!device) {
        m_report.problem("no-device", {}, device.error().text(), useCpu());
        return tl::unexpected(device.error());
    }
    if (!device->note.empty())
        m_report.note(device->note);
    if (m_experiment.training.precision == Precision::Tf32)
        setSinglePrecision(SinglePrecision::Tf32);
    keepTensorMemory();
    auto mine = deviceOfRank(m_options, wish, device->name);
    if (!mine)
        return mine;
    auto ranks = joinRanks(m_options, m_experiment.training, *mine);
    if (!ranks)
        return tl::unexpected(ranks.error());
    m_parts.ranks = std::move(*ranks);
    return mine;
}

/// What was the share of a machine among other ranks is not kept by a run that goes on.
void RunBuilder::setThreads()
{
    std::int64_t& threads = m_experiment.training.threads;
    const std::int64_t ranks = m_parts.ranks ? m_parts.ranks->size() : 1;
    const bool isOfOthers = m_earlier && !m_options.ended && m_earlier->environment().ranks != ranks &&
                            m_earlier->environment().threads == threads;
    threads = prepareWorkerThread(isOfOthers ? 0 : threads, m_options.behindWindow,
                                  m_parts.ranks ? m_options.ranks->localSize : 1);
}

Result<void> RunBuilder::openEarlier()
{
    if (!m_options.resume && !m_options.ended)
        return {};
    if (m_options.resume && m_parts.leads() &&
        FolderLock::isTaken(m_options.runFolder)) // said before anything is built
        return unroll::fail(fmt::format("{}: {}", holderText(m_options.runFolder), m_options.runFolder));
    auto earlier = RunFolder::open(m_options.runFolder);
    if (!earlier)
        return tl::unexpected(earlier.error());
    m_earlier.emplace(std::move(*earlier));
    if (m_parts.ranks)
        (void)m_parts.ranks->decide(true); // all have read before rank 0 writes there
    return {};
}

/// A run that has ended is only read; on a GPU the setting has no say.
Result<Machine> RunBuilder::chooseMachine(const std::string& device)
{
    const Products wanted = m_experiment.training.products;
    const std::string before = m_earlier ? m_earlier->environment().products : "";
    const std::int64_t threads = m_experiment.training.threads;
    if (m_options.ended || device != "cpu")
        return Machine{device, threads, device == "cpu" ? chooseProductsToRead(wanted, before).name : ""};
    const auto products = chooseProducts(wanted, before);
    if (!products)
        return tl::unexpected(products.error());
    if (!products->note.empty())
        m_report.note(products->note);
    return Machine{device, threads, products->name};
}

Result<CheckedGraph> RunBuilder::checkAll(const std::string& device)
{
    DataCache own(m_builders, m_earlier ? m_earlier->environment().learned() : LearnedData{});
    DataCache& cache = m_options.data != nullptr && !m_earlier ? *m_options.data : own;
    CheckedGraph checked = checkExperiment(m_experiment, m_registry, cache, device);
    if (!checked.runnable()) {
        m_report.view().problems = checked.diagnostics;
        const auto& all = checked.diagnostics;
        const auto first =
            std::find_if(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::Error; });
        return unroll::fail(first->sentence, nodePath(*first));
    }
    const CheckedNode& source = checked.nodes.at(checked.source);
    auto data = cache.open(source.spec->id, source.params, m_experiment.folder);
    if (!data)
        return tl::unexpected(data.error());
    m_parts.data = *data;
    if (!m_options.ended)
        for (const Diagnostic& diagnostic : checked.diagnostics)
            if (diagnostic.code == "few-targets") { // of the data, and not of the graph that was drawn
                m_report.view().problems.push_back(diagnostic);
                m_report.note(diagnostic.sentence);
            }
    return checked;
}

Result<void> RunBuilder::buildModel(const CheckedGraph& checked, const std::string& device)
{
    auto model = Model::build(m_experiment.graph, checked, m_registry, m_builders, m_experiment.seed);
    if (!model)
        return tl::unexpected(model.error());
    m_parts.model = std::move(*model);
    m_parts.model->to(at::Device(device));
    m_report.view().measures = measuresOf(checked, *m_parts.data);
    m_parts.trainer = std::make_unique<Trainer>(m_experiment, *m_parts.model, *m_parts.data, m_parts.ranks.get());
    return {};
}

Result<void> RunBuilder::loadInitialWeights()
{
    if (const auto kept = std::exchange(m_options.keptWeights, {}))
        noteInitialWeights(takeWeights(*kept, *m_parts.model, legendOf(*m_parts.data)), kept->origin, "run");
    if (m_options.initialWeights.empty())
        return {};
    auto report = initialWeights(m_options.initialWeights, *m_parts.model, legendOf(*m_parts.data));
    if (!report)
        return tl::unexpected(report.error());
    noteInitialWeights(std::move(*report), m_options.initialWeights, "file");
    return {};
}

void RunBuilder::noteInitialWeights(WeightReport report, const std::string& origin, const std::string& there)
{
    m_report.note(fmt::format(
        "initial weights from {}: {} loaded, {} not in the {}, {} not in the model, {} that do not match", origin,
        report.taken(), report.missing.size(), there, report.unexpected.size(), report.mismatched.size()));
    for (const std::string& line : report.notes)
        m_report.note(line);
    for (const SymbolMatch& match : report.bySymbol)
        m_report.note(match.text());
    for (const std::string& name : report.missing)
        m_report.note(fmt::format("not in the {}: {}", there, name));
    for (const std::string& name : report.unexpected)
        m_report.note("not in the model: " + name);
    for (const Misfit& misfit : report.mismatched)
        m_report.note("does not match: " + misfit.text(there));
    m_report.view().initialWeights = std::make_shared<const WeightReport>(std::move(report));
}

Result<void> RunBuilder::openRunFolder(const Machine& machine)
{
    if (m_options.ended)
        return readEarlier().map([](const RunProgress&) {});
    if (m_options.runFolder.empty())
        return {};
    RunEnvironment environment = unroll::describeRun(*m_parts.data, machine, m_experiment.seed);
    environment.measures = m_report.view().measures;
    if (isInNats(m_report.view().measures.lossUnit)) {
        environment.entropyFloor = m_parts.data->entropyFloor(m_parts.trainer->portion(Split::Validation));
        environment.sliceFloor = m_parts.data->entropyFloor(evaluatedSlice(m_parts, m_experiment.training));
        environment.entropyExpected = m_parts.data->entropyExpected(Split::Validation);
    }
    environment.tags = m_options.tags.empty() && m_earlier ? m_earlier->environment().tags : m_options.tags;
    environment.trial = m_options.trial.empty() && m_earlier ? m_earlier->environment().trial : m_options.trial;
    environment.ranks = m_parts.ranks ? m_parts.ranks->size() : 1;
    if (m_earlier)
        return resume(environment);
    if (!m_parts.leads())
        return {};
    auto folder = RunFolder::create(m_options.runFolder, m_experiment, environment, m_options.anew);
    if (!folder)
        return tl::unexpected(folder.error());
    m_report.takeFolder(std::move(*folder));
    return {};
}

/// Says what is otherwise than when the run was written last.
void RunBuilder::noteChanges(const RunEnvironment& environment)
{
    const Experiment& before = m_earlier->experiment();
    for (const ParamSpec& spec : trainSettingSpecs()) {
        const std::string was = paramText(trainSetting(before.training, spec.name));
        const std::string is = paramText(trainSetting(m_experiment.training, spec.name));
        if (was != is)
            m_report.note(fmt::format("training.{}: {} before, {} from now on", spec.name, was, is));
    }
    if (!(before.graph == m_experiment.graph))
        m_report.note("the graph's parameters differ from the checkpoint's");
    const std::string& hash = m_earlier->environment().dataHash;
    if (hash != environment.dataHash)
        m_report.note(fmt::format("the data has changed: {}", environment.data));
}

/// A rate that was on its way never jumps unasked, and what it does is said wherever it is not what it would have been.
void RunBuilder::continueSchedule(const RunProgress& progress)
{
    Trainer& trainer = *m_parts.trainer;
    const TrainSettings &training = m_experiment.training, &before = m_earlier->experiment().training;
    const SchedulePlan plan = progress.plan.value_or(planned(before));
    const double would = scheduledRate(before, plan, progress.peakLearningRate, progress.step);
    const bool moreOrLess = training.steps != before.steps;
    const bool asked = m_options.schedule.has_value();
    trainer.setPlan(asked || moreOrLess ? continued(training, plan, trainer.peakLearningRate(), progress.step,
                                                    m_options.schedule.value_or(training.continuation))
                                        : plan);
    const double is = trainer.nextLearningRate();
    const bool cosine = training.schedule == ScheduleKind::Cosine;
    if (trainer.done() || (is == would && !asked && !(moreOrLess && cosine)))
        return;
    static const char* const words[] = {"keep", "stretch", "restart"};
    std::string line = scheduleText(training, trainer.plan(), trainer.peakLearningRate(), progress.step);
    if (cosine && (asked || moreOrLess))
        line += fmt::format(" (schedule_on_resume: {}; choices: keep, stretch, restart)",
                            words[static_cast<int>(m_options.schedule.value_or(training.continuation))]);
    if (is != would)
        line += fmt::format("; it would have been {:.4g} now", would);
    m_report.note(line);
}

/// Model and trainer as they were, on data that means the same.
Result<RunProgress> RunBuilder::readEarlier()
{
    if (auto same = sameMeaning(*m_parts.data, m_earlier->environment()); !same)
        return tl::unexpected(same.error());
    if (!m_options.ended || m_options.checkpoint == kNewestCheckpoint)
        return m_checkpoints.read(m_earlier->checkpoints().all());
    const auto place = chooseCheckpoint(*m_earlier, m_options.checkpoint);
    return place ? m_checkpoints.read({*place}) : Result<RunProgress>(tl::unexpected(place.error()));
}

Result<void> RunBuilder::resume(const RunEnvironment& environment)
{
    auto progress = readEarlier();
    if (!progress)
        return tl::unexpected(progress.error());
    if (const std::int64_t steps = m_experiment.training.steps;
        steps != m_earlier->experiment().training.steps && steps < progress->step)
        return unroll::fail(
            fmt::format("the run is already at step {}, and training.steps is {}: set more steps to continue",
                        progress->step, steps));
    m_parts.progress = *progress;
    if (!m_parts.trainer->done() && !outOfPatience(m_parts.progress, m_experiment.training))
        m_parts.progress.closing.reset(); // there is more to train now
    if (m_parts.leads())
        if (auto resumed = m_earlier->resumeAt(progress->step - (m_parts.progress.closing ? 1 : 0)); !resumed)
            return resumed;
    noteChanges(environment);
    continueSchedule(*progress);
    if (m_parts.leads()) {
        m_earlier->adopt(m_experiment, environment);
        m_report.takeFolder(std::move(*m_earlier));
    }
    m_earlier.reset();
    m_report.setSecondsBefore(progress->seconds);
    m_report.setRow(m_parts.progress.closing);
    Snapshot& view = m_report.view();
    view.checkpointed = m_report.row() ? -1 : progress->step; // that one lacks the evaluation
    view.step = progress->step;
    view.samples = newestSamples(m_options.runFolder);
    view.bestValidationLoss = progress->bestValidationLoss;
    view.bestStep = progress->bestStep;
    m_report.note(fmt::format("resumed at step {}", progress->step));
    return {};
}

void RunBuilder::describeRun(const std::string& device)
{
    Snapshot& view = m_report.view();
    const Portion slice = evaluatedSlice(m_parts, m_experiment.training);
    if (!m_options.ended) { // which stays on what it was trained on
        view.device = deviceText(device, m_experiment.training.threads);
        view.ranks.count = m_parts.ranks ? m_parts.ranks->size() : 1;
        if (m_parts.ranks)
            view.device += fmt::format(", {} ranks", view.ranks.count);
        view.steps = std::max(m_experiment.training.steps, view.step);
        view.runFolder = m_parts.leads() ? m_options.runFolder : std::string();
    }
    const Portion whole = m_parts.trainer->portion(Split::Validation);
    for (const auto& [portion, into] : {std::pair(slice, &view.baseline), {whole, &view.finalBaseline}})
        if (auto baseline = m_parts.data->baseline(portion); baseline && baseline->unit == view.measures.lossUnit)
            *into = std::move(baseline);
    if (const std::string why = m_parts.data->whyNoBaseline(whole); !view.finalBaseline && !why.empty())
        m_report.note(fmt::format("no baseline: {}", why));
    if (isInNats(view.measures.lossUnit)) {
        view.entropyFloor = m_parts.data->entropyFloor(slice);
        view.finalFloor = m_parts.data->entropyFloor(whole);
        view.entropyExpected = m_parts.data->entropyExpected(Split::Validation);
    }
    for (const std::string& line : m_parts.data->notices())
        m_report.note(line);
}

} // namespace unroll
