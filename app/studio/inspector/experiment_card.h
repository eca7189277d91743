// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/document.h"

#include <QLabel>

namespace unroll {

class Appearance;

/// The experiment as a whole: its title and summary, and what it costs in total.
class ExperimentCard : public QWidget {
    Q_OBJECT
public:
    ExperimentCard(const Document& document, const Appearance& appearance, QWidget* parent = nullptr);

    void refresh(); ///< reads the document again

private:
    const Document& m_document;
    QLabel* m_title;
    QLabel* m_summary;
    QLabel* m_totals;
};

} // namespace unroll
