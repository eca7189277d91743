// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/wire_norms.h"

#include "app/studio/canvas/graph_scene.h"
#include "app/studio/frames/training_time.h"
#include "app/studio/lenses/reading_cursor.h"
#include "app/studio/theme/number_text.h"

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

/// Three digits.
QString digits(double value)
{
    return QString::number(value, 'g', 3).replace('-', QChar(0x2212));
}

/// What the copies of a wire carry at one step.
struct NormRange {
    const OutputNorms* one = nullptr; ///< nullptr: no numbers of it are recorded
    std::size_t copies = 0;
    std::size_t finite = 0;
    double least = 0, most = 0; ///< of those that are finite

    void add(const OutputNorms& norms, std::int64_t step)
    {
        one = &norms;
        ++copies;
        const double norm = norms.at(step);
        if (!std::isfinite(norm))
            return;
        least = finite == 0 ? norm : std::min(least, norm);
        most = finite == 0 ? norm : std::max(most, norm);
        ++finite;
    }
};

} // namespace

WireNorms::WireNorms(QAction& onOff, const Sources& sources, QObject* parent)
    : QObject(parent), m_onOff(onOff), m_from(sources)
{
    onOff.setCheckable(true);
    RunController& run = m_from.controller;
    connect(&onOff, &QAction::toggled, this, &WireNorms::turn);
    connect(&run, &RunController::snapshotChanged, this, &WireNorms::take);
    connect(&run, &RunController::ticked, this, &WireNorms::fade);
    connect(&run, &RunController::stateChanged, this, &WireNorms::write);
    connect(&run, &RunController::runChanged, this, [this] {
        if (!m_from.controller.continuesRun()) {
            m_taken.reset();
            m_newest.reset();
        }
        write();
    });
    connect(&m_from.time, &TrainingTime::changed, this, &WireNorms::fetch);
    connect(&m_from.cursor, &ReadingCursor::changed, this, &WireNorms::write);
    connect(&m_from.scene, &GraphScene::pathChanged, this, &WireNorms::write);
    connect(&m_from.scene.document(), &Document::graphChanged, this, &WireNorms::write);
}

WireNorms::Norms WireNorms::normsOf(const LensFrame& frame)
{
    Norms norms{.outputs = {}, .steps = 0, .update = frame.step, .of = {}, .trouble = frame.trouble};
    const auto* data = dynamic_cast<const WiresData*>(frame.data.get());
    if (data == nullptr)
        return norms;
    norms.steps = data->steps;
    norms.of = data->of;
    for (const OutputNorms& output : data->outputs)
        norms.outputs[{output.node, output.port}] = output;
    return norms;
}

/// From the arrays of its figure, one an output: what crosses once has one number.
WireNorms::Norms WireNorms::normsOf(const KeptFrame& frame)
{
    Norms norms{.outputs = {}, .steps = 0, .update = frame.step, .of = frame.of, .trouble = {}};
    for (const FigureArray& array : frame.figure.arrays)
        norms.steps = std::max(norms.steps, static_cast<std::int64_t>(array.values.size()));
    for (const FigureArray& array : frame.figure.arrays)
        if (const std::size_t dot = array.name.rfind('.'); dot != std::string::npos) {
            const OutputPlace place{array.name.substr(0, dot), array.name.substr(dot + 1)};
            norms.outputs[place] = {.node = place.node,
                                    .port = place.port,
                                    .width = 0,
                                    .once = array.values.size() == 1,
                                    .norm = array.values};
        }
    return norms;
}

void WireNorms::turn()
{
    m_from.controller.ask(*this, m_onOff.isChecked() ? std::optional(wiresQuery()) : std::nullopt);
    take();
    fetch();
}

void WireNorms::take()
{
    if (!m_onOff.isChecked())
        return;
    auto frame = m_from.controller.snapshot()->frameOf(wiresQuery());
    if (!frame || frame == m_taken)
        return;
    m_taken = std::move(frame);
    m_newest = normsOf(*m_taken);
    m_age.start();
    write();
}

/// What was kept of the update that is shown. A strip of several has no place on a wire: there it is the newest.
void WireNorms::fetch()
{
    m_kept.reset();
    const KeptSeries* series = m_from.time.seriesOf(wiresQuery());
    if (m_onOff.isChecked() && m_from.time.shows() == TrainingTime::Shows::Update && series != nullptr)
        m_from.time.fetch(*this, *series, {m_from.time.update()}, [this](const Result<TrainingTime::Frames>& frames) {
            if (frames && !frames->empty() && frames->front())
                m_kept = normsOf(*frames->front());
            write();
        });
    else
        m_from.time.forget(*this);
    write();
}

const std::optional<WireNorms::Norms>& WireNorms::shown() const
{
    return m_from.time.shows() == TrainingTime::Shows::Update ? m_kept : m_newest;
}

/// Of a run that rests what came last is of now.
bool WireNorms::isOld() const
{
    return m_taken && m_from.controller.isTraining() && m_age.isValid() && m_age.hasExpired(kFreshFor);
}

void WireNorms::fade()
{
    if (m_onOff.isChecked() && isOld() != m_pale)
        write();
}

WireWords WireNorms::wordsFor(const PortRef& output) const
{
    const auto none = [](const QString& why) { return WireWords{tr("n/a"), tr("No norm: %1").arg(why), true}; };
    if (!shown())
        return none(m_from.time.shows() == TrainingTime::Shows::Update ? tr("none was kept of the update that is shown")
                                                                       : tr("there is no answer of the run yet"));
    if (!shown()->trouble.empty())
        return none(QString::fromStdString(shown()->trouble));
    return wordsOf(*shown(), output);
}

/// Of copies the smallest and the largest.
WireWords WireNorms::wordsOf(const Norms& norms, const PortRef& output) const
{
    const std::int64_t cursor = m_from.cursor.step();
    const std::int64_t step = cursor >= 0 && cursor < norms.steps ? cursor : norms.steps - 1;
    NormRange range;
    const GraphScene& scene = m_from.scene;
    for (const OutputPlace& place : outputPlaces(m_from.scene.document().graph(), scene.path(), output))
        if (const auto found = norms.outputs.find(place); found != norms.outputs.end())
            range.add(found->second, step);
    if (range.one == nullptr)
        return {tr("n/a"),
                tr("No norm: the values of this wire are not recorded (classes, masks, or not part of the run)."),
                true};
    const QString when = range.one->once ? tr("once for the whole reading") : tr("at step %1").arg(step + 1);
    const QString of = tr("of %1, update %2").arg(QString::fromStdString(norms.of), countText(norms.update));
    if (range.finite == 0)
        return {tr("n/a"), tr("No norm %1 %2: a value is not finite, or nothing is asked there").arg(when, of), true};
    const QString least = digits(range.least), most = digits(range.most);
    const QString tip = tr("L2 norm %1 %2").arg(when, of);
    return {least == most ? least : least + QChar(0x2013) + most,
            range.copies > 1 ? tr("%1; smallest and largest of %2 copies").arg(tip).arg(range.copies) : tip,
            m_pale && m_from.time.shows() != TrainingTime::Shows::Update};
}

void WireNorms::write()
{
    m_pale = isOld();
    std::map<PortRef, WireWords> words;
    const bool isAny = m_from.controller.canBeAsked() || m_kept;
    if (m_onOff.isChecked() && isAny)
        for (const Wire& wire : m_from.scene.shown().wires)
            if (!words.contains(wire.from))
                words[wire.from] = wordsFor(wire.from);
    m_from.scene.setWireWords(std::move(words));
}

} // namespace unroll
