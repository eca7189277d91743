// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/unrolled_drawing.h"

#include <QWidget>

namespace unroll {

class Appearance;

/// A recurrent block unrolled: the same cell at five steps, what each reads and gives, and the state between them.
class UnrolledSketch : public QWidget {
    Q_OBJECT
public:
    UnrolledSketch(const BlockSpec& spec, const Appearance& appearance, QWidget* parent = nullptr);

    static constexpr int kSteps = kUnrolledSteps;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void drawStep(QPainter& painter, int step, double left, double right) const;

    const Appearance& m_appearance;
    QString m_cell, m_state;
};

} // namespace unroll
