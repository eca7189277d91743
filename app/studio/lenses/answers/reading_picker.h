// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/lens/frame.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSpinBox>

namespace unroll {

/// Chooses what all lenses read: where it is from, which place or text, how many steps. Applied at Enter and when the
/// focus leaves.
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

    QComboBox* m_from;
    QLineEdit* m_field;
    QSpinBox* m_length;
    ReadingRequest m_sent;
    std::uint64_t m_seed = 1;
    std::int64_t m_further = 0; ///< places from the first on that has the words
};

} // namespace unroll
