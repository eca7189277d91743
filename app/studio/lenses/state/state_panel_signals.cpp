// SPDX-License-Identifier: GPL-3.0-or-later
// Which signals are shown, and what leaves the panel.
#include "app/studio/lenses/state/order_picker.h"
#include "app/studio/lenses/state/ranked_order.h"
#include "app/studio/lenses/state/state_panel.h"
#include "app/studio/lenses/state/state_saving.h"
#include "app/studio/theme/number_text.h"
#include "core/runs/run_names.h"

#include <QFileDialog>
#include <QFileInfo>
#include <algorithm>

namespace unroll {

namespace {

QString suffixOf(StateTools::Format format)
{
    switch (format) {
    case StateTools::Format::Png: return QStringLiteral("png");
    case StateTools::Format::Svg: return QStringLiteral("svg");
    case StateTools::Format::Csv: return QStringLiteral("csv");
    case StateTools::Format::Npz: break;
    }
    return QStringLiteral("npz");
}

} // namespace

/// Another signal of the node where it has one that is not shown yet.
void StatePanel::addSignal()
{
    if (m_stack->isFull())
        return;
    std::string name = signal();
    const auto isShown = [&](const std::string& other) {
        return other == signal() ||
               std::any_of(m_stack->sections().begin(), m_stack->sections().end(), [&](const SignalSection* section) {
                   return section->watched() == WatchedSignal{node(), other};
               });
    };
    for (const std::string& other : m_picker->signalsOfNode())
        if (!isShown(other)) {
            name = other;
            break;
        }
    SignalSection* section = m_stack->add(place(), name);
    section->picker().showWatched(node(), name);
    section->views().map().holdScale(!m_time->isFollowing());
    connect(section, &SignalSection::picked, this, [this] {
        m_dirty = true;
        m_stack->take();
        showIfNeeded();
    });
    m_stack->take();
    m_stack->showAt(m_time->isFollowing() || !m_shown ? std::nullopt : std::optional(m_shown->step));
    if (showsUpdate())
        showTime();
}

/// The next one takes its place.
void StatePanel::removeFirst()
{
    if (m_stack->sections().empty())
        return;
    SignalSection* next = m_stack->sections().front();
    const WatchedSignal watched = next->watched();
    m_stack->remove(next);
    m_picker->showWatched(watched.node, watched.signal);
}

/// Units that were selected elsewhere, of a signal that is not here: it is shown in the place of the first.
void StatePanel::showSelected()
{
    const ReadingCursor::Selection& selected = m_desk.cursor.selection();
    const WatchedSignal wanted{selected.node, selected.signal};
    if (selected.units.empty() || wanted.node.empty() || wanted == m_watched)
        return;
    for (const SignalSection* section : m_stack->sections())
        if (section->watched() == wanted)
            return;
    m_picker->showWatched(wanted.node, wanted.signal);
}

QJsonObject StatePanel::choices() const
{
    QJsonObject all;
    const auto put = [&](const char* name, int value) {
        if (value != 0) // as it is at first
            all.insert(name, value);
    };
    put("drawing", static_cast<int>(m_stack->drawing()));
    put("scale", static_cast<int>(m_stack->unitScale()));
    put("order", static_cast<int>(m_stack->order()));
    if (!isPinned())
        all.insert("pinned", false);
    return all;
}

void StatePanel::takeChoices(const QJsonObject& choices)
{
    m_drawing->choose(static_cast<StateDrawing>(choices.value("drawing").toInt()),
                      static_cast<UnitScale>(choices.value("scale").toInt()));
    m_order->choose(choices.value("order").toInt());
    setPinned(choices.value("pinned").toBool(true));
}

/// Another drawing, scale or order.
void StatePanel::showDrawn()
{
    m_tools->refresh();
    m_shows->setText(showsText());
    showReading({});
    if (hasInstead())
        Q_EMIT asked();
}

/// An order that the signal cannot have is by index, as it is drawn.
std::optional<LensQuery> StatePanel::comparedQuery() const
{
    if (!query() || !m_watched)
        return query();
    const bool can = map().isEmpty() || orderFault(map().data().cells(), m_stack->order()).empty();
    return stateQuery(*m_watched, can ? m_stack->order() : UnitOrder::Index, m_stack->unitScale());
}

/// What is not to be seen in the picture itself.
QString StatePanel::drawnText() const
{
    const HeatMapData& shown = map().data();
    const std::string fault = orderFault(shown.cells(), shown.order());
    if (!fault.empty() && shown.cells().heads == 0)
        return tr("by index: %1").arg(QString::fromStdString(fault));
    if (!m_ranked->shownText().isEmpty())
        return m_ranked->shownText();
    if (const QString units = m_stack->first().shownText(); !units.isEmpty())
        return units;
    const AxisZoom& rows = map().places().rows();
    if (m_stack->drawing() == StateDrawing::Map && rows.isPart())
        return tr("rows %1 to %2 of %3: scroll")
            .arg(rows.first() + 1)
            .arg(rows.last() + 1)
            .arg(countText(shown.cells().width));
    return {};
}

/// How the drawing is to be read.
QString StatePanel::readText() const
{
    switch (m_stack->drawing()) {
    case StateDrawing::Lines: return tr("a line is a unit");
    case StateDrawing::Text: return tr("the background of a step shows the value of the unit");
    case StateDrawing::Matrix: return tr("the matrices at the cursor");
    case StateDrawing::Map: break;
    }
    return QString::fromStdString(mapText(map().data().signal(), map().data().order()));
}

/// One line, also for a file.
QString StatePanel::showsText() const
{
    if (map().isEmpty())
        return {};
    const HeatMapData& shown = map().data();
    return QString::fromStdString(
        stateShows(shown.signal(), shown.frame().of, readText().toStdString(), shown.unitScale()));
}

void StatePanel::askForFile(StateTools::Format format)
{
    const QString suffix = suffixOf(format);
    auto* dialog = new QFileDialog(this, tr("Save the state"), m_folder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("%1 files (*.%2)").arg(suffix.toUpper(), suffix));
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile("state." + suffix);
    connect(dialog, &QFileDialog::fileSelected, this, [this, format](const QString& path) { save(format, path); });
    dialog->open();
}

/// Pictures are drawn here and now; numbers are written from copies of the snapshots.
void StatePanel::save(StateTools::Format format, const QString& path)
{
    if (const auto inRun = outsideRuns(path.toStdString()); !inRun) {
        Q_EMIT failed(tr("The state could not be saved. %1").arg(QString::fromStdString(inRun.error().text())));
        return;
    }
    if (map().isEmpty() || m_saving.isBusy())
        return;
    m_folder = QFileInfo(path).absolutePath();
    std::vector<std::shared_ptr<const StateData>> drawn;
    for (const SignalViews* views : m_stack->all())
        if (!views->map().isEmpty())
            drawn.push_back(drawnIn(views->map()));
    if (format == StateTools::Format::Csv)
        return m_saving.save(path, [drawn] { return stateCsv(drawn); });
    if (format == StateTools::Format::Png || format == StateTools::Format::Svg) {
        const QByteArray picture = format == StateTools::Format::Png
                                       ? statePng(*m_stack, showsText(), m_desk.appearance)
                                       : stateSvg(drawn, m_desk.appearance, m_stack->width());
        return m_saving.save(path, [picture] { return picture.toStdString(); });
    }
    if (const auto written = writeStateNpz(drawn, path.toStdString()); !written)
        Q_EMIT failed(tr("The state could not be saved. %1").arg(QString::fromStdString(written.error().text())));
    else
        Q_EMIT noted(tr("The state is saved in %1").arg(path));
}

} // namespace unroll
