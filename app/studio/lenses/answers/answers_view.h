// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/lenses/answers/likely_bars.h"
#include "app/studio/lenses/answers/reading_picker.h"
#include "app/studio/lenses/figure_save_button.h"
#include "app/studio/lenses/in_sight.h"
#include "app/studio/lenses/lens_view.h"
#include "app/studio/lenses/token_text.h"
#include "app/studio/theme/empty_state.h"
#include "app/studio/theme/plain_label.h"
#include "core/lens/answers/answers.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>

namespace unroll {

class KeptPage;

/// The reading's text, each token coloured by how surprising it was to the network, and below it what the network
/// expects at the current step. What all lenses read is chosen here.
class AnswersView : public LensView {
    Q_OBJECT
public:
    explicit AnswersView(const LensDesk& desk, QWidget* parent = nullptr);
    ~AnswersView() override;

    bool isEmpty() const { return shownPage() == 0; }
    void addToBar(QWidget* part) override { m_bar->addWidget(part); }
    EmptyState& emptyState() const { return *m_empty; }
    TokenText& text() const { return *m_text; }
    ReadingPicker& picker() const { return *m_picker; }
    QString shownText() const { return m_words->text(); } ///< of the current step
    /// The step whose answer says how surprising the token of this one was; -1: none does. Of a text that is the step
    /// before.
    std::int64_t judgeOf(std::int64_t step) const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* page();
    void listen();
    void ask(bool seen);
    void take();
    void fill();
    void fitText();
    void showStep();
    void showEmpty();
    void showTime();
    QString classText(std::int64_t step) const;
    QString numbersText(std::int64_t step) const;

    LensDesk m_desk;
    ReadingPicker* m_picker;
    FigureSaveButton* m_save;
    QLabel* m_shows; ///< it wraps
    TokenText* m_text;
    QLabel* m_words;
    LikelyBars* m_bars;
    EmptyState* m_empty;
    KeptPage* m_kept = nullptr; ///< null: there is no going back here
    QStackedWidget* m_pages;
    QHBoxLayout* m_bar;
    InSight* m_sight;
    std::shared_ptr<const LensFrame> m_taken;  ///< the newest that came
    std::shared_ptr<const AnswersData> m_data; ///< null: none has come
    bool m_tellsNext = false;                  ///< what is asked at a step is the token of the next
};

} // namespace unroll
