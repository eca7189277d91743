// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractSpinBox>
#include <cstdint>
#include <optional>

namespace unroll {

/// Edits a seed: every whole number of 64 bits, of which a parameter's field shows the lower half only. Up and down step by one.
class SeedField : public QAbstractSpinBox {
    Q_OBJECT
public:
    explicit SeedField(QWidget* parent = nullptr);

    /// A seed half typed stays as long as this says nothing new.
    void setSeed(std::uint64_t seed);
    std::optional<std::uint64_t> seed() const; ///< nothing while the text is no seed

    void stepBy(int steps) override;
    QValidator::State validate(QString& text, int& position) const override;

Q_SIGNALS:
    void edited(quint64 seed);
    void finished(); ///< focus left or Enter; text that is no seed has given way to the seed before

protected:
    StepEnabled stepEnabled() const override { return StepUpEnabled | StepDownEnabled; }
    void wheelEvent(QWheelEvent* event) override;

private:
    std::uint64_t m_told = 0; ///< the last seed set or edited
};

} // namespace unroll
