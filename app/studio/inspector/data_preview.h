// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/document/data_summary.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QTimer>
#include <QWidget>

namespace unroll {

class Appearance;
class ColumnList;
class SplitBar;

/// What a data node reads: how large it is, how it is divided, and its alphabet with how both parts begin, or the
/// columns of a table. While it is read again the last answer stays, greyed out once that takes longer than an eye
/// blinks.
class DataPreview : public QWidget {
    Q_OBJECT
public:
    explicit DataPreview(const Appearance& appearance, QWidget* parent = nullptr);

    static constexpr int kPatienceMilliseconds = 200;

    /// `given` are the node's parameters as they are now; a summary of others is old. nullptr: nothing is known yet.
    void setSummary(std::shared_ptr<const DataSummary> summary, const Params& given);

private:
    /// A caption with the beginning of one part below it.
    struct PartView {
        QLabel* caption;
        QPlainTextEdit* text;
    };
    QWidget* body(const Appearance& appearance);
    QWidget* textBody(const Appearance& appearance);
    PartView addPart(QLayout& column, const char* name, const QString& caption, const Appearance& appearance);
    void setReading(bool reading);
    void fill(const DataSummary& summary);
    void fillSizes(const DataSummary& summary);
    void fillText(const DataSummary& summary);

    std::shared_ptr<const DataSummary> m_summary;
    QTimer m_patience;
    QLabel* m_words = nullptr; ///< what it is, or what is wrong, or that it is being read
    QWidget* m_body = nullptr;
    SplitBar* m_bar = nullptr;
    QLabel* m_trainingSize = nullptr;
    QLabel* m_validationSize = nullptr;
    QLabel* m_limits = nullptr;
    ColumnList* m_columns = nullptr;
    QWidget* m_textBody = nullptr; ///< what texts have and numbers lack
    QLabel* m_alphabetCaption = nullptr;
    QLabel* m_alphabet = nullptr;
    PartView m_training{};
    PartView m_validation{};
};

/// Text as it is shown: line ends as a sign before the break, what would not show as its code.
QString visibleText(const QString& text);

} // namespace unroll
