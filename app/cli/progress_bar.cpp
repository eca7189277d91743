// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress_bar.h"

#include "app/cli/terminal.h"

#include "core/base/signed_number.h"
#include "core/base/visible.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace unroll::cli {
namespace {

constexpr int kWidestBar = 30;

std::string speedText(double tokensPerSecond)
{
    if (tokensPerSecond >= 1e6)
        return fmt::format("{:.2f}M tokens/s", tokensPerSecond / 1e6);
    return tokensPerSecond >= 1e3 ? fmt::format("{:.1f}k tokens/s", tokensPerSecond / 1e3)
                                  : fmt::format("{:.0f} tokens/s", tokensPerSecond);
}

std::string factsText(const Progress& progress)
{
    std::string text = fmt::format("{}/{}", progress.step, progress.steps);
    if (progress.noTargets)
        text += "  loss n/a";
    else if (progress.loss)
        text += "  loss " + fixedNumber(*progress.loss, 4);
    if (progress.validationLoss)
        text += "  val " + fixedNumber(*progress.validationLoss, 4);
    if (progress.tokensPerSecond > 0)
        text += "  " + speedText(progress.tokensPerSecond);
    if (progress.secondsLeft > 0)
        text += fmt::format("  {} left", durationText(progress.secondsLeft));
    return text;
}

void wipe()
{
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
}

} // namespace

std::string durationText(double seconds)
{
    const auto whole = static_cast<std::int64_t>(std::llround(std::clamp(seconds, 0.0, 1e9)));
    if (whole >= 3600)
        return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string progressLine(const Progress& progress, int columns)
{
    const std::string facts = factsText(progress);
    const int room = std::min(columns - static_cast<int>(facts.size()) - 4, kWidestBar);
    if (room < 5)
        return facts.substr(0, static_cast<std::size_t>(std::max(columns - 1, 1)));
    const double done =
        progress.steps > 0 ? static_cast<double>(progress.step) / static_cast<double>(progress.steps) : 0;
    const auto full = static_cast<std::size_t>(std::clamp(done, 0.0, 1.0) * room);
    return fmt::format("[{}{}] {}", std::string(full, '#'), std::string(static_cast<std::size_t>(room) - full, '-'),
                       facts);
}

ProgressBar::ProgressBar(bool visible, std::chrono::seconds between)
    : m_visible(visible),
      m_terminal(isTerminal(stderr)),
      m_between(between),
      m_next(std::chrono::steady_clock::now() + between)
{}

ProgressBar::~ProgressBar()
{
    if (m_drawn)
        std::fputc('\n', stderr);
}

void ProgressBar::draw(const Progress& progress)
{
    if (!m_visible)
        return;
    if (m_terminal) {
        std::fputs(("\r\x1b[K" + progressLine(progress, columnsOf(stderr))).c_str(), stderr);
        std::fflush(stderr);
        m_drawn = true;
    } else if (const auto now = std::chrono::steady_clock::now(); now >= m_next && progress.step != m_printed) {
        m_printed = progress.step;
        tell(progressLine(progress, 100));
        m_next = now + m_between;
    }
}

void ProgressBar::clear()
{
    if (std::exchange(m_drawn, false))
        wipe();
}

ReadingLine::ReadingLine(bool visible)
    : m_visible(visible),
      m_terminal(isTerminal(stderr)),
      m_next(std::chrono::steady_clock::now() + std::chrono::seconds(1))
{}

void ReadingLine::draw(const std::string& words)
{
    const auto now = std::chrono::steady_clock::now();
    if (!m_visible || now < m_next)
        return;
    m_next = now + (m_terminal ? std::chrono::milliseconds(100) : std::chrono::seconds(5));
    if (!m_terminal)
        return tell(words);
    const std::string line = visibleText(words);
    std::fputs(("\r\x1b[K" + line.substr(0, static_cast<std::size_t>(std::max(columnsOf(stderr) - 1, 1)))).c_str(),
               stderr);
    std::fflush(stderr);
    m_drawn = true;
}

void ReadingLine::clear()
{
    if (std::exchange(m_drawn, false))
        wipe();
}

} // namespace unroll::cli
