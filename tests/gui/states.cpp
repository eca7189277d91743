// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/states.h"
#include "tests/gui/waiting.h"

#include <QApplication>
#include <QDialog>
#include <QPainter>

namespace unroll::test {

namespace {

void add(std::vector<StudioState>& all, std::vector<StudioState> more)
{
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

} // namespace

std::vector<StudioState> studioStates()
{
    std::vector<StudioState> all;
    add(all, startStates());
    add(all, panelStates());
    add(all, canvasStates());
    add(all, runStates());
    add(all, lensStates());
    add(all, runListStates());
    add(all, exportStates());
    add(all, importStates());
    add(all, tableStates());
    add(all, compareStates());
    add(all, raceStates());
    add(all, studyStates());
    add(all, fieldStates());
    return all;
}

QWidget& shownIn(Studio& studio)
{
    for (auto* dialog : studio.window.findChildren<QDialog*>())
        if (dialog->isVisible())
            return *dialog;
    return studio.window;
}

QImage pictureOf(Studio& studio)
{
    QWidget& shown = shownIn(studio);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    QPixmap picture = shown.grab();
    QPainter painter(&picture);
    for (QWidget* top : QApplication::topLevelWidgets())
        if (top->isVisible() && (top->inherits("QMenu") || top->inherits("QDockWidget")))
            painter.drawPixmap(top->mapToGlobal(QPoint()) - shown.mapToGlobal(QPoint()), top->grab());
    return picture.toImage();
}

void settle(const QWidget& window, int milliseconds)
{
    (void)comeToRest(window, milliseconds);
}

} // namespace unroll::test
