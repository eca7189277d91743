// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/dock_titles.h"

#include "app/studio/document/document.h"
#include "app/studio/document/forecasts.h"
#include "app/studio/document/problems.h"
#include "app/studio/window/layouts.h"

namespace unroll {

DockTitles::DockTitles(QMainWindow& window, const PanelSet& panels, const Document& document, const Problems& problems)
    : QObject(&window), m_window(window), m_panels(panels), m_document(document), m_problems(problems)
{
    for (const Dock* dock : panels.docks())
        follow(*dock);
    connect(&document, &Document::checkedChanged, this, &DockTitles::nameSamples);
    connect(&problems, &Problems::changed, this, &DockTitles::countProblems);
}

/// A title hangs on where the others are too.
void DockTitles::follow(const Dock& dock)
{
    connect(&dock, &QDockWidget::visibilityChanged, this, &DockTitles::arrangeLater);
    connect(&dock, &QDockWidget::dockLocationChanged, this, &DockTitles::arrangeLater);
    connect(&dock, &QDockWidget::topLevelChanged, this, &DockTitles::arrangeLater);
}

void DockTitles::arrangeLater()
{
    QMetaObject::invokeMethod(
        this, [this] { refreshTitles(m_window, m_panels.docks()); }, Qt::QueuedConnection);
}

/// The number stands on the tab too: the panel may lie behind another. Notes ask for nothing.
void DockTitles::countProblems()
{
    const int count = m_problems.count(Severity::Error) + m_problems.count(Severity::Warning);
    m_panels.dock("problems").setWindowTitle(count == 0 ? tr("Problems") : tr("Problems (%1)").arg(count));
}

void DockTitles::nameSamples()
{
    m_panels.dock("samples").setWindowTitle(forecasts(m_document) ? tr("Forecast") : tr("Samples"));
}

} // namespace unroll
