// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/lens_panels.h"

#include "app/studio/theme/message_bar.h"
#include "app/studio/window/dock_titles.h"
#include "app/studio/window/layouts.h"
#include "app/studio/window/lens_panel.h"

#include <QMainWindow>
#include <QMenu>
#include <algorithm>
#include <utility>

namespace unroll {

namespace {

constexpr int kMostViews = 99; ///< of a lens, that a file of settings may ask for

/// State has a panel of its own.
QString firstPanelId(const std::string& lens)
{
    return lens == "state" ? QStringLiteral("state") : lensPanelId(lens, 1);
}

} // namespace

LensPanels::LensPanels(PanelSet& panels, const PanelContext& context, QMainWindow& window, DockTitles& titles,
                       std::function<void(Dock&)> showPanel)
    : QObject(&window),
      m_panels(panels),
      m_context(context),
      m_window(window),
      m_titles(titles),
      m_showPanel(std::move(showPanel))
{}

void LensPanels::fill(QMenu& menu)
{
    m_menu = &menu;
    for (const PanelSet::Panel& panel : m_panels.all())
        if (isLensPanel(panel.spec.id))
            menu.addAction(panel.dock->toggleViewAction());
    m_end = menu.addSeparator();
    for (const LensViewEntry& entry : lensViews()) {
        QAction* another = menu.addAction(tr("New %1 View").arg(entry.title()));
        another->setObjectName("new-lens-" + QString::fromStdString(entry.id));
        connect(another, &QAction::triggered, this, [this, id = entry.id] { addView(id); });
    }
}

void LensPanels::connectTo(MessageBar& messages)
{
    m_messages = &messages;
    for (const PanelSet::Panel& panel : m_panels.all())
        listen(panel);
}

void LensPanels::listen(const PanelSet::Panel& panel)
{
    auto* view = qobject_cast<LensPanel*>(panel.widget);
    if (view == nullptr || !m_messages)
        return;
    connect(view, &LensPanel::noted, m_messages, &MessageBar::showNote);
    connect(view, &LensPanel::failed, m_messages, &MessageBar::showError);
}

Dock& LensPanels::addView(const std::string& lens)
{
    int number = 2;
    while (m_panels.has(lensPanelId(lens, number)))
        ++number;
    Dock& dock = make(lens, number);
    m_showPanel(dock);
    refreshTitles(m_window, m_panels.docks());
    return dock;
}

Dock& LensPanels::make(const std::string& lens, int number)
{
    const PanelSet::Panel& panel = m_panels.add(lensPanel(lens, number), m_context, m_window);
    Dock& dock = *panel.dock;
    listen(panel);
    m_titles.follow(dock);
    if (m_menu)
        m_menu->insertAction(m_end, dock.toggleViewAction());
    Dock& first = m_panels.dock(firstPanelId(lens));
    const bool beside = !first.isHidden() && !first.isFloating();
    m_window.tabifyDockWidget(beside ? &first : &m_panels.dock("state"), &dock);
    return dock;
}

Dock* LensPanels::makeView(const QString& id)
{
    if (m_panels.has(id))
        return &m_panels.dock(id);
    const QStringList parts = id.split('.');
    bool isNumber = false;
    const int number = parts.size() == 3 ? parts[2].toInt(&isNumber) : 0;
    const auto& views = lensViews();
    const bool isLens = std::any_of(views.begin(), views.end(),
                                    [&](const LensViewEntry& entry) { return id == lensPanelId(entry.id, number); });
    if (!isNumber || number < 2 || number > kMostViews || !isLens)
        return nullptr;
    Dock& dock = make(parts[1].toStdString(), number);
    dock.hide();
    return &dock;
}

} // namespace unroll
