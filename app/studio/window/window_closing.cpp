// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/window_closing.h"

#include "app/studio/document/autosave.h"
#include "app/studio/run/run_controller.h"
#include "app/studio/theme/message_bar.h"
#include "app/studio/window/file_commands.h"

#include <QWidget>

namespace unroll {

WindowClosing::WindowClosing(QWidget& window, const Context& context)
    : QObject(&window), m_window(window), m_context(context)
{
    connect(&context.controller, &RunController::stateChanged, this, &WindowClosing::runStateChanged);
    connect(&context.controller, &RunController::runChanged, this, &WindowClosing::runStateChanged);
}

void WindowClosing::runStateChanged()
{
    if (m_waits && !m_context.controller.isUnderWay())
        m_window.close();
}

bool WindowClosing::mayClose()
{
    if (!m_waits && !m_context.files.maybeSave())
        return false;
    if (!m_context.controller.isUnderWay() || m_context.controller.outlivesWindow()) {
        m_context.autosave.drop();
        return true;
    }
    m_waits = true;
    m_context.controller.stop();
    m_context.messages.showError(tr("Saving the run …"));
    m_window.setEnabled(false); // what would be edited by now is lost
    return false;
}

} // namespace unroll
