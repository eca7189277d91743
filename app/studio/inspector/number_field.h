// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/block/spec.h"

#include <QAbstractSpinBox>
#include <QTimer>
#include <optional>

namespace unroll {

/// Edits a whole or real number with a point whatever the locale. Takes any number, also one out of range: whether it will do is said by the
/// check, in words. Up and down step by one (with Ctrl: double and halve); reals step by a tenth of their size.
class NumberField : public QAbstractSpinBox {
    Q_OBJECT
public:
    NumberField(bool isWhole, const QString& unit, QWidget* parent = nullptr);

    static constexpr int restMilliseconds = 500;

    /// A number half typed stays as long as this says nothing new.
    void setNumber(const ParamValue& value);
    std::optional<ParamValue> number() const; ///< nothing while the text is no number
    /// Ends the edit, as leaving the field does.
    void finish();

    void stepBy(int steps) override;
    QValidator::State validate(QString& text, int& position) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void edited(const unroll::ParamValue& value); ///< at every key, also of a number half typed
    /// Why the text is no number, while it is typed and once it has given way to the number before; empty when a number is typed again.
    void misread(const QString& words);
    /// The number is whole: focus left, Enter, or steps came to rest. Text that is no number has given way to the number before.
    void finished();

protected:
    StepEnabled stepEnabled() const override { return StepUpEnabled | StepDownEnabled; }
    void wheelEvent(QWheelEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void write(const ParamValue& value);
    void read();
    QString complaint() const;

    bool m_whole;
    QString m_unit;
    QTimer m_rest; ///< since the last step
    std::optional<ParamValue>
        m_told; ///< the last number set or edited: the field shows it, or a text that is half typed
    std::optional<ParamValue> m_before; ///< the last whole number
};

} // namespace unroll
