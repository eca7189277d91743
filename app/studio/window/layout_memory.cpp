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

/// By the panel's id; a text that is none of ours holds none.
QJsonObject keptChoices(const QSettings& settings)
{
    return QJsonDocument::fromJson(settings.value(kChoices).toString().toUtf8()).object();
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
        if (!m_panels.has(id) && m_lenses.makeView(id) != nullptr)
            recallChoices(m_panels.at(id));
    if (!restorePanels(m_window, state, kVersion))
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

/// Of views that are not in this window what was kept before stays.
void LayoutMemory::keepChoices() const
{
    QJsonObject all = keptChoices(m_settings);
    for (const PanelSet::Panel& panel : m_panels.all()) {
        QJsonObject choices;
        if (const auto* lens = qobject_cast<LensPanel*>(panel.widget))
            choices = lens->choices();
        else if (const auto* state = qobject_cast<StatePanel*>(panel.widget))
            choices = state->choices();
        if (choices.isEmpty())
            all.remove(panel.spec.id);
        else
            all.insert(panel.spec.id, choices);
    }
    m_settings.setValue(kChoices, QString::fromUtf8(QJsonDocument(all).toJson(QJsonDocument::Compact)));
}

void LayoutMemory::recallChoices() const
{
    for (const PanelSet::Panel& panel : m_panels.all())
        recallChoices(panel);
}

void LayoutMemory::recallChoices(const PanelSet::Panel& panel) const
{
    const QJsonObject choices = keptChoices(m_settings).value(QLatin1String(panel.spec.id)).toObject();
    if (choices.isEmpty())
        return;
    if (auto* lens = qobject_cast<LensPanel*>(panel.widget))
        lens->takeChoices(choices);
    else if (auto* state = qobject_cast<StatePanel*>(panel.widget))
        state->takeChoices(choices);
}

} // namespace unroll
