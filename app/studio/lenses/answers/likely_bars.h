// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/frame.h"

#include <QWidget>
#include <vector>

namespace unroll {

class Appearance;

/// The likeliest classes with their probabilities as bars from 0 to 1; the one that came is set off.
class LikelyBars : public QWidget {
    Q_OBJECT
public:
    static constexpr int kRows = 5;

    explicit LikelyBars(const Appearance& appearance, QWidget* parent = nullptr);

    void setAnswer(const StepAnswer& answer); ///< one without classes: nothing is drawn
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {160, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double rowHeight() const;

    const Appearance& m_appearance;
    StepAnswer m_answer;
};

} // namespace unroll
