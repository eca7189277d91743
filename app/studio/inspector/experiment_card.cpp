// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/experiment_card.h"

#include "app/studio/inspector/field_undo.h"
#include "app/studio/inspector/param_form.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"

#include <QKeyEvent>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace unroll {

namespace {

constexpr int kSummaryLines = 7;

} // namespace

ExperimentCard::ExperimentCard(Document& document, const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_document(document), m_title(new QLineEdit), m_summary(new QPlainTextEdit), m_totals(new QLabel)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::s);
    m_title->setAccessibleName(tr("Title"));
    m_title->setToolTip(tr("The title of the experiment, saved in its file"));
    m_summary->setAccessibleName(tr("Summary"));
    m_summary->setToolTip(tr("Description of the experiment; saved in its file"));
    m_summary->setPlaceholderText(tr("Description"));
    m_summary->setTabChangesFocus(true);
    m_summary->setUndoRedoEnabled(false); // the document's
    appearance.follow(*m_summary, [this] {
        m_summary->setFixedHeight(kSummaryLines * m_summary->fontMetrics().lineSpacing() + 2 * space::s);
    });
    m_totals->setWordWrap(true);
    auto* hint =
        new QLabel(tr("Select a node for its parameters, shapes and cost; select several to edit shared parameters."));
    hint->setWordWrap(true);
    hint->setProperty("tone", "dim");
    column->addWidget(sectionHeading(tr("Title"), appearance));
    column->addWidget(m_title);
    column->addWidget(sectionHeading(tr("Summary"), appearance));
    column->addWidget(m_summary);
    column->addWidget(sectionHeading(tr("Total"), appearance));
    column->addWidget(m_totals);
    column->addSpacing(space::s);
    column->addWidget(hint);
    column->addStretch();
    connectFields();
    refresh();
}

/// A field that loses the focus while the card goes: nobody is to hear of it any more.
ExperimentCard::~ExperimentCard()
{
    m_title->disconnect(this);
    m_summary->disconnect(this);
    m_summary->removeEventFilter(this);
}

void ExperimentCard::connectFields()
{
    connect(m_title, &QLineEdit::textEdited, this,
            [this](const QString& text) { m_document.setTitle(text, Document::Edit::Typing); });
    connect(m_title, &QLineEdit::editingFinished, this, [this] { m_document.endMerge(); });
    new FieldUndo(*m_title, *m_title);
    connect(m_summary, &QPlainTextEdit::textChanged, this,
            [this] { m_document.setSummary(m_shown = m_summary->toPlainText(), Document::Edit::Typing); });
    m_summary->installEventFilter(this);
}

/// Undo and redo are the document's; what is typed is whole when the keyboard goes.
bool ExperimentCard::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusOut)
        m_document.endMerge();
    if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
        const auto& key = static_cast<const QKeyEvent&>(*event);
        if (key.matches(QKeySequence::Undo) || key.matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void ExperimentCard::refresh()
{
    m_title->setPlaceholderText(m_document.title());
    if (m_title->text() != m_document.givenTitle())
        m_title->setText(m_document.givenTitle());
    if (m_shown != m_document.summary()) {
        m_shown = m_document.summary();
        const QSignalBlocker quiet(m_summary);
        m_summary->setPlainText(m_shown);
    }
    const CheckedGraph& checked = *m_document.checked();
    if (checked.nodes.empty())
        return m_totals->setText(m_document.graph().nodes.empty() ? tr("The graph is empty.") : tr("Checking …"));
    const double flops = checked.cost.forwardFlops + checked.cost.backwardFlops;
    QStringList lines{tr("%1 parameters").arg(countText(checked.cost.parameters)),
                      tr("%1 FLOP/token, forward and backward").arg(scaledText(flops))};
    if (checked.trainingBytes > 0)
        lines << tr("about %1 of memory to train").arg(bytesText(static_cast<double>(checked.trainingBytes)));
    m_totals->setText(lines.join('\n'));
}

} // namespace unroll
