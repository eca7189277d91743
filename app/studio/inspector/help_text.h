// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTextBlock>
#include <QTextBrowser>

namespace unroll {

class Appearance;

/// A help page (Markdown) inside a panel: as tall as its text, headings in the panel's type scale, equations unwrapped
/// in a fixed-width font with a scroll bar of their own.
class HelpText : public QTextBrowser {
    Q_OBJECT
public:
    HelpText(const QString& markdown, const Appearance& appearance, QWidget* parent = nullptr);

Q_SIGNALS:
    /// A link to another page of help: "block:lstm" of a block, "help:family" of a topic. Others open in the browser.
    void followed(const QUrl& page);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void show(const QString& markdown);
    void styleBlock(const QTextBlock& block);
    void fitHeight();

    const Appearance& m_appearance;
};

} // namespace unroll
