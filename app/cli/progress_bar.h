// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace unroll::cli {

/// How far a run is, or a text that is made up: then its tokens are the steps. Losses in nats.
struct Progress {
    std::int64_t step = 0;
    std::int64_t steps = 0;
    std::optional<double> loss;
    bool noTargets = false; ///< the newest update had none, so that it has no loss
    std::optional<double> validationLoss;
    double tokensPerSecond = 0;
    double secondsLeft = 0;
};

/// One line on stderr that is drawn again and again on a terminal; elsewhere a plain line now and then.
class ProgressBar {
public:
    explicit ProgressBar(bool visible, std::chrono::seconds between = std::chrono::seconds(10)); ///< two plain lines
    ~ProgressBar(); ///< leaves the last state standing

    void draw(const Progress& progress);
    /// Takes the line away, so that something else can be printed; the next draw brings it back.
    void clear();

private:
    bool m_visible;
    bool m_terminal;
    bool m_drawn = false;
    std::int64_t m_printed = -1; ///< step of the newest plain line
    std::chrono::seconds m_between;
    std::chrono::steady_clock::time_point m_next;
};

/// What is done before there is a run, once it takes longer than a second: "Reading big.txt: 1.2 of 3.0 GB". Drawn as
/// the bar is.
class ReadingLine {
public:
    explicit ReadingLine(bool visible = true);
    ~ReadingLine() { clear(); }

    void draw(const std::string& words);
    void clear();

private:
    bool m_visible;
    bool m_terminal;
    bool m_drawn = false;
    std::chrono::steady_clock::time_point m_next;
};

/// "[#####-----] 500/2000  loss 1.734  val 1.800  52.1k tokens/s  0:43 left", cut to `columns`.
std::string progressLine(const Progress& progress, int columns);
/// 75 -> "1:15", 3700 -> "1:01:40".
std::string durationText(double seconds);

} // namespace unroll::cli
