// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/inspector/data_preview.h"

#include "app/studio/inspector/column_list.h"
#include "app/studio/inspector/param_form.h"
#include "app/studio/inspector/split_bar.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"
#include "app/studio/theme/number_text.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace unroll {

namespace {

constexpr int kShownLines = 7;

QFont smallMono(const Appearance& appearance)
{
    QFont font = appearance.font(Type::Mono);
    font.setPixelSize(appearance.font(Type::Caption).pixelSize());
    return font;
}

QLabel* wrapped(const char* name, const char* tone = "")
{
    auto* label = new QLabel;
    label->setObjectName(name);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setMinimumWidth(space::xl); // a long file name is cut, and does not widen the panel
    label->setProperty("tone", tone);
    return label;
}

QString sizeText(const QString& part, const DataSummary::Part& size)
{
    return part.arg(size.tokens ? countText(*size.tokens) : DataPreview::tr("without end"));
}

/// That of a loss which it is held against.
QString floorUnit(const DataSummary& summary)
{
    return summary.baseline && isInNats(summary.baseline->unit) ? QString::fromStdString(summary.baseline->unit)
                                                                : DataPreview::tr("nats/token");
}

QString limitsText(const DataSummary& summary)
{
    QStringList lines;
    if (summary.floor)
        lines << DataPreview::tr("Lower bound of the validation loss: %1 %2.")
                     .arg(readingText(*summary.floor), floorUnit(summary));
    if (summary.baseline)
        lines << DataPreview::tr("Baseline: %1 (%2), %3.")
                     .arg(readingText(summary.baseline->loss), QString::fromStdString(summary.baseline->unit),
                          QString::fromStdString(summary.baseline->guess));
    if (!summary.noBaseline.empty())
        lines << DataPreview::tr("Baseline: n/a (%1).").arg(QString::fromStdString(summary.noBaseline));
    for (const std::string& notice : summary.notices)
        lines << QString::fromStdString(notice);
    return lines.join('\n');
}

QString labelsText(const DataSummary& summary)
{
    QStringList labels;
    for (const std::string& label : summary.labels)
        labels << QString::fromStdString(label);
    const auto hidden = summary.classes - static_cast<std::int64_t>(summary.labels.size());
    if (hidden > 0)
        labels << DataPreview::tr("… and %1 more").arg(countText(hidden));
    return labels.join(' ');
}

void setShown(QLabel& label, const QString& text)
{
    label.setText(text);
    label.setVisible(!text.isEmpty());
}

} // namespace

QString visibleText(const QString& text)
{
    QString shown;
    for (const QChar character : text) {
        const QChar::Category kind = character.category();
        const bool isHidden =
            kind == QChar::Other_Control || kind == QChar::Separator_Line || kind == QChar::Separator_Paragraph;
        if (character == '\n')
            shown += QStringLiteral("↵\n");
        else if (isHidden && character != '\t')
            shown += "\\x" + QString::number(character.unicode(), 16).toUpper().rightJustified(2, '0');
        else
            shown += character;
    }
    return shown;
}

DataPreview::DataPreview(const Appearance& appearance, QWidget* parent) : QWidget(parent)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    column->addWidget(sectionHeading(tr("Data"), appearance));
    column->addWidget(m_words = wrapped("words"));
    column->addWidget(m_body = body(appearance));
    m_body->hide();
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatienceMilliseconds);
    connect(&m_patience, &QTimer::timeout, this, [this] { setReading(true); });
    m_words->setText(tr("Reading …"));
}

QWidget* DataPreview::body(const Appearance& appearance)
{
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    column->addWidget(m_bar = new SplitBar(appearance));
    auto* sizes = new QHBoxLayout;
    sizes->setSpacing(space::s);
    sizes->addWidget(m_trainingSize = wrapped("trainingSize"), 1);
    sizes->addWidget(m_validationSize = wrapped("validationSize"), 1);
    m_validationSize->setAlignment(Qt::AlignRight);
    column->addLayout(sizes);
    column->addWidget(m_limits = wrapped("limits", "dim"));
    column->addWidget(m_columns = new ColumnList(appearance));
    column->addWidget(m_textBody = textBody(appearance));
    return body;
}

