// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QWidget>

class QPainter;

namespace unroll {

class Appearance;

/// How high the words are at least, without the icon, in a place of this width: the sentence is as wide as that.
int emptyStateHeight(const Appearance& appearance, const QString& sentence, int width);
/// Icon, title and sentence in the middle of the place; the icon is left out where there is no room.
void paintEmptyState(QPainter& painter, const Appearance& appearance, const QRect& place, const QString& icon,
                     const QString& title, const QString& sentence);

/// What a view says while it has nothing to show: an icon, a title, a sentence on what will be here and how to get it.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    EmptyState(const Appearance& appearance, QString icon, QString title, QString sentence, QWidget* parent = nullptr);

    const QString& title() const { return m_title; }
    /// "{run}" in it is replaced by the key of that command.
    void setSentence(const QString& sentence);
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Appearance& m_appearance;
    QString m_icon;
    QString m_title;
    QString m_sentence; ///< as it is shown
    QString m_asked;    ///< with commands in braces
    /// What heightForWidth gave last: layouts ask for it at each change of any neighbour.
    struct Known {
        int width = -1, height = 0;
        QFont font;
    };
    mutable Known m_known;
};

} // namespace unroll
