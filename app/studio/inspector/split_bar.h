// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace unroll {

class Appearance;

/// Training and validation in proportion, in the colours of their curves.
class SplitBar : public QWidget {
    Q_OBJECT
public:
    explicit SplitBar(const Appearance& appearance, QWidget* parent = nullptr);

    /// Sizes in one unit, at least one above 0. However small, a part that is there shows.
    void setParts(double training, double validation);
    double validationShare() const { return m_validation; } ///< 0..1

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Appearance& m_appearance;
    double m_validation = 0;
};

} // namespace unroll
