// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/studio/canvas/wire_words.h"
#include "core/lens/wires/wires.h"

#include <QAction>
#include <QElapsedTimer>
#include <QObject>
#include <memory>
#include <optional>

namespace unroll {

class GraphScene;
class ReadingCursor;
class RunController;
class TrainingTime;
struct KeptFrame;

/// While its switch is on: the norm of what crosses each wire at the cursor, written on the canvas, of the update that
/// the lenses show; without a cursor that at the last step. Off, the run is asked nothing. Belongs to the window.
class WireNorms : public QObject {
    Q_OBJECT
public:
    static constexpr int kFreshFor = 3000; ///< milliseconds that an answer is of now while it trains

    struct Sources {
        RunController& controller;
        TrainingTime& time;
        ReadingCursor& cursor;
        GraphScene& scene;
    };
    /// All must outlive it.
    WireNorms(QAction& onOff, const Sources& sources, QObject* parent);

private:
    /// The norms of one update.
    struct Norms {
        std::map<OutputPlace, OutputNorms> outputs;
        std::int64_t steps = 0;  ///< of the reading
        std::int64_t update = 0; ///< of training
        std::string of;          ///< what was read
        std::string trouble;     ///< why there are none; empty: there are
    };
    static Norms normsOf(const LensFrame& frame);
    static Norms normsOf(const KeptFrame& frame);
    void turn();
    void take();
    void fetch();
    void write();
    void fade();
    bool isOld() const;
    const std::optional<Norms>& shown() const;
    WireWords wordsFor(const PortRef& output) const;
    WireWords wordsOf(const Norms& norms, const PortRef& output) const;

    QAction& m_onOff;
    const Sources m_from;
    std::shared_ptr<const LensFrame> m_taken;
    std::optional<Norms> m_newest; ///< nothing: there is no answer
    std::optional<Norms> m_kept;   ///< of the update that is shown in place of the newest
    QElapsedTimer m_age;           ///< of the newest
    bool m_pale = false;           ///< as it is written
};

} // namespace unroll
