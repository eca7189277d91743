// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/frame.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

namespace unroll {

/// Chooses what all lenses read: where it is from, which place or text, how many steps. Applied at Enter and when the
/// focus leaves. Of words that are looked for in the data, Enter again and a button go on to the next place.
class ReadingPicker : public QWidget {
    Q_OBJECT
public:
    explicit ReadingPicker(QWidget* parent = nullptr);

    void setReading(const ReadingRequest& reading); ///< shows it, unless its field is being written in
    ReadingRequest reading() const;
    /// Numbers are read: there is no text, and nothing is written.
    void setNumbers(bool numbers);

Q_SIGNALS:
    void chosen(const unroll::ReadingRequest& reading);

private:
    ReadingRequest::From from() const;
    void showField();
    void apply();
    void next();
    /// Of the field, for a place: the step, or the words that are looked for; digits in quotation marks are words.
    void placeInto(ReadingRequest& wanted) const;

    QComboBox* m_from;
    QLineEdit* m_field;
    QPushButton* m_next;
    QSpinBox* m_length;
    ReadingRequest m_told;
    std::uint64_t m_seed = 1;
};

} // namespace unroll
