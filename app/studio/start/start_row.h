// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/start/start_button.h"

namespace unroll {

/// One line of the start page's side: an icon, what it is called, and in small what there is to know of it. Long words
/// wrap; of a path the middle is left out, and the tool tip has it whole.
class StartRow : public StartButton {
    Q_OBJECT
public:
    enum class Detail { Sentence, Path };

    StartRow(const Appearance& appearance, QString icon, const QString& title, QString detail,
             Detail kind = Detail::Sentence, QWidget* parent = nullptr);

    const QString& detail() const { return m_detail; }
    void setDetail(const QString& detail);
    /// Before the path, where the detail is one: "2 h ago".
    void setNote(const QString& note);
    const QString& note() const { return m_note; }
    int heightForWidth(int width) const override;
    int preferredWidth() const override;
    int leastWidth() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int textLeft() const;
    QString detailFor(int width) const;
    void describe();

    QString m_icon;
    QString m_detail;
    Detail m_kind;
    QString m_note;
};

} // namespace unroll
