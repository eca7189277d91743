// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/inspector/number_field.h"
#include "core/runs/race_plan.h"

#include <QComboBox>
#include <QLineEdit>
#include <QWidget>

class QGridLayout;

namespace unroll {

/// What all lanes of a race have in common: what is matched, seeds, budget, how many at once, the folder.
class RaceForm : public QWidget {
    Q_OBJECT
public:
    static constexpr std::int64_t kMostSeeds = 10;

    /// `steps`: of the experiment; `folder`: where the race is proposed to lie.
    RaceForm(std::int64_t steps, const QString& folder, QWidget* parent = nullptr);

    QString match() const { return m_match->currentData().toString(); } ///< as Race::match
    QString sizeTitle() const;                                          ///< of what is matched, or of the parameters
    QString folder() const;                                             ///< absolute; empty: none is named
    std::int64_t seeds() const { return whole(*m_seeds, 1); }
    std::int64_t parallel() const { return whole(*m_parallel, 1); }
    void setTokensAStep(std::int64_t tokens) { m_tokens = tokens; } ///< 0: not known yet
    /// Fills in match, seeds, budget and threads.
    void fill(RaceWish& wish) const;
    QString budgetText() const; ///< "400 steps", "60 s, at most 400 steps"
    /// Why it cannot be started with what stands here; empty: it can.
    QString fault() const;

Q_SIGNALS:
    void matchChanged();
    void edited();

private:
    enum Unit { Steps, Tokens, Seconds };
    static std::int64_t whole(const NumberField& field, std::int64_t otherwise);
    void addRows(QGridLayout& grid);
    void changeUnit();
    void chooseFolder();

    std::int64_t m_steps;
    std::int64_t m_tokens = 0;
    Unit m_shown = Steps; ///< that the budget is in
    QComboBox* m_match;
    NumberField* m_seeds;
    NumberField* m_budget;
    QComboBox* m_unit;
    NumberField* m_parallel;
    QLineEdit* m_folder;
};

} // namespace unroll
