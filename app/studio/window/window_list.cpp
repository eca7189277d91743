// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/window_list.h"

#include "app/studio/document/file_identity.h"
#include "app/studio/window/main_window.h"

#include <QApplication>
#include <QFileInfo>

namespace unroll {

namespace {

QList<QPointer<MainWindow>> allWindows()
{
    QList<QPointer<MainWindow>> windows;
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (auto* window = qobject_cast<MainWindow*>(widget))
            windows << window;
    return windows;
}

} // namespace

QList<QPointer<MainWindow>> visibleWindows()
{
    QList<QPointer<MainWindow>> windows = allWindows();
    windows.removeIf([](const QPointer<MainWindow>& window) { return !window->isVisible(); });
    return windows;
}

MainWindow* windowOf(const QString& file)
{
    for (const auto& window : visibleWindows())
        if (isSameFile(window->document().path(), file))
            return window;
    return nullptr;
}

bool bringWindowOf(const QString& run, const MainWindow& asking)
{
    for (const auto& window : allWindows()) {
        const RunController& controller = window->controller();
        const bool isSeen = window->isVisible() || controller.isUnderWay(); // nobody stops what no window shows
        if (window == &asking || !isSeen || controller.isRecord() || !controller.canBeAsked() ||
            !isSameFile(QString::fromStdString(controller.folder()), run))
            continue;
        bringForward(*window);
        window->messages().showNote(controller.isUnderWay()
                                        ? MainWindow::tr("%1 is trained in this window.").arg(QFileInfo(run).fileName())
                                        : MainWindow::tr("%1 is open in this window.").arg(QFileInfo(run).fileName()));
        return true;
    }
    return false;
}

void bringForward(QWidget& window)
{
    window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
    window.show();
    window.raise();
    window.activateWindow();
}

MainWindow& newWindow(StudioContext& studio)
{
    auto* window = new MainWindow(studio);
    window->setAttribute(Qt::WA_DeleteOnClose);
    return *window;
}

MainWindow& fittingWindow(MainWindow& asking)
{
    return asking.isFree() ? asking : newWindow(asking.studio());
}

} // namespace unroll
