// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/lenses/answers/answers_view.h"

#include "app/studio/lenses/kept_page.h"
#include "app/studio/lenses/look_rate.h"
#include "app/studio/plot/colour_map.h"
#include "app/studio/theme/appearance.h"
#include "app/studio/theme/metrics.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace unroll {

namespace {

constexpr double kMostSurprise = 8; ///< bits: a probability of 1/256 has the full colour

QString number(double value)
{
    return std::isfinite(value) ? QString::number(value, 'g', 4).replace('-', QChar(0x2212)) : AnswersView::tr("n/a");
}

/// What is asked at each step is the token of the next one.
bool tellsNext(const AnswersData& data)
{
    bool any = false;
    for (std::size_t step = 0; step + 1 < std::min(data.answers.size(), data.labels.size()); ++step) {
        if (data.answers[step].came.empty())
            continue;
        any = true;
        if (data.answers[step].came != data.labels[step + 1])
            return false;
    }
    return any;
}

/// What is shown, of how many steps of what, how to read it, and how much of it is no number.
QString answersShown(const AnswersData& data)
{
    const QString of = data.of.empty() ? AnswersView::tr("the reading") : QString::fromStdString(data.of);
    const QString steps = data.answers.size() == 1 ? AnswersView::tr("1 step of %1").arg(of)
                                                   : AnswersView::tr("%1 steps of %2").arg(data.answers.size()).arg(of);
    const auto loss = data.meanLoss();
    QStringList words{data.tellsClasses() ? steps : AnswersView::tr("Predicted and actual at %1").arg(steps)};
    if (loss)
        words << AnswersView::tr("mean loss %1 %2").arg(number(*loss), QString::fromStdString(data.lossUnit));
    words << (!data.tellsClasses()  ? AnswersView::tr("point at a step for its values")
              : data.targets() == 0 ? AnswersView::tr("nothing is asked here: point at a token for what is likeliest")
                                    : AnswersView::tr("a stronger background means a less likely token"));
    const auto missing = std::count_if(data.answers.begin(), data.answers.end(), [](const StepAnswer& answer) {
        return answer.asked > 0 && !std::isfinite(answer.loss);
    });
    if (missing > 0)
        words << AnswersView::tr("%1 answers are not finite").arg(missing);
    return words.join(QStringLiteral("  ·  "));
}

} // namespace

AnswersView::AnswersView(const LensDesk& desk, QWidget* parent)
    : LensView("answers", desk.controller, parent),
      m_desk(desk),
      m_picker(new ReadingPicker),
      m_save(new FigureSaveButton(desk.appearance)),
      m_shows(plainLabel({})),
      m_text(new TokenText(desk.appearance)),
      m_words(plainLabel({})),
      m_bars(new LikelyBars(desk.appearance)),
      m_empty(new EmptyState(desk.appearance, "text", QString::fromStdString(lens().title), {})),
      m_pages(new QStackedWidget),
      m_bar(new QHBoxLayout),
      m_sight(new InSight(*this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(space::xs);
    m_bar->setContentsMargins(space::m, 0, space::m, 0);
    m_bar->setSpacing(space::s);
    m_bar->addWidget(m_picker, 1);
    m_bar->addWidget(m_save);
    column->addLayout(m_bar);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(page());
    if (desk.time != nullptr) {
        m_pages->addWidget(m_kept = new KeptPage(*desk.time, desk.appearance, desk.cursor));
        m_kept->setQuery(answersQuery());
        connect(desk.time, &TrainingTime::changed, this, &AnswersView::showTime);
    }
    column->addWidget(m_pages, 1);
    usePages(m_pages);
    listen();
    showEmpty();
}

QWidget* AnswersView::page()
{
    m_shows->setProperty("tone", "dim");
    m_words->setObjectName("answerText");
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, space::s);
    column->setSpacing(space::xs);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(space::m, 0, space::m, 0);
    head->addWidget(m_shows, 1);
    head->addWidget(new LookRate(m_desk.controller, lens().heavy), 0, Qt::AlignTop);
    column->addLayout(head);
    column->addWidget(m_text, 1);
    auto* below = new QVBoxLayout;
    below->setContentsMargins(space::m, 0, space::m, 0);
    below->setSpacing(space::xs);
    below->addWidget(m_words);
    below->addWidget(m_bars);
    column->addLayout(below);
    column->addStretch(1); // what is expected stands right below a text that is short
    return page;
}

