// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/layout_memory.h"

#include "app/studio/lenses/state/state_panel.h"
#include "app/studio/window/layouts.h"
#include "app/studio/window/lens_panel.h"
#include "app/studio/window/lens_panels.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QMainWindow>

namespace unroll {

namespace {

constexpr int kVersion = 1; ///< of what QMainWindow keeps
constexpr const char* kChoices = "window/choices";

QString keyOf(const QString& layout, const char* what)
{
    return "window/layouts/" + layout + '/' + what;
}

/// The panels that every window has.
QStringList usualPanels(const PanelSet& panels)
{
    QStringList ids;
    for (const PanelSet::Panel& panel : panels.all())
        if (!isFurtherView(panel.spec.id))
            ids << panel.spec.id;
    return ids;
}

LensView* viewIn(const PanelSet::Panel& panel)
{
    return qobject_cast<StatePanel*>(panel.widget);
}

} // namespace

LayoutMemory::LayoutMemory(QMainWindow& window, const PanelSet& panels, LensPanels& lenses, QSettings& settings)
    : m_window(window), m_panels(panels), m_lenses(lenses), m_settings(settings)
{}

/// Further views that were closed are not opened again.
void LayoutMemory::keep(const QString& layout) const
{
    QStringList further;
    for (const PanelSet::Panel& panel : m_panels.all())
        if (isFurtherView(panel.spec.id) && !panel.dock->isHidden())
            further << panel.spec.id;
    m_settings.setValue(keyOf(layout, "panels"), usualPanels(m_panels));
    m_settings.setValue(keyOf(layout, "further"), further);
    m_settings.setValue(keyOf(layout, "state"), m_window.saveState(kVersion));
}

bool LayoutMemory::recall(const QString& layout) const
{
    const QByteArray state = m_settings.value(keyOf(layout, "state")).toByteArray();
    if (state.isEmpty() || m_settings.value(keyOf(layout, "panels")).toStringList() != usualPanels(m_panels))
        return false;
    const QStringList further = m_settings.value(keyOf(layout, "further")).toStringList();
    for (const QString& id : further)
        m_lenses.makeView(id);
    if (!m_window.restoreState(state, kVersion))
        return false;
    for (const PanelSet::Panel& panel : m_panels.all())
        if (isFurtherView(panel.spec.id) && !further.contains(panel.spec.id)) {
            panel.dock->setFloating(false);
            m_window.tabifyDockWidget(&m_panels.dock("state"), panel.dock);
            panel.dock->hide();
        }
    refreshTitles(m_window, m_panels.docks());
    return true;
}

void LayoutMemory::forget(const QString& layout) const
{
    m_settings.remove("window/layouts/" + layout);
}

void LayoutMemory::keepChoices() const
{
    QJsonObject all;
    for (const PanelSet::Panel& panel : m_panels.all()) {
        QJsonObject choices;
        if (const auto* lens = qobject_cast<LensPanel*>(panel.widget))
            choices = lens->choices();
        else if (const LensView* view = viewIn(panel))
            choices = view->choices();
        if (!choices.isEmpty())
            all.insert(panel.spec.id, choices);
    }
    m_settings.setValue(kChoices, QString::fromUtf8(QJsonDocument(all).toJson(QJsonDocument::Compact)));
}

/// A text that is none of ours says nothing.
void LayoutMemory::recallChoices() const
{
    const QJsonObject all = QJsonDocument::fromJson(m_settings.value(kChoices).toString().toUtf8()).object();
    for (auto each = all.begin(); each != all.end(); ++each) {
        if (!m_panels.has(each.key()))
            continue;
        const PanelSet::Panel& panel = m_panels.at(each.key());
        if (auto* lens = qobject_cast<LensPanel*>(panel.widget))
            lens->takeChoices(each.value().toObject());
        else if (LensView* view = viewIn(panel))
            view->takeChoices(each.value().toObject());
    }
}

} // namespace unroll
