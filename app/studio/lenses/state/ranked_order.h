// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/in_sight.h"
#include "app/studio/run/run_controller.h"

#include <QObject>
#include <QPointer>
#include <memory>
#include <vector>

namespace unroll {

class StateStack;

/// Puts the rows of State in the order in which another lens ranks the units (core/lens/unit_ranking.h), while that is
/// chosen (UnitOrder::Given): asks the run for it, signal by signal, and places rows that stand by index. Rows that are
/// placed stay until they are to be put in order again.
class RankedOrder : public QObject {
    Q_OBJECT
public:
    /// `seen` is what has to be seen for the run to be asked; both references outlive it.
    RankedOrder(StateStack& stack, RunController& run, QWidget& seen);
    ~RankedOrder() override;

    /// Why the rows still stand by index; empty: they do not, or are not to be ranked.
    QString shownText() const { return m_words; }
    void refresh();

Q_SIGNALS:
    void changed(); ///< shownText()

private:
    void ask();
    QString place();

    StateStack& m_stack;
    QPointer<RunController> m_run;
    InSight* m_sight; ///< the widget's
    std::vector<LensQuery> m_queries;
    std::vector<std::unique_ptr<QObject>> m_askers; ///< one a query
    QString m_words;
};

} // namespace unroll
