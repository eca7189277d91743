// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/experiment_card.h"

#include "app/studio/inspector/param_form.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"

#include <QVBoxLayout>

namespace unroll {

ExperimentCard::ExperimentCard(const Document& document, const Appearance& appearance, QWidget* parent)
    : QWidget(parent), m_document(document), m_title(new QLabel), m_summary(new QLabel), m_totals(new QLabel)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::s);
    appearance.dress(*m_title, Type::Title);
    auto* hint =
        new QLabel(tr("Select a node to see its parameters, shapes and cost; several, to set what they share."));
    hint->setProperty("tone", "dim");
    for (QLabel* label : {m_title, m_summary, m_totals, hint})
        label->setWordWrap(true);
    column->addWidget(m_title);
    column->addWidget(m_summary);
    column->addWidget(sectionHeading(tr("In total"), appearance));
    column->addWidget(m_totals);
    column->addSpacing(space::s);
    column->addWidget(hint);
    column->addStretch();
    refresh();
}

void ExperimentCard::refresh()
{
    m_title->setText(m_document.title());
    m_summary->setText(m_document.summary());
    m_summary->setVisible(!m_document.summary().isEmpty());
    const CheckedGraph& checked = *m_document.checked();
    if (checked.nodes.empty())
        return m_totals->setText(m_document.graph().nodes.empty() ? tr("The graph is empty.") : tr("Being checked …"));
    const double flops = checked.cost.forwardFlops + checked.cost.backwardFlops;
    QStringList lines{tr("%1 parameters").arg(countText(checked.cost.parameters)),
                      tr("%1 FLOP a token, forward and backward").arg(scaledText(flops))};
    if (checked.trainingBytes > 0)
        lines << tr("about %1 of memory to train").arg(bytesText(static_cast<double>(checked.trainingBytes)));
    m_totals->setText(lines.join('\n'));
}

} // namespace unroll