QWidget* DataPreview::textBody(const Appearance& appearance)
{
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    column->addWidget(m_alphabetCaption = wrapped("classes", "dim"));
    column->addWidget(m_alphabet = wrapped("alphabet"));
    appearance.follow(*m_alphabet, [this, &appearance] { m_alphabet->setFont(smallMono(appearance)); });
    m_training = addPart(*column, "training", tr("Start of the training part"), appearance);
    m_validation = addPart(*column, "validation", tr("Start of the validation part"), appearance);
    return body;
}

DataPreview::PartView DataPreview::addPart(QLayout& column, const char* name, const QString& caption,
                                           const Appearance& appearance)
{
    const PartView view{wrapped("caption", "dim"), new QPlainTextEdit};
    view.caption->setText(caption);
    view.caption->setBuddy(view.text);
    QPlainTextEdit& text = *view.text;
    text.setObjectName(name);
    text.setReadOnly(true);
    text.setTabChangesFocus(true);
    text.setFrameShape(QFrame::NoFrame);
    text.setProperty("fill", "note");
    appearance.follow(text, [&text, &appearance] {
        text.setFont(smallMono(appearance));
        text.setFixedHeight(kShownLines * QFontMetrics(text.font()).lineSpacing() + 2 * space::s);
    });
    text.setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    text.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    text.setAccessibleName(caption);
    column.addWidget(view.caption);
    column.addWidget(view.text);
    return view;
}

void DataPreview::setSummary(std::shared_ptr<const DataSummary> summary, const Params& given)
{
    if (summary != m_summary) {
        m_summary = std::move(summary);
        if (m_summary != nullptr)
            fill(*m_summary);
    }
    if (m_summary == nullptr) {
        m_body->hide();
        setReading(true);
    } else if (m_summary->given == given) {
        m_patience.stop();
        setReading(false);
    } else if (!m_patience.isActive()) {
        m_patience.start();
    }
}

void DataPreview::setReading(bool reading)
{
    setVisible(reading || m_summary->error.empty()); // what went wrong is said at the parameter
    m_body->setEnabled(!reading);
    m_words->setText(reading ? tr("Reading …") : QString::fromStdString(m_summary->description));
}

void DataPreview::fill(const DataSummary& summary)
{
    m_body->setVisible(summary.error.empty());
    if (!summary.error.empty())
        return;
    fillSizes(summary);
    setShown(*m_limits, limitsText(summary));
    m_columns->setVisible(!summary.columns.empty());
    m_columns->setColumns(summary.columns, summary.hiddenColumns, m_bar->validationShare());
    m_textBody->setVisible(summary.columns.empty());
    if (summary.columns.empty())
        fillText(summary);
}

void DataPreview::fillText(const DataSummary& summary)
{
    m_alphabetCaption->setText(tr("Alphabet of %1").arg(countText(summary.classes)));
    m_alphabet->setText(labelsText(summary));
    m_training.text->setPlainText(visibleText(QString::fromStdString(summary.training.beginning)));
    m_validation.text->setPlainText(visibleText(QString::fromStdString(summary.validation.beginning)));
}

void DataPreview::fillSizes(const DataSummary& summary)
{
    m_trainingSize->setText(sizeText(tr("training %1"), summary.training));
    m_validationSize->setText(sizeText(tr("validation %1"), summary.validation));
    const bool both = summary.training.tokens && summary.validation.tokens;
    m_bar->setVisible(both);
    if (both)
        m_bar->setParts(static_cast<double>(*summary.training.tokens), static_cast<double>(*summary.validation.tokens));
}

} // namespace unroll
