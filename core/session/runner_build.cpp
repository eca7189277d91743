// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/runner.h"

#include "core/session/run_record.h"
#include "core/train/device.h"
#include "core/train/folder_lock.h"
#include "core/train/remedies.h"
#include "core/train/tensor_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace unroll {

void Runner::build()
{
    if (m_options.ended)
        return openEnded();
    setState(RunState::Building);
    if (auto prepared = prepare(); !prepared) {
        m_view.failure = prepared.error().text();
        if (!hasErrors(m_view.problems))
            problem("build", prepared.error().place, prepared.error().message);
        m_trainer.reset(); // what is only half there is not to be asked
        m_model.reset();
        setState(RunState::Failed);
        return;
    }
    m_view.canGoOn = m_trainer->done() && !m_best.closing;
    setState(m_view.canGoOn ? RunState::Finished : RunState::Paused);
}

/// It stays the run it was, whether its model can be had or not.
void Runner::openEnded()
{
    if (auto prepared = prepare(); prepared)
        publish(true);
    else
        giveUpEnded(prepared.error().text());
}

void Runner::giveUpEnded(const std::string& reason)
{
    m_trainer.reset();
    m_model.reset();
    m_view.problems = m_options.ended->problems;
    m_view.notOpened = reason;
    publish(true);
}

Result<void> Runner::prepare()
{
    // Before anything else of torch. Behind a window the next run may want a GPU that this one does not.
    const std::string wish =
        m_options.ended ? "auto" : m_experiment.training.device; // where it was trained may be gone
    auto device = openDevice(wish, m_options.behindWindow);
    if (!device) {
        problem("no-device", {}, device.error().text(), useCpu());
        return tl::unexpected(device.error());
    }
    if (!device->note.empty())
        note(device->note);
    if (m_experiment.training.precision == Precision::Tf32)
        setSinglePrecision(SinglePrecision::Tf32);
    keepTensorMemory();
    m_experiment.training.threads = prepareWorkerThread(m_experiment.training.threads, m_options.behindWindow);
    if (auto opened = openEarlier(); !opened)
        return opened;
    auto checked = checkAll(device->name);
    if (!checked)
        return tl::unexpected(checked.error());
    if (auto built = buildModel(*checked, device->name); !built)
        return built;
    if (auto loaded = loadInitialWeights(); !loaded)
        return loaded;
    if (auto opened = openRunFolder(device->name); !opened)
        return opened;
    describeRun(device->name);
    return {};
}

Result<void> Runner::openEarlier()
{
    if (!m_options.resume && !m_options.ended)
        return {};
    if (m_options.resume && FolderLock::isTaken(m_options.runFolder)) // said before anything is built
        return unroll::fail(fmt::format("{}: {}", holderWords(m_options.runFolder), m_options.runFolder));
    auto earlier = RunFolder::open(m_options.runFolder);
    if (!earlier)
        return tl::unexpected(earlier.error());
    m_earlier.emplace(std::move(*earlier));
    return {};
}

Result<CheckedGraph> Runner::checkAll(const std::string& device)
{
    DataCache cache(m_builders, m_earlier ? m_earlier->environment().learned() : LearnedData{});
    CheckedGraph checked = checkExperiment(m_experiment, m_registry, cache, device);
    if (!checked.runnable()) {
        m_view.problems = checked.diagnostics;
        const auto& all = checked.diagnostics;
        const auto first =
            std::find_if(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::Error; });
        return unroll::fail(first->sentence, nodePath(*first));
    }
    const CheckedNode& source = checked.nodes.at(checked.source);
    auto data = cache.open(source.spec->id, source.params, m_experiment.folder);
    if (!data)
        return tl::unexpected(data.error());
    m_data = *data;
    if (!m_options.ended)
        for (const Diagnostic& diagnostic : checked.diagnostics)
            if (diagnostic.code == "few-targets") { // of the data, and not of the graph that was drawn
                m_view.problems.push_back(diagnostic);
                note(diagnostic.sentence);
            }
    return checked;
}

