// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"
#include "app/studio/run/run_controller.h"

#include <QAction>
#include <functional>

namespace unroll {

class Appearance;
class MessageBar;

/// The commands of a run as actions with their keys.
struct RunActions {
    QAction* run;
    QAction* pause;
    QAction* step;
    QAction* stop;
    QAction* resume; ///< continues a run that was paused or has ended
    QAction* restart;
    QAction* keepWeights;
    QAction* showKept; ///< what the run took over from the one before
};

/// Texts and actions of the run commands in each state. Run begins one, pauses it or goes on with it; Resume and Step
/// go on with one that has ended too. Where the document has changes that the run does not train, they ask in the
/// message bar what is wanted. Nothing here waits.
class RunCommands : public QObject {
    Q_OBJECT
public:
    /// `options` makes those of a run that begins now.
    RunCommands(Document& document, RunController& controller, MessageBar& messages, const RunActions& actions,
                const Appearance& appearance, std::function<SessionOptions()> options, QWidget* window);

    /// The document would be trained otherwise than the run in progress is: what waits for the next run.
    bool hasChanges() const { return m_hasChanges; }
    /// The run that is shown has ended and can go on: Run begins another one, so that Resume stands beside it.
    bool offersResume() const { return !m_controller.isUnderWay() && canResume(); }
    /// Says what went wrong, with a button for what may help.
    void tellTrouble(const QString& sentence);
    /// All that the Run command may be called.
    static QStringList runTexts();

Q_SIGNALS:
    void hasChangesChanged();
    void refused(); ///< the graph cannot be trained: Problems says why
    /// The run that is shown is to go on from its newest checkpoint on disk: so many steps, or to its end (0).
    void resumeAsked(std::int64_t steps);

private:
    void finishTyping();
    void run();
    void step();
    void resume();
    void goOn(std::int64_t steps);
    void goOnOrAsk(std::int64_t steps);
    bool hasCheckpoint() const;
    bool canResume() const;
    bool differs() const;
    void begin(std::int64_t steps);
    void restart(RunController::Weights weights);
    void ask();
    void offerAgain(const Fix& made);
    bool canTrain();
    void lookForChanges();
    void refresh();
    void sayRun(const QString& word);
    void tellKept();
    void showKept();
    QString runWord() const;

    Document& m_document;
    RunController& m_controller;
    MessageBar& m_messages;
    RunActions m_actions;
    const Appearance& m_appearance;
    std::function<SessionOptions()> m_options;
    QWidget* m_window;
    bool m_hasChanges = false;
    std::shared_ptr<const WeightReport> m_reported; ///< the newest report shown
};

} // namespace unroll
