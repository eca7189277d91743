// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/window/help_window.h"

#include "app/studio/inspector/help_text.h"
#include "app/studio/inspector/spec_text.h"
#include "app/studio/inspector/unrolled_sketch.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/column_scroll.h"
#include "app/studio/theme/key_names.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/plain_label.h"

#include <QDialogButtonBox>
#include <QFile>
#include <QVBoxLayout>

namespace unroll {

HelpWindow::HelpWindow(const Appearance& appearance, QWidget* parent)
    : QDialog(parent), m_appearance(appearance), m_title(plainLabel({})), m_scroll(new ColumnScroll(tr("Help")))
{
    setObjectName("help");
    appearance.dress(*m_title, Type::Title);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::s);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    column->addWidget(m_title);
    column->addWidget(m_scroll, 1);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(&KeyNames::all(), &KeyNames::changed, this, [this] {
        if (!m_topic.isEmpty())
            showTopic(m_topic);
    });
    resize(QSize(32, 34) * fontMetrics().height());
}

namespace {

/// Of resources/help; empty: there is none.
QString topicPage(const QString& topic)
{
    QFile file(":/help/" + topic + ".md");
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

void HelpWindow::showBlock(const BlockSpec& spec)
{
    m_topic.clear();
    QString help = QString::fromStdString(spec.helpText);
    if (help.trimmed().isEmpty())
        help = QString::fromStdString(spec.summary);
    if (const QString options = optionsMarkdown(spec.params); !options.isEmpty())
        help += tr("\n\n## Choices\n\n%1\n").arg(options);
    if (!spec.provenance.empty())
        help += "\n\n" + QString::fromStdString(spec.provenance) + '\n';
    if (topicPage("family").contains("(block:" + QString::fromStdString(spec.id) + ')'))
        help += tr("\n[Family of cells](help:family)\n");
    showPage(QString::fromStdString(spec.title), help, spec.recurrent ? &spec : nullptr);
}

void HelpWindow::showTopic(const QString& topic)
{
    const QString text = topicPage(topic);
    if (text.isEmpty()) {
        if (topic == "app")
            qFatal("resources/help/app.md is missing");
        return showTopic("app");
    }
    m_topic = topic;
    const QString page = KeyNames::all().in(text);
    const QString heading = page.section('\n', 0, 0);
    showPage(heading.mid(2), page);
}

void HelpWindow::showPage(const QString& title, const QString& markdown, const BlockSpec* unrolled)
{
    m_markdown = markdown;
    m_title->setText(title);
    setWindowTitle(tr("Help: %1").arg(title));
    auto* body = new QWidget;
    body->setObjectName("scrollBody");
    auto* column = new QVBoxLayout(body);
    column->setSpacing(space::s);
    column->setContentsMargins(0, 0, 0, 0);
    if (unrolled != nullptr)
        column->addWidget(new UnrolledSketch(*unrolled, m_appearance));
    auto* text = new HelpText(markdown, m_appearance);
    connect(text, &HelpText::followed, this, &HelpWindow::follow, Qt::QueuedConnection); // the page with the link goes
    column->addWidget(text);
    column->addStretch();
    m_scroll->setWidget(body); // the page before goes with it
}

void HelpWindow::follow(const QUrl& page)
{
    if (page.scheme() == "help")
        return showTopic(page.path());
    if (const BlockSpec* spec = m_blocks != nullptr ? m_blocks->find(page.path().toStdString()) : nullptr)
        showBlock(*spec);
}

} // namespace unroll
