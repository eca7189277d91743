// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/wire_norms.h"

#include "app/studio/canvas/graph_scene.h"
#include "app/studio/lenses/reading_cursor.h"
#include "app/studio/run/run_controller.h"
#include "app/studio/theme/number_text.h"
#include "core/lens/wires/wires.h"

#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

/// Three digits.
QString digits(double value)
{
    return QString::number(value, 'g', 3).replace('-', QChar(0x2212));
}

} // namespace

WireNorms::WireNorms(QAction& onOff, RunController& controller, ReadingCursor& cursor, GraphScene& scene,
                     QObject* parent)
    : QObject(parent), m_onOff(onOff), m_controller(controller), m_cursor(cursor), m_scene(scene)
{
    onOff.setCheckable(true);
    connect(&onOff, &QAction::toggled, this, &WireNorms::turn);
    connect(&controller, &RunController::snapshotChanged, this, &WireNorms::take);
    connect(&controller, &RunController::ticked, this, &WireNorms::fade);
    connect(&controller, &RunController::stateChanged, this, &WireNorms::write);
    connect(&controller, &RunController::runChanged, this, [this] {
        if (!m_controller.continuesRun()) {
            m_taken.reset();
            m_data.reset();
            m_norms.clear();
        }
        write();
    });
    connect(&cursor, &ReadingCursor::changed, this, &WireNorms::write);
    connect(&scene, &GraphScene::pathChanged, this, &WireNorms::write);
    connect(&scene.document(), &Document::graphChanged, this, &WireNorms::write);
}

void WireNorms::turn()
{
    m_controller.ask(*this, m_onOff.isChecked() ? std::optional(wiresQuery()) : std::nullopt);
    take();
    write();
}

void WireNorms::take()
{
    if (!m_onOff.isChecked())
        return;
    auto frame = m_controller.snapshot()->frameOf(wiresQuery());
    if (!frame || frame == m_taken)
        return;
    m_taken = std::move(frame);
    m_data = dataOf<WiresData>(m_taken);
    m_norms.clear();
    if (m_data)
        for (const OutputNorms& output : m_data->outputs)
            m_norms[{output.node, output.port}] = &output;
    m_age.start();
    write();
}

/// Of a run that rests what came last is of now.
bool WireNorms::isOld() const
{
    return m_taken && m_controller.isTraining() && m_age.isValid() && m_age.hasExpired(freshFor);
}

void WireNorms::fade()
{
    if (m_onOff.isChecked() && isOld() != m_pale)
        write();
}

const OutputNorms* WireNorms::normsAt(const OutputPlace& place) const
{
    const auto found = m_norms.find(place);
    return found == m_norms.end() ? nullptr : found->second;
}

/// Of copies the smallest and the largest.
WireWords WireNorms::wordsFor(const PortRef& output) const
{
    if (!m_data)
        return {tr("n/a"),
                m_taken ? tr("No norm: %1").arg(QString::fromStdString(m_taken->trouble))
                        : tr("No norm: there is no answer of the run yet"),
                true};
    const std::int64_t step =
        m_cursor.step() >= 0 && m_cursor.step() < m_data->steps ? m_cursor.step() : m_data->steps - 1;
    const OutputNorms* one = nullptr;
    double least = 0, most = 0;
    std::size_t finite = 0, copies = 0;
    for (const OutputPlace& place : outputPlaces(m_scene.document().graph(), m_scene.path(), output)) {
        const OutputNorms* norms = normsAt(place);
        if (norms == nullptr)
            continue;
        one = norms;
        ++copies;
        const double norm = norms->at(step);
        if (!std::isfinite(norm))
            continue;
        least = finite == 0 ? norm : std::min(least, norm);
        most = finite == 0 ? norm : std::max(most, norm);
        ++finite;
    }
    if (one == nullptr)
        return {tr("n/a"),
                tr("No norm: no numbers of this wire are recorded (classes and masks have none, nor has what the run "
                   "does not train)"),
                true};
    const QString when = one->once ? tr("once for the whole reading") : tr("at step %1").arg(step + 1);
    const QString of = tr("of %1, update %2").arg(QString::fromStdString(m_data->of), countText(m_taken->step));
    if (finite == 0)
        return {tr("n/a"), tr("No norm %1 %2: a value is not finite, or nothing is asked there").arg(when, of), true};
    const QString norm =
        digits(least) == digits(most) ? digits(least) : tr("%1 to %2").arg(digits(least), digits(most));
    return {tr("norm %1").arg(norm),
            copies > 1 ? tr("L2 norm %1 %2; smallest and largest of %3 copies").arg(when, of).arg(copies)
                       : tr("L2 norm of %1 numbers %2 %3").arg(one->width).arg(when, of),
            m_pale};
}

void WireNorms::write()
{
    m_pale = isOld();
    std::map<PortRef, WireWords> words;
    if (m_onOff.isChecked() && m_controller.canBeAsked())
        for (const Wire& wire : m_scene.shown().wires)
            if (!words.contains(wire.from))
                words[wire.from] = wordsFor(wire.from);
    m_scene.setWireWords(std::move(words));
}

} // namespace unroll
