// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/window/run_commands.h"

class QWidget;

namespace unroll {

class RunsPanel;
struct WindowActions;
struct StudioContext;

/// The actions that begin and end a run, joined to its commands; where a run that begins now is written, and how much
/// its views may take.
class TrainingActions : public QObject {
    Q_OBJECT
public:
    /// `before` is called as a run begins or goes on, before anything is said. All must outlive it; it belongs to the
    /// window.
    TrainingActions(const WindowActions& actions, Document& document, RunController& controller, MessageBar& messages,
                    const StudioContext& studio, const RunsPanel& runs, const std::function<void()>& before,
                    QWidget* window);

    const RunActions& actions() const { return m_actions; }
    RunCommands& commands() const { return *m_commands; }
    /// A .safetensors file that runs of this experiment begin with from now on (SessionOptions::initialWeights); empty:
    /// by their seed.
    void setInitialWeights(const QString& file);
    const QString& initialWeights() const { return m_initialWeights; }

private:
    SessionOptions options() const;

    RunActions m_actions;
    const Document& m_document;
    const StudioContext& m_studio;
    const RunsPanel& m_runs;
    RunCommands* m_commands;
    QString m_initialWeights;
    QString m_weightsOf; ///< file of the experiment that they are for
};

} // namespace unroll
