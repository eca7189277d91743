// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <cstdint>
#include <string>
#include <vector>

namespace unroll {

/// What all lens views of a window share of the reading: the current step, a brushed span of steps, the selected units
/// of one signal. Steps count from 0. The step follows the pointer until one is held, by a click or a key. GUI thread
/// only.
class ReadingCursor : public QObject {
    Q_OBJECT
public:
    struct Selection {
        std::string node; ///< path, as SignalFrame::node; empty with the signal: of whatever is shown
        std::string signal;
        std::vector<std::int64_t> units; ///< ascending; empty: none

        bool operator==(const Selection&) const = default;
    };

    using QObject::QObject;

    std::int64_t step() const { return m_step; } ///< -1: none
    bool isHeld() const { return m_held; }
    std::int64_t from() const { return m_from; } ///< of the brushed span; -1: there is none
    std::int64_t to() const { return m_to; }     ///< excluded; -1: there is none
    const Selection& selection() const { return m_selection; }
    std::string unitsText() const; ///< as the setting `units` of a lens: "3,17"

    /// The pointer is there. Nothing while a step is held.
    void pointAt(std::int64_t step);
    void hold(std::int64_t step);
    void release(); ///< no step, until the pointer comes to one
    /// An empty span (to <= from) is none.
    void setSpan(std::int64_t from, std::int64_t to);
    void select(Selection selection);
    /// The reading has so many steps: what lies beyond them is let go.
    void setSteps(std::int64_t count);
    void clear(); ///< another run, another reading

Q_SIGNALS:
    void changed();          ///< step, span or selection
    void selectionChanged(); ///< before changed()

private:
    void moveTo(std::int64_t step, bool held);

    std::int64_t m_step = -1;
    bool m_held = false;
    std::int64_t m_from = -1;
    std::int64_t m_to = -1;
    Selection m_selection;
};

} // namespace unroll
