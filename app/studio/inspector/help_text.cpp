// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/help_text.h"

#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QAbstractTextDocumentLayout>
#include <QDesktopServices>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>
#include <QWheelEvent>
#include <cmath>

namespace unroll {

HelpText::HelpText(const QString& markdown, const Appearance& appearance, QWidget* parent)
    : QTextBrowser(parent), m_appearance(appearance)
{
    setObjectName("page");
    setAccessibleName(tr("Help"));
    setFrameShape(NoFrame);
    setOpenLinks(false);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    document()->setDocumentMargin(0);
    document()->setIndentWidth(space::l);
    show(markdown);
    connect(&appearance, &Appearance::changed, this, [this, markdown] { show(markdown); });
    connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        if (link.scheme() == "block" || link.scheme() == "help")
            Q_EMIT followed(link);
        else
            QDesktopServices::openUrl(link);
    });
}

namespace {

bool isCode(const QTextBlock& block)
{
    return block.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage);
}

QTextCursor contentsOf(const QTextBlock& block)
{
    QTextCursor cursor(block);
    cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    return cursor;
}

} // namespace

void HelpText::show(const QString& markdown)
{
    setMarkdown(markdown);
    // The page's own title repeats the panel's.
    if (document()->begin().blockFormat().headingLevel() == 1) {
        QTextCursor title = contentsOf(document()->begin());
        title.removeSelectedText();
        title.deleteChar();
    }
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next())
        styleBlock(block);
    moveCursor(QTextCursor::Start);
    fitHeight();
}

void HelpText::styleBlock(const QTextBlock& block)
{
    QTextBlockFormat place = block.blockFormat();
    const bool code = isCode(block);
    const bool codeGoesOn = code && block.next().isValid() && isCode(block.next());
    place.setTopMargin(0);
    place.setBottomMargin(codeGoesOn ? 0 : space::s);
    place.setNonBreakableLines(code);
    QTextCursor all = contentsOf(block);
    all.setBlockFormat(place);
    QTextCharFormat look;
    if (place.headingLevel() > 0) {
        look.setFont(m_appearance.font(Type::Strong));
        look.setProperty(QTextFormat::FontSizeAdjustment, 0);
        all.mergeCharFormat(look);
        return;
    }
    QFont fixed = m_appearance.font(Type::Mono);
    fixed.setPixelSize(m_appearance.font(Type::Caption).pixelSize());
    for (auto part = block.begin(); !part.atEnd(); ++part) {
        const QTextFragment fragment = part.fragment();
        QTextCursor cursor(document());
        cursor.setPosition(fragment.position());
        cursor.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
        if (code || fragment.charFormat().fontFixedPitch())
            look.setFont(fixed);
        else if (fragment.charFormat().fontWeight() > QFont::Normal)
            look.setFont(m_appearance.font(Type::Strong)); // our bold is the semibold that comes along
        else
            continue;
        cursor.mergeCharFormat(look);
    }
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

/// The ring of the keyboard is drawn on the text's own margin: the column keeps its edge.
void HelpText::paintEvent(QPaintEvent* event)
{
    QTextBrowser::paintEvent(event);
    if (!hasFocus())
        return;
    QPainter painter(viewport());
    painter.setPen(QPen(m_appearance.theme()[Theme::Role::Focus], 2));
    painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
}

void HelpText::wheelEvent(QWheelEvent* event)
{
    if (event->angleDelta().x() != 0)
        QTextBrowser::wheelEvent(event);
    else
        event->ignore(); // scrolls the panel
}

} // namespace unroll
