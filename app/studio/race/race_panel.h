// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/file_saving.h"
#include "app/studio/race/race_bar.h"
#include "app/studio/race/race_process.h"
#include "app/studio/race/race_table_view.h"
#include "app/studio/run/disk_thread.h"
#include "app/studio/theme/empty_state.h"

#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <memory>

namespace unroll {

/// A race: its curves with bands over seeds, and its table. What is shown is what the folder holds, whoever trains
/// there: this window, the command line, another machine. The disk is read on a thread of its own.
class RacePanel : public QWidget {
    Q_OBJECT
public:
    static constexpr int kNewsMilliseconds = 1000; ///< between two looks at a folder that is being written

    /// `commandLine`: as StudioContext has it, which outlives the panel.
    RacePanel(const Appearance& appearance, const QString& commandLine, QWidget* parent = nullptr);

    /// Shows the race of a folder; one that is not there says why in the panel.
    void open(const QString& folder);
    /// Shows it and trains what is left, so many runs at once. Only while isFree().
    void train(const QString& folder, int parallel);
    bool isFree() const { return !m_process.isRunning(); }
    const QString& folder() const { return m_folder; }
    const RaceResults* results() const { return m_results.get(); } ///< nullptr: none is shown

    Chart& chart() const { return *m_chart; }
    RaceTableView& table() const { return *m_table; }
    RaceBar& bar() const { return *m_bar; }
    void askForRace();         ///< for its folder
    QString shownText() const; ///< the line below the bar, or those of the empty panel
    bool isEmpty() const { return m_pages->currentIndex() == 0; }
    /// The rows as they stand in the table.
    std::vector<RaceRow> shownRows() const;
    void saveTable(RaceTableFormat format, const QString& path);
    void saveCurves(const QString& path);

Q_SIGNALS:
    void opened();                                               ///< another race is shown
    void runAsked(const QString& folder);                        ///< to be opened
    void bothAsked(const QString& first, const QString& second); ///< to be viewed side by side
    void failed(const QString& sentence);
    void saved(const QString& path);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void connectBar();
    void connectChart();
    void refresh();
    /// What the disk's thread has read and computed.
    struct News {
        QString folder;
        Result<std::shared_ptr<const RaceResults>> results;
        RaceMetric metric;
        RaceCurves curves;
    };
    void take(News news);
    void takeCurves(const std::shared_ptr<const RaceResults>& of, RaceMetric metric, RaceCurves curves);
    void showEmpty(const QString& sentence);
    void showState();
    QString stateText() const;
    void redraw();
    void recompute();
    void readAt(double x);
    void askForFile(const QString& name, const QString& filter, std::function<void(const QString& path)> chosen);
    void endTraining(const QString& trouble);

    const Appearance& m_appearance;
    const QString& m_commandLine;
    RaceBar* m_bar;
    QLabel* m_words;
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    QSplitter* m_parts;
    bool m_isDivided = false; ///< between chart and table
    Chart* m_chart;
    RaceTableView* m_table;
    RaceProcess m_process;
    FileSaving m_saving;
    QString m_folder;
    int m_parallel = 1;
    QString m_trouble; ///< of the training that ended last
    QString m_sentence;
    std::shared_ptr<const RaceResults> m_results;
    RaceCurves m_curves;
    RaceMetric m_metric = RaceMetric::Validation; ///< of the curves
    std::optional<std::pair<AxisRange, AxisRange>> m_held;
    std::shared_ptr<RaceReading> m_reading; ///< of the disk's thread
    bool m_isReading = false;
    bool m_isStale = false;
    QTimer m_news;
    DiskThread m_disk; ///< last member: it ends before what it answers goes
};

} // namespace unroll