Result<void> Runner::buildModel(const CheckedGraph& checked, const std::string& device)
{
    auto model = Model::build(m_experiment.graph, checked, m_registry, m_builders, m_experiment.seed);
    if (!model)
        return tl::unexpected(model.error());
    m_model = std::move(*model);
    m_model->to(at::Device(device));
    const BlockSpec& loss = *checked.nodes.at(checked.loss).spec;
    m_view.measures = measuresOf(checked, *m_data);
    if (!loss.signalSpecs.empty()) // a head first shows what it tells, in the units of its targets
        m_compared = {m_experiment.graph.find(checked.loss)->name, loss.signalSpecs.front().name};
    m_trainer = std::make_unique<Trainer>(m_experiment, *m_model, *m_data);
    return {};
}

Result<void> Runner::loadInitialWeights()
{
    if (const auto kept = std::exchange(m_options.keptWeights, {}))
        noteInitialWeights(takeWeights(*kept, *m_model, legendOf(*m_data)), kept->origin, "run");
    if (m_options.initialWeights.empty())
        return {};
    auto report = initialWeights(m_options.initialWeights, *m_model, legendOf(*m_data));
    if (!report)
        return tl::unexpected(report.error());
    noteInitialWeights(std::move(*report), m_options.initialWeights, "file");
    return {};
}

void Runner::noteInitialWeights(WeightReport report, const std::string& origin, const std::string& there)
{
    note(fmt::format("initial weights from {}: {} loaded, {} not in the {}, {} not in the model, {} that do not match",
                     origin, report.taken(), report.missing.size(), there, report.unexpected.size(),
                     report.mismatched.size()));
    for (const std::string& line : report.notes)
        note(line);
    for (const SymbolMatch& match : report.bySymbol)
        note(match.text());
    for (const std::string& name : report.missing)
        note(fmt::format("not in the {}: {}", there, name));
    for (const std::string& name : report.unexpected)
        note("not in the model: " + name);
    for (const Misfit& misfit : report.mismatched)
        note("does not match: " + misfit.text(there));
    m_view.initialWeights = std::make_shared<const WeightReport>(std::move(report));
}

Result<void> Runner::openRunFolder(const std::string& device)
{
    if (m_options.ended)
        return readEarlier().map([](const RunProgress&) {});
    if (m_options.runFolder.empty())
        return {};
    RunEnvironment environment = unroll::describeRun(*m_data, device, m_experiment.training.threads, m_experiment.seed);
    environment.measures = m_view.measures;
    if (isInNats(m_view.measures.lossUnit)) {
        environment.entropyFloor = m_data->entropyFloor(m_trainer->portion(Split::Validation));
        environment.sliceFloor = m_data->entropyFloor(slice());
        environment.entropyExpected = m_data->entropyExpected(Split::Validation);
    }
    if (m_earlier)
        return resume(environment);
    auto folder = RunFolder::create(m_options.runFolder, m_experiment, environment, m_options.anew);
    if (!folder)
        return tl::unexpected(folder.error());
    takeFolder(std::move(*folder));
    return {};
}

/// From here on the run is written; what was noted so far joins its log.
void Runner::takeFolder(RunFolder folder)
{
    m_folder.emplace(std::move(folder));
    for (const std::string& line : m_view.log)
        m_folder->log(line);
}

/// The newest checkpoint that can be read; what is wrong with newer ones is noted.
Result<RunProgress> Runner::readNewest(const RunCheckpoints& checkpoints)
{
    Result<RunProgress> progress = unroll::fail("has no checkpoint to resume from", m_options.runFolder);
    for (const CheckpointPlace& place : checkpoints.all()) {
        auto read = readCheckpoint(place.folder.string(), m_experiment.training.learningRate, *m_model, *m_trainer);
        if (!read) {
            progress = tl::unexpected(read.error());
            note("skipped checkpoint: " + read.error().text());
            continue;
        }
        for (const std::string& line : read->notes)
            note(line);
        return read->progress;
    }
    return progress;
}

/// Says what is otherwise than when the run was written last.
void Runner::noteChanges(const RunEnvironment& environment)
{
    const Experiment& before = m_earlier->experiment();
    for (const ParamSpec& spec : trainSettingSpecs()) {
        const std::string was = paramText(trainSetting(before.training, spec.name));
        const std::string is = paramText(trainSetting(m_experiment.training, spec.name));
        if (was != is)
            note(fmt::format("training.{}: {} before, {} from now on", spec.name, was, is));
    }
    if (!(before.graph == m_experiment.graph))
        note("the graph's parameters differ from the checkpoint's");
    const std::string& hash = m_earlier->environment().dataHash;
    if (hash != environment.dataHash)
        note(fmt::format("the data has changed: {}", environment.data));
}

