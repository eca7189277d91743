// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/curves/file_saving.h"
#include "app/studio/figure/figure_view.h"
#include "app/studio/run/disk_thread.h"
#include "app/studio/study/parallel_view.h"
#include "app/studio/study/slices_view.h"
#include "app/studio/study/study_bar.h"
#include "app/studio/study/study_news.h"
#include "app/studio/study/study_process.h"
#include "app/studio/study/study_table_view.h"
#include "app/studio/theme/elided_label.h"
#include "app/studio/theme/empty_state.h"

#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <memory>

namespace unroll {

/// A study: its trials as parallel coordinates, slices and importances, and as a table. What is shown is what
/// NAME.study.json holds, whoever trains: this window, the command line, another machine. The disk is read on a thread
/// of its own.
class StudyPanel : public QWidget {
    Q_OBJECT
public:
    static constexpr int kNewsMilliseconds = 1000; ///< between two looks at the file
    static constexpr int kSilentSeconds = 35;      ///< after which nobody is at work any more

    /// `commandLine`: as StudioContext has it, which outlives the panel.
    StudyPanel(const Appearance& appearance, const QString& commandLine, QWidget* parent = nullptr);

    /// Shows a study by one of its files, its folder or that of its runs; what is not there says why in the panel.
    void open(const QString& path);
    void start(); ///< trains what is left; only while isFree()
    bool isFree() const { return !m_process.isRunning(); }
    const StudyProcess& process() const { return m_process; }
    QString file() const { return m_file; }                         ///< NAME.toml; empty: none is shown
    const StudyResults* results() const { return m_results.get(); } ///< nullptr: there are none
    const StudyWatch& watch() const { return m_watch; }

    ParallelView& parallel() const { return *m_parallel; }
    SlicesView& slices() const { return *m_slices; }
    FigureView& importance() const { return *m_importance; }
    StudyTableView& table() const { return *m_table; }
    StudyBar& bar() const { return *m_bar; }
    void askForStudy();        ///< for its file
    QString shownText() const; ///< the line below the bar, or those of the empty panel
    bool isEmpty() const { return m_pages->currentIndex() == 0; }

Q_SIGNALS:
    void opened();                        ///< another study is shown
    void runAsked(const QString& folder); ///< to be opened
    void failed(const QString& sentence);
    void saved(const QString& path);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void connectBar();
    void connectViews();
    QWidget* makeResults();
    void refresh();
    void take(const StudyNews& news);
    void showEmpty(const QString& sentence);
    void showState();
    QString stateText() const;
    QString progressText() const;
    bool isTrainedElsewhere() const;
    void showBest();
    void redraw();
    void showView();
    void openTrial(std::int64_t number);
    void setBrush(std::size_t axis, const std::optional<StudyBrush>& brush);
    void clearBrushes();
    void choose(std::optional<std::int64_t> trial);
    void savePicture();

    const Appearance& m_appearance;
    const QString& m_commandLine;
    StudyBar* m_bar;
    ElidedLabel* m_words;
    QStackedWidget* m_pages;
    EmptyState* m_empty;
    QSplitter* m_parts;
    QStackedWidget* m_views;
    QScrollArea* m_across; ///< of many axes
    ParallelView* m_parallel;
    SlicesView* m_slices;
    FigureView* m_importance;
    ElidedLabel* m_reading;
    StudyTableView* m_table;
    bool m_isDivided = false; ///< between views and table
    StudyProcess m_process;
    FileSaving m_saving;
    QString m_path; ///< as it was opened
    QString m_file;
    bool m_hasFile = false; ///< NAME.toml is there
    std::string m_stamp;
    QString m_trouble; ///< of the training that ended last
    QString m_sentence;
    std::shared_ptr<const StudyResults> m_results;
    StudyWatch m_watch;
    StudyPlot m_plot;
    bool m_isReading = false;
    bool m_isStale = false;
    QTimer m_news;
    DiskThread m_disk; ///< last member: it ends before what it answers goes
};

} // namespace unroll
