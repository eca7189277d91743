// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/snapshot.h"

#include <QWidget>

namespace unroll {

class Appearance;

/// State, steps, speed and time left of a run, each in a place of fixed width, over a thin line of progress.
class RunProgress : public QWidget {
    Q_OBJECT
public:
    explicit RunProgress(const Appearance& appearance, QWidget* parent = nullptr);

    void show(const Snapshot& snapshot, std::int64_t stepsPlanned);
    QString words() const;
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
    QString m_speed;
    QString m_left;
    double m_share = 0; ///< of the run that is done
};

} // namespace unroll
