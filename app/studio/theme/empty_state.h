// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace unroll {

class Appearance;

/// What a view says while it has nothing to show: an icon, a title, a sentence on what will be here and how to get it.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    EmptyState(const Appearance& appearance, QString icon, QString title, QString sentence, QWidget* parent = nullptr);

    const QString& title() const { return m_title; }
    void setSentence(const QString& sentence);
    int heightForWidth(int width) const override; ///< of the words; the icon is left out where there is no room

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QSizeF sentenceSize(int width) const;

    const Appearance& m_appearance;
    QString m_icon;
    QString m_title;
    QString m_sentence;
};

} // namespace unroll
