// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/ngram_baseline.h"

#include "core/base/mutex.h"
#include "core/base/number_text.h"
#include "core/base/sha256.h"
#include "core/data/ngram.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <mutex>

namespace unroll {

namespace {

constexpr int64_t kMostTried = 200'000; // validation targets that orders are compared on

/// The text that a part is in, up to the part's end, and where its targets begin there.
std::pair<std::span<const uint16_t>, int64_t> textOf(const NgramBaseline::Texts& texts, const TargetRange& part)
{
    const int64_t begin = part.first - part.before - 1;
    const auto length = static_cast<size_t>(part.first + part.count - begin);
    return {texts.tokens.subspan(static_cast<size_t>(begin), length), part.first - begin};
}

std::vector<NgramBaseline::Order> ordersOf(const NgramModel& model, const NgramBaseline::Texts& texts)
{
    std::vector<NgramBaseline::Order> orders(static_cast<size_t>(model.orders()));
    for (size_t i = 0; i < orders.size(); ++i)
        orders[i].grams = (i == 0 ? 0 : orders[i - 1].grams) + model.grams(static_cast<int64_t>(i) + 1);
    const auto [text, from] = textOf(texts, texts.validation);
    const int64_t tried = std::min(texts.validation.count, kMostTried);
    model.read(text, from, from + tried, [&](const std::vector<double>& chances) {
        for (size_t i = 0; i < orders.size(); ++i)
            orders[i].nats -= std::log(chances[i + 1]) / static_cast<double>(tried);
    });
    return orders;
}

std::vector<float> natsOf(const NgramModel& model, int64_t order, const NgramBaseline::Texts& texts,
                          const TargetRange& part)
{
    std::vector<float> nats;
    if (part.count == 0)
        return nats;
    nats.reserve(static_cast<size_t>(part.count));
    const auto [text, from] = textOf(texts, part);
    model.read(text, from, std::ssize(text), [&](const std::vector<double>& chances) {
        nats.push_back(static_cast<float>(-std::log(chances[static_cast<size_t>(order)])));
    });
    return nats;
}

} // namespace

std::string NgramBaseline::whyNot(const Texts& texts)
{
    if (texts.training.count < 1 || texts.validation.count < 1)
        return fmt::format("no {} to {}", texts.unit, texts.training.count < 1 ? "count" : "choose the order by");
    if (texts.classes > kMostClasses)
        return fmt::format("{} classes, of which it counts {} at most", grouped(texts.classes), grouped(kMostClasses));
    if (const int64_t scored = texts.validation.count + texts.test.count; scored > kMostScored)
        return fmt::format("{} of the validation and test parts, of which it scores {} at most",
                           counted(scored, texts.unit), grouped(kMostScored));
    return {};
}

NgramBaseline NgramBaseline::of(const Texts& texts)
{
    NgramBaseline made;
    made.why = whyNot(texts);
    if (!made.why.empty())
        return made;
    const int64_t trained = texts.training.count + 1, kept = std::min(trained, kMostCounted);
    const auto begin = static_cast<size_t>(texts.training.first - 1 + trained - kept);
    const NgramModel model(texts.tokens.subspan(begin, static_cast<size_t>(kept)), texts.classes);
    made.orders = ordersOf(model, texts);
    const auto best = std::min_element(made.orders.begin(), made.orders.end(),
                                       [](const Order& a, const Order& b) { return a.nats < b.nats; });
    made.order = best - made.orders.begin() + 1;
    made.guess = fmt::format("{}-gram, Kneser-Ney", made.order);
    if (kept < trained + texts.skipped)
        made.guess += fmt::format(", of the last {}", counted(kept, texts.unit));
    made.validation = natsOf(model, made.order, texts, texts.validation);
    made.test = natsOf(model, made.order, texts, texts.test);
    return made;
}

namespace {

/// All that the result depends on.
std::string keyOf(const NgramBaseline::Texts& texts)
{
    const auto bytes = std::as_bytes(texts.tokens);
    std::string key = sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    for (const TargetRange& part : {texts.training, texts.validation, texts.test})
        key += fmt::format(" {}+{}-{}", part.first, part.count, part.before);
    return fmt::format("{} {} {} {}", key, texts.classes, texts.unit, texts.skipped);
}

/// The texts that were counted last. Who asks for one that is being counted waits for it, and nobody else does.
class Counted {
public:
    std::shared_ptr<const NgramBaseline> of(const NgramBaseline::Texts& texts)
    {
        const std::shared_ptr<Entry> entry = entryOf(keyOf(texts));
        std::call_once(entry->once, [&] { entry->baseline = NgramBaseline::of(texts); });
        return {entry, &entry->baseline};
    }

private:
    struct Entry {
        std::string key;
        std::once_flag once;
        NgramBaseline baseline;
    };

    static constexpr size_t kKept = 4; // texts

    std::shared_ptr<Entry> entryOf(std::string key)
    {
        const MutexLock lock(m_mutex);
        const auto has = [&](const std::shared_ptr<Entry>& entry) { return entry->key == key; };
        if (const auto found = std::ranges::find_if(m_entries, has); found != m_entries.end()) {
            std::rotate(m_entries.begin(), found, found + 1);
            return m_entries.front();
        }
        m_entries.resize(std::min(m_entries.size(), kKept - 1));
        m_entries.insert(m_entries.begin(), std::make_shared<Entry>());
        m_entries.front()->key = std::move(key);
        return m_entries.front();
    }

    Mutex m_mutex;
    std::vector<std::shared_ptr<Entry>> m_entries UNROLL_GUARDED_BY(m_mutex); // the last one asked for comes first
};

} // namespace

std::shared_ptr<const NgramBaseline> NgramBaseline::shared(const Texts& texts)
{
    static Counted counted;
    return counted.of(texts);
}

} // namespace unroll
