// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/inspector/typed_number.h"

#include <QAbstractSpinBox>
#include <QTimer>
#include <optional>

namespace unroll {

class FieldNote;

/// Edits a number. What is typed, pasted or dropped is taken as it is meant (see readNumber) or refused in words, and
/// never altered; the number itself is written with a point whatever the locale. Up and down step by one (with Ctrl:
/// double and halve); reals step by a tenth of their size. Undo and redo are the text's until it is finished, then the
/// document's.
class NumberField : public QAbstractSpinBox {
    Q_OBJECT
public:
    explicit NumberField(NumberKind kind, const QString& unit = {}, QWidget* parent = nullptr);

    static constexpr int kRestMilliseconds = 500;

    /// Steps stay within; a number typed beyond is refused with the range where `refuses`, and else left to who judges
    /// it, in words of its own.
    void setRange(std::optional<double> least, std::optional<double> most, bool refuses);
    /// What is wrong is said by a form around the field: see misread(). Otherwise a note below the field says it.
    void setWordsElsewhere();
    /// This number stands there as `words`, "all of them", which may be typed too.
    void setWordsFor(const Number& number, const QString& words);
    /// A number half typed stays as long as this says nothing new.
    void setNumber(const Number& value);
    /// There are several numbers: the field is empty and says so in `words`, until one is given.
    void setMixed(const QString& words);
    std::optional<Number> number() const; ///< nothing while the text is not a number that will do
    /// Ends the edit, as leaving the field does.
    void finish();

    void stepBy(int steps) override;
    QValidator::State validate(QString& text, int& position) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

Q_SIGNALS:
    void edited(const unroll::Number& value); ///< at every key, also of a number half typed
    /// Why the text will not do, while it is typed and once it has given way to the number before; empty when all is
    /// well again.
    void misread(const QString& words);
    /// The number is whole: focus left, Enter, or steps came to rest. Text that is not a number has given way to the
    /// number before.
    void finished();

protected:
    StepEnabled stepEnabled() const override;
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    tl::expected<TypedNumber, QString> typed() const;
    bool isWithin(const Number& value) const;
    QString paramRangeText() const;
    std::optional<Number> stepped(const Number& from, int steps) const;
    bool handleDrop(QEvent& event);
    QString written(const Number& value) const;
    void write(const Number& value);
    void read();
    void tell(const QString& words);

    NumberKind m_kind;
    QString m_unit;
    std::optional<double> m_least, m_most;
    bool m_refuses = false;
    bool m_isMixed = false;
    std::optional<Number> m_named; ///< written as m_words
    QString m_words;
    FieldNote* m_note;
    QTimer m_rest;                  ///< since the last step
    std::optional<Number> m_known;  ///< the last number set or edited: the field shows it, or a text that is half typed
    std::optional<Number> m_before; ///< the last whole number
};

} // namespace unroll
