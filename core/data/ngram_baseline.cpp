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
#include <numeric>
#include <span>

namespace unroll {

namespace {

constexpr int64_t kContext = NgramModel::Limits{}.orders; // tokens that a chance may depend on, and more

/// Targets of a part with the tokens in front of them that n-grams look at.
struct Scored {
    std::vector<int32_t> tokens;
    int64_t from = 0; // of the first target
};

Scored scoredTokens(const TokenStore& tokens, const TargetRange& part, int64_t count)
{
    const int64_t from = 1 + std::min(part.before, kContext);
    return {tokens.slice(part.first - from, from + count), from};
}

struct Counts {
    int64_t counted = 0, validation = 0, test = 0;
};

/// Of what is scored two large parts have a half each; what the smaller one leaves is the other's.
Counts countsOf(const NgramBaseline::Texts& texts, const NgramBaseline::Limits& limits)
{
    const auto scored = [&](const TargetRange& part, const TargetRange& other) {
        return std::min(part.count, std::max(limits.scored / 2, limits.scored - other.count));
    };
    return {std::min(texts.training.count + 1, limits.counted), scored(texts.validation, texts.test),
            scored(texts.test, texts.validation)};
}

int64_t firstCounted(const NgramBaseline::Texts& texts, const Counts& counts)
{
    return texts.training.first + texts.training.count - counts.counted;
}

/// Empty: the whole part.
std::string firstOf(int64_t count, const TargetRange& part, const std::string& unit, const char* name)
{
    return count == part.count ? std::string() : fmt::format("the first {} of the {} part", counted(count, unit), name);
}

std::vector<NgramBaseline::Order> ordersOf(const NgramModel& model, const Scored& scored, int64_t tried)
{
    std::vector<NgramBaseline::Order> orders(static_cast<size_t>(model.orders()));
    for (size_t i = 0; i < orders.size(); ++i)
        orders[i].grams = (i == 0 ? 0 : orders[i - 1].grams) + model.grams(static_cast<int64_t>(i) + 1);
    model.read(scored.tokens, scored.from, scored.from + tried, [&](const std::vector<double>& chances) {
        for (size_t i = 0; i < orders.size(); ++i)
            orders[i].nats -= std::log(chances[i + 1]) / static_cast<double>(tried);
    });
    return orders;
}

std::vector<float> natsOf(const NgramModel& model, int64_t order, const Scored& scored)
{
    std::vector<float> nats;
    nats.reserve(scored.tokens.size());
    model.read(scored.tokens, scored.from, std::ssize(scored.tokens), [&](const std::vector<double>& chances) {
        nats.push_back(static_cast<float>(-std::log(chances[static_cast<size_t>(order)])));
    });
    return nats;
}

} // namespace

NgramBaseline NgramBaseline::of(const Texts& texts)
{
    return of(texts, Limits{});
}

NgramBaseline NgramBaseline::of(const Texts& texts, const Limits& limits)
{
    NgramBaseline made;
    if (texts.training.count < 1 || texts.validation.count < 1) {
        made.why = fmt::format("no {} to {}", texts.unit, texts.training.count < 1 ? "count" : "choose the order by");
        return made;
    }
    const Counts counts = countsOf(texts, limits);
    const NgramModel model(texts.tokens.slice(firstCounted(texts, counts), counts.counted), texts.classes);
    const Scored validation = scoredTokens(texts.tokens, texts.validation, counts.validation);
    const int64_t tried = std::min(counts.validation, limits.tried);
    made.orders = ordersOf(model, validation, tried);
    const auto best = std::min_element(made.orders.begin(), made.orders.end(),
                                       [](const Order& a, const Order& b) { return a.nats < b.nats; });
    made.order = best - made.orders.begin() + 1;
    made.guess = fmt::format("{}-gram, Kneser-Ney", made.order);
    if (counts.counted < texts.training.count + 1)
        made.guess += fmt::format(", of the last {}", unroll::counted(counts.counted, texts.unit));
    made.validation = natsOf(model, made.order, validation);
    if (counts.test > 0)
        made.test = natsOf(model, made.order, scoredTokens(texts.tokens, texts.test, counts.test));
    made.triedOn = firstOf(tried, texts.validation, texts.unit, "validation");
    made.validationOn = firstOf(counts.validation, texts.validation, texts.unit, "validation");
    made.testOn = firstOf(counts.test, texts.test, texts.unit, "test");
    return made;
}

std::optional<Baseline> NgramBaseline::over(Split split, const std::vector<Stretch>& stretches) const
{
    const std::vector<float>& nats = split == Split::Test ? test : validation;
    double sum = 0;
    int64_t targets = 0;
    bool isWhole = true;
    for (const Stretch& each : stretches) {
        const int64_t end = std::min(each.end, std::ssize(nats));
        isWhole = isWhole && end == each.end;
        if (each.from >= end)
            continue;
        sum = std::accumulate(nats.begin() + each.from, nats.begin() + end, sum);
        targets += end - each.from;
    }
    if (targets == 0)
        return std::nullopt;
    const std::string& on = split == Split::Test ? testOn : validationOn;
    return Baseline{sum / static_cast<double>(targets), "nats/token", isWhole ? guess : guess + ", on " + on};
}

namespace {

/// All that the result depends on.
std::string keyOf(const NgramBaseline::Texts& texts)
{
    const Counts counts = countsOf(texts, NgramBaseline::Limits{});
    Sha256 hash;
    const auto add = [&](int64_t first, int64_t count) {
        texts.tokens.walk(first, count, [&](std::span<const int32_t> piece) {
            const auto bytes = std::as_bytes(piece);
            hash.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
            return true;
        });
    };
    if (texts.training.count > 0)
        add(firstCounted(texts, counts), counts.counted);
    for (const auto& [part, count] : {std::pair(texts.validation, counts.validation), {texts.test, counts.test}}) {
        const int64_t before = count > 0 ? 1 + std::min(part.before, kContext) : 0;
        add(part.first - before, before + count);
    }
    std::string key = hash.hex();
    for (const TargetRange& part : {texts.training, texts.validation, texts.test})
        key += fmt::format(" {}+{}-{}", part.first, part.count, part.before);
    return fmt::format("{} {} {}", key, texts.classes, texts.unit);
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