void AnswersView::listen()
{
    RunController& run = m_desk.controller;
    ReadingCursor& cursor = m_desk.cursor;
    connect(m_sight, &InSight::changed, this, &AnswersView::ask);
    connect(m_picker, &ReadingPicker::chosen, &run, &RunController::setReading);
    connect(&run, &RunController::snapshotChanged, this, &AnswersView::take);
    connect(&run, &RunController::stateChanged, this, &AnswersView::showEmpty);
    connect(&run, &RunController::runChanged, this, [this] {
        m_picker->setReading(m_desk.controller.reading());
        if (!m_desk.controller.continuesRun()) {
            m_taken.reset();
            m_data.reset();
            m_save->setShown({}, *this);
        }
        showEmpty();
    });
    connect(&m_desk.document, &Document::checkedChanged, this, &AnswersView::showEmpty);
    connect(m_save, &FigureSaveButton::noted, this, &AnswersView::noted);
    connect(m_save, &FigureSaveButton::failed, this, &AnswersView::failed);
    connect(m_text, &TokenText::stepPointed, &cursor, &ReadingCursor::pointAt);
    connect(m_text, &TokenText::stepHeld, &cursor, &ReadingCursor::hold);
    connect(m_text, &TokenText::released, &cursor, &ReadingCursor::release);
    connect(m_text, &TokenText::spanBrushed, &cursor, &ReadingCursor::setSpan);
    connect(&cursor, &ReadingCursor::changed, this, &AnswersView::showStep);
    connect(&m_desk.appearance, &Appearance::changed, this, &AnswersView::fill);
}

AnswersView::~AnswersView()
{
    delete m_sight;
}

/// What is not seen costs nothing.
void AnswersView::ask(bool seen)
{
    LensView::ask(seen ? std::optional(answersQuery()) : std::nullopt);
    if (!seen)
        return;
    m_picker->setReading(m_desk.controller.reading());
    take();
}

void AnswersView::take()
{
    auto frame = newest();
    if (!m_sight->isSeen() || !frame || frame == m_taken)
        return;
    m_taken = std::move(frame);
    m_data = dataOf<AnswersData>(m_taken);
    m_picker->setNumbers(m_data && m_data->labels.empty());
    m_save->setShown(shownFigure(m_taken), *this);
    if (m_data) {
        m_desk.cursor.setSteps(std::ssize(m_data->answers));
        m_tellsNext = tellsNext(*m_data);
        fill();
    }
    showEmpty();
}

std::int64_t AnswersView::judgeOf(std::int64_t step) const
{
    return m_tellsNext ? step - 1 : step;
}

/// The ground of a token says how many bits of surprise it was: none as the neutral colour, kMostSurprise and more as
/// the strongest.
void AnswersView::fill()
{
    if (!m_data)
        return;
    const ColourMap colours = ColourMap::diverging(m_desk.appearance.theme().divergingMap());
    std::vector<TokenText::Token> tokens;
    for (std::int64_t step = 0; step < std::ssize(m_data->answers); ++step) {
        const auto at = static_cast<std::size_t>(step);
        TokenText::Token token;
        token.text =
            at < m_data->labels.size() ? QString::fromStdString(m_data->labels[at]) : QString::number(step + 1);
        const std::int64_t judge = judgeOf(step);
        if (judge >= 0 && m_data->tellsClasses()) {
            const StepAnswer& answer = m_data->answers[static_cast<std::size_t>(judge)];
            const double bits = -std::log2(answer.probability);
            if (!answer.came.empty() && std::isnan(bits))
                token.missing = true;
            else if (!answer.came.empty())
                token.ground =
                    QColor(colours[128 + static_cast<int>(std::clamp(bits / kMostSurprise, 0.0, 1.0) * 127)]);
        }
        tokens.push_back(std::move(token));
    }
    ProbeFrame labels;
    labels.characters = m_data->labels;
    m_text->setTokens(std::move(tokens), readsCharacters(labels));
    m_shows->setText(answersShown(*m_data));
    m_bars->setVisible(m_data->tellsClasses());
    fitText();
    showStep();
}

