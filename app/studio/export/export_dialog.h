// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/export/export_form.h"
#include "app/studio/export/export_job.h"
#include "app/studio/export/export_result.h"
#include "app/studio/studio_context.h"
#include "app/studio/theme/column_scroll.h"
#include "app/studio/theme/message_bar.h"

#include <QDialog>
#include <QProgressBar>
#include <QStackedWidget>

namespace unroll {

/// Turns a run's weights into files for others. The window stays live: nothing here waits, and the questions hold up
/// nothing. First a form, then what came of it. Closing it while it exports ends the export and leaves the dialog; the
/// next time it closes.
class ExportDialog : public QDialog {
    Q_OBJECT
public:
    ExportDialog(StudioContext& studio, RunController& controller, QWidget* parent = nullptr);

    void showRun(const QString& folder); ///< back to the form, with this run; not while it exports

    ExportForm& form() { return *m_form; }
    ExportResult& result() { return *m_result; }
    MessageBar& messages() { return *m_messages; }
    bool isDone() const { return m_pages->currentWidget() == m_result; }

    void reject() override;
    /// Hides at once, and closes when the current export has ended.
    void leave();

protected:
    bool event(QEvent* event) override;

private:
    QLayout* makeButtons();
    void connectParts();
    void exportOrAsk();
    void askFirst(ExportRequest request, const PlaceFaults& faults);
    int wholeHeight() const; ///< that would show everything without scrolling
    void begin(const ExportRequest& request);
    void end();
    void showForm();
    void showDone(const ExportReport& report);
    void refreshButtons();

    QSettings& m_settings;
    ExportJob m_job;
    ExportRequest m_request; ///< the one that is or was exported
    ColumnScroll* m_scroll;
    MessageBar* m_messages;
    QStackedWidget* m_pages;
    ExportForm* m_form;
    ExportResult* m_result;
    QLabel* m_file; ///< the one in hand
    QProgressBar* m_progress;
    QPushButton* m_back = nullptr;
    QPushButton* m_export = nullptr;
    QPushButton* m_close = nullptr;
    bool m_leaves = false; ///< see leave()
};

} // namespace unroll
