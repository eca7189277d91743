// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"
#include "app/studio/inspector/param_form.h"
#include "app/studio/run/run_controller.h"
#include "app/studio/theme/column_scroll.h"

namespace unroll {

/// The training settings, made from their table alone. While a run is in progress a new learning rate also goes to it
/// once it is typed to its end; everything else waits for the next run, and the panel says so.
class TrainingPanel : public ColumnScroll {
    Q_OBJECT
public:
    TrainingPanel(Document& document, RunController& controller, const Appearance& appearance,
                  QWidget* parent = nullptr);

    ParamForm& form() const { return *m_form; }

private:
    void edit(const std::string& name, const ParamValue& value, Document::Edit kind);
    void finish();
    void refresh();
    void tellRate();

    Document& m_document;
    RunController& m_controller;
    ParamForm* m_form;
    QLabel* m_note;
    ParamFaults m_wrong;
    double m_rate;            ///< the learning rate last sent to the current run
    bool m_rateTyped = false; ///< and not to its end
};

} // namespace unroll
