// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QToolButton>
#include <QWidget>

class QButtonGroup;

namespace unroll {

class Appearance;

/// Which view of a study is shown, and its commands: the controls above the views.
class StudyBar : public QWidget {
    Q_OBJECT
public:
    enum class View { Parallel, Slices, Importance };
    enum class Doing { Nothing, Running, Stopping };

    explicit StudyBar(const Appearance& appearance, QWidget* parent = nullptr);

    View view() const;
    bool isLog() const { return m_log->isChecked(); }
    int workers() const { return m_workers->currentIndex() + 1; }
    /// `startable`: there is something to train, else `why` not.
    void showDoing(Doing doing, bool startable, const QString& why);
    void showResults(bool shown, bool canBeLog);
    void showBest(const QString& words, const QString& tip); ///< empty: there is none
    void showBrushed(bool brushed);

Q_SIGNALS:
    void viewChanged();
    void logChanged();
    void startAsked();
    void stopAsked();
    void openAsked();
    void bestAsked();
    void clearAsked();
    void copyAsked();
    void pictureAsked();

private:
    QButtonGroup* m_views;
    QToolButton* m_log;
    QComboBox* m_workers;
    QToolButton* m_start;
    QToolButton* m_stop;
    QToolButton* m_best;
    QToolButton* m_clear;
    QToolButton* m_save;
};

} // namespace unroll
