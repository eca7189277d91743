// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/help_text.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QAbstractTextDocumentLayout>
#include <QScrollBar>
#include <QTextBlock>
#include <QWheelEvent>
#include <cmath>

namespace unroll {

HelpText::HelpText(const QString& markdown, const Appearance& appearance, QWidget* parent) : QTextBrowser(parent), m_appearance(appearance)
{
    setFrameShape(NoFrame);
    setOpenExternalLinks(true);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    document()->setDocumentMargin(0);
    show(markdown);
    connect(&appearance, &Appearance::changed, this, [this, markdown] { show(markdown); });
}

void HelpText::show(const QString& markdown)
{
    setMarkdown(markdown);
    const QFont fixed = m_appearance.font(Type::Mono);
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        cursor.select(QTextCursor::BlockUnderCursor);
        QTextCharFormat look;
        QTextBlockFormat place = block.blockFormat();
        if (place.headingLevel() > 0) {
            look.setFont(m_appearance.font(Type::Strong));
            look.setProperty(QTextFormat::FontSizeAdjustment, 0);
        } else if (place.nonBreakableLines()) {
            QFont small = fixed;
            small.setPixelSize(m_appearance.font(Type::Caption).pixelSize());
            look.setFont(small);
            place.setLeftMargin(0);
        } else {
            place.setBottomMargin(space::s);
        }
        cursor.mergeCharFormat(look);
        cursor.setBlockFormat(place);
    }
    // The page's own title repeats the panel's.
    if (document()->begin().blockFormat().headingLevel() == 1) {
        QTextCursor title(document()->begin());
        title.select(QTextCursor::BlockUnderCursor);
        title.removeSelectedText();
        title.deleteChar();
    }
    moveCursor(QTextCursor::Start);
    fitHeight();
}

void HelpText::fitHeight()
{
    const bool wide = document()->documentLayout()->documentSize().width() > viewport()->width() + 1;
    const double height = document()->documentLayout()->documentSize().height();
    setFixedHeight(static_cast<int>(std::ceil(height)) + (wide ? horizontalScrollBar()->sizeHint().height() : 0) + 2);
}

void HelpText::resizeEvent(QResizeEvent* event)
{
    QTextBrowser::resizeEvent(event);
    fitHeight();
}

void HelpText::wheelEvent(QWheelEvent* event)
{
    if (event->angleDelta().x() != 0)
        QTextBrowser::wheelEvent(event);
    else
        event->ignore(); // scrolls the panel
}

} // namespace unroll
