// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/window_arrangement.h"

#include "app/studio/window/layouts.h"

namespace unroll {

namespace {

constexpr const char* kChosenLayout = "window/layout"; ///< in the settings: the one that was chosen last

} // namespace

WindowArrangement::WindowArrangement(QMainWindow& window, const PanelSet& panels, LensPanels& lenses,
                                     QSettings& settings)
    : QObject(&window),
      m_window(window),
      m_panels(panels),
      m_settings(settings),
      m_memory(window, panels, lenses, settings)
{}

bool WindowArrangement::arrange(const QString& layout)
{
    if (!applyLayout(layout, m_window, m_panels))
        return false;
    m_layout = layout;
    m_remembers = false;
    Q_EMIT arranged();
    return true;
}

bool WindowArrangement::show(const QString& layout)
{
    setRemembering(false);
    if (!arrange(layout))
        return false;
    m_memory.recall(layout);
    m_remembers = true;
    return true;
}

void WindowArrangement::choose(const QString& layout)
{
    show(layout);
    m_settings.setValue(kChosenLayout, layout);
}

void WindowArrangement::showChosen()
{
    m_memory.recallChoices();
    if (!show(m_settings.value(kChosenLayout).toString()))
        show("train");
}

void WindowArrangement::reset()
{
    m_memory.forget(m_layout);
    arrange(QString(m_layout));
    m_remembers = true;
}

/// Before a window is seen its panels have no size of their own.
void WindowArrangement::setRemembering(bool on)
{
    if (m_remembers && !on && m_window.isVisible()) {
        m_memory.keep(m_layout);
        m_memory.keepChoices();
    }
    m_remembers = on;
}

void WindowArrangement::end()
{
    setRemembering(false);
    m_memory.keepChoices();
}

} // namespace unroll