/// A rate that was on its way never jumps unasked, and what it does is said wherever it is not what it would have been.
void Runner::continueSchedule(const RunProgress& progress)
{
    const TrainSettings &training = m_experiment.training, &before = m_earlier->experiment().training;
    const SchedulePlan plan = progress.plan.value_or(SchedulePlan{0, before.steps});
    const double would = scheduledRate(before, plan, progress.peakLearningRate, progress.step);
    const bool moreOrLess = training.steps != before.steps;
    const bool asked = m_options.schedule.has_value();
    m_trainer->setPlan(asked || moreOrLess ? continued(training, plan, m_trainer->peakLearningRate(), progress.step,
                                                       m_options.schedule.value_or(training.continuation))
                                           : plan);
    const double is = m_trainer->nextLearningRate();
    const bool cosine = training.schedule == ScheduleKind::Cosine;
    if (m_trainer->done() || (is == would && !asked && !(moreOrLess && cosine)))
        return;
    static const char* const words[] = {"keep", "stretch", "restart"};
    std::string line = scheduleWords(training, m_trainer->plan(), m_trainer->peakLearningRate(), progress.step);
    if (cosine && (asked || moreOrLess))
        line += fmt::format(" (schedule_on_resume: {}; choices: keep, stretch, restart)",
                            words[static_cast<int>(m_options.schedule.value_or(training.continuation))]);
    if (is != would)
        line += fmt::format("; it would have been {:.4g} now", would);
    note(line);
}

/// Model and trainer as they were, on data that means the same.
Result<RunProgress> Runner::readEarlier()
{
    if (auto same = sameMeaning(*m_data, m_earlier->environment()); !same)
        return tl::unexpected(same.error());
    return readNewest(m_earlier->checkpoints());
}

Result<void> Runner::resume(const RunEnvironment& environment)
{
    auto progress = readEarlier();
    if (!progress)
        return tl::unexpected(progress.error());
    if (const std::int64_t steps = m_experiment.training.steps;
        steps != m_earlier->experiment().training.steps && steps < progress->step)
        return unroll::fail(
            fmt::format("the run is already at step {}, and training.steps is {}: set more steps to continue",
                        progress->step, steps));
    m_best = *progress;
    if (!m_trainer->done() && !outOfPatience())
        m_best.closing.reset(); // there is more to train now
    if (auto resumed = m_earlier->resumeAt(progress->step - (m_best.closing ? 1 : 0)); !resumed)
        return resumed;
    noteChanges(environment);
    continueSchedule(*progress);
    m_earlier->adopt(m_experiment, environment);
    takeFolder(std::move(*m_earlier));
    m_earlier.reset();
    m_secondsBefore = progress->seconds;
    m_row = m_best.closing;
    m_rowIsDue = m_row.has_value();
    m_checkpointed = m_row ? -1 : progress->step; // that one lacks the evaluation
    m_view.step = progress->step;
    m_view.samples = newestSamples(m_options.runFolder);
    m_view.bestValidationLoss = progress->bestValidationLoss;
    m_view.bestStep = progress->bestStep;
    note(fmt::format("resumed at step {}", progress->step));
    return {};
}

void Runner::describeRun(const std::string& device)
{
    if (!m_options.ended) { // which stays on what it was trained on
        m_view.device = deviceWords(device, m_experiment.training.threads);
        m_view.steps = std::max(m_experiment.training.steps, m_view.step);
        m_view.runFolder = m_options.runFolder;
    }
    const Portion whole = m_trainer->portion(Split::Validation);
    for (const auto& [portion, into] : {std::pair(slice(), &m_view.baseline), {whole, &m_view.finalBaseline}})
        if (auto baseline = m_data->baseline(portion); baseline && baseline->unit == m_view.measures.lossUnit)
            *into = std::move(baseline);
    if (isInNats(m_view.measures.lossUnit)) {
        m_view.entropyFloor = m_data->entropyFloor(slice());
        m_view.finalFloor = m_data->entropyFloor(whole);
        m_view.entropyExpected = m_data->entropyExpected(Split::Validation);
    }
    for (const std::string& line : m_data->notices())
        note(line);
    takeProbeText(m_experiment.probeText);
}

} // namespace unroll