/// No higher than all of its lines.
void AnswersView::fitText()
{
    if (m_data)
        m_text->setMaximumHeight(std::max(m_text->minimumSizeHint().height(), m_text->heightFor(m_text->width())));
}

void AnswersView::resizeEvent(QResizeEvent* event)
{
    LensView::resizeEvent(event);
    fitText();
}

QString AnswersView::classText(std::int64_t step) const
{
    const auto at = static_cast<std::size_t>(step);
    const StepAnswer& answer = m_data->answers[at];
    const QString here = at < m_data->labels.size()
                             ? tr("step %1, after “%2”").arg(step + 1).arg(QString::fromStdString(m_data->labels[at]))
                             : tr("step %1").arg(step + 1);
    if (answer.came.empty())
        return tr("%1: no target").arg(here);
    return tr("%1: actual “%2”, probability %3, loss %4 %5")
        .arg(here, QString::fromStdString(answer.came), number(answer.probability), number(answer.loss),
             QString::fromStdString(m_data->lossUnit));
}

QString AnswersView::numbersText(std::int64_t step) const
{
    const auto at = static_cast<std::size_t>(step);
    QStringList words;
    for (const Forecast& column : m_data->forecasts)
        if (at < column.told.size())
            words << tr("%1: predicted %2, actual %3")
                         .arg(QString::fromStdString(column.column), number(static_cast<double>(column.told[at])),
                              at < column.right.size() ? number(static_cast<double>(column.right[at])) : tr("n/a"));
    const double loss = m_data->answers[at].loss;
    if (std::isfinite(loss))
        words << tr("loss %1 %2").arg(number(loss), QString::fromStdString(m_data->lossUnit));
    return tr("step %1  ·  ").arg(step + 1) + words.join("  ·  ");
}

void AnswersView::showStep()
{
    const std::int64_t step = m_desk.cursor.step();
    m_text->setStep(step);
    m_text->setSpan(m_desk.cursor.from(), m_desk.cursor.to());
    if (!m_data || step < 0 || step >= std::ssize(m_data->answers)) {
        m_words->setText(tr("Point at a token, or click it, to see what the network expects there."));
        m_bars->setAnswer({});
        return;
    }
    m_words->setText(m_data->tellsClasses() ? classText(step) : numbersText(step));
    m_bars->setAnswer(m_data->answers[static_cast<std::size_t>(step)]);
}

void AnswersView::showEmpty()
{
    const QString shows = QString::fromStdString(lens().summary);
    if (const std::string& reason = m_desk.controller.snapshot()->notOpened; !reason.empty())
        m_empty->setSentence(tr("The run cannot be shown: %1.").arg(QString::fromStdString(reason)));
    else if (!m_desk.controller.canBeAsked())
        m_empty->setSentence(tr("Press Run ({run}). %1").arg(shows));
    else if (m_taken && !m_taken->trouble.empty())
        m_empty->setSentence(tr("There is nothing to show: %1.").arg(QString::fromStdString(m_taken->trouble)));
    else
        m_empty->setSentence(tr("Waiting for the first snapshot."));
    showTime();
}

/// What was kept stands in the place of what is.
void AnswersView::showTime()
{
    const bool none = m_taken && !m_taken->trouble.empty(); // what was shown is of another reading
    const bool kept = m_kept != nullptr && m_desk.time && !m_desk.time->isLive();
    showPage(kept ? m_pages->indexOf(m_kept) : m_data && !none ? 1 : 0);
}

} // namespace unroll
