// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/studio/theme/plain_label.h"

#include <QEvent>
#include <QLabel>
#include <array>

namespace unroll {

namespace {

constexpr int kInk = 1; ///< pixels that the last letter may reach beyond its width

/// A label whose heights are kept: layouts ask for them at each change of any neighbour, and QLabel breaks its lines
/// again each time.
class WrappedLabel final : public QLabel {
public:
    using QLabel::QLabel;

    int heightForWidth(int width) const override
    {
        if (m_text != text())
            forget();
        for (const Kept& kept : m_kept)
            if (kept.width == width)
                return kept.height;
        m_next = (m_next + 1) % m_kept.size();
        return (m_kept[m_next] = {width, QLabel::heightForWidth(width)}).height;
    }

protected:
    void changeEvent(QEvent* event) override
    {
        QLabel::changeEvent(event);
        forget();
    }

private:
    struct Kept {
        int width = -1, height = 0;
    };
    void forget() const
    {
        m_text = text();
        m_kept.fill({});
    }

    mutable QString m_text;
    mutable std::array<Kept, 4> m_kept; ///< a layout tries a few widths
    mutable std::size_t m_next = 0;
};

} // namespace

QLabel* plainLabel(const QString& words)
{
    auto* label = new WrappedLabel(words);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QLabel* fieldCaption(const QString& words, QWidget* field)
{
    auto* label = new QLabel(words);
    label->setBuddy(field);
    label->setMargin(kInk);
    return label;
}

QString asSentence(QString words)
{
    if (!words.isEmpty())
        words[0] = words[0].toUpper();
    return words.isEmpty() || words.endsWith('.') ? words : words + '.';
}

} // namespace unroll
