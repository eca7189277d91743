// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/snapshot.h"

#include <QWidget>

namespace unroll {

class Appearance;

/// State, steps, speed, time left and device of a run, each in a place of fixed width, over a thin line of progress.
/// Where the run is written and what it noted stands in the tooltip, and in the description for screen readers.
class RunProgress : public QWidget {
    Q_OBJECT
public:
    explicit RunProgress(const Appearance& appearance, QWidget* parent = nullptr);

    void show(const Snapshot& snapshot, std::int64_t stepsPlanned);
    QString shownText() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {180, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QColor stateColor() const;

    const Appearance& m_appearance;
    RunState m_state = RunState::Idle;
    QString m_stateWord;
    QString m_steps;
    QString m_allSteps; ///< as it reads at the end
    QString m_speed;
    QString m_left;
    QString m_device;
    double m_share = 0; ///< of the run that is done
};

} // namespace unroll
