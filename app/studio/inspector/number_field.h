// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/spec.h"

#include <QAbstractSpinBox>
#include <optional>

namespace unroll {

/// Edits a whole or real number with a point whatever the locale. Takes any number, also one out of range: whether it will do is said by the
/// check, in words. Up and down step by one (with Ctrl: double and halve); reals step by a tenth of their size.
class NumberField : public QAbstractSpinBox {
    Q_OBJECT
public:
    NumberField(bool isWhole, const QString& unit, QWidget* parent = nullptr);

    void setNumber(const ParamValue& value);
    std::optional<ParamValue> number() const; ///< nothing while the text is no number

    void stepBy(int steps) override;
    QValidator::State validate(QString& text, int& position) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void edited(const unroll::ParamValue& value);

protected:
    StepEnabled stepEnabled() const override { return StepUpEnabled | StepDownEnabled; }
    void wheelEvent(QWheelEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    bool m_whole;
    QString m_unit;
};

} // namespace unroll
