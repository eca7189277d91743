// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace unroll {

/// Interpolated Kneser-Ney models of a text, all orders at once (Kneser, Ney 1995; Chen, Goodman 1999, with one
/// discount for an order). The highest order has the counts of its n-grams, the lower ones count the different tokens
/// before theirs:
///     p_n(w | c) = (max(N(c w) - D, 0) + D K(c) p_{n-1}(w | c')) / N(c),    D = n1 / (n1 + 2 n2),
/// where c' is c without its first token, K(c) how many different tokens followed c, n1 and n2 how many n-grams were
/// counted once and twice; p_0 is 1 / classes, and a context that was never seen leaves p_{n-1}. Where no n-gram was
/// counted once D is 1/2, so that no chance is 0.
class NgramModel {
public:
    struct Limits {
        int64_t orders = 10;
        int64_t grams = 2'000'000; ///< different ones, of all orders; 48 bytes each
    };
    /// Counts a text. An order with which there would be more n-grams than the limit is not counted, nor any above it.
    NgramModel(std::span<const int32_t> text, int64_t classes, Limits limits);
    NgramModel(std::span<const int32_t> text, int64_t classes) : NgramModel(text, classes, Limits{}) {}

    /// Orders that can be asked for: 1 to this. 0 where the text is empty.
    int64_t orders() const { return static_cast<int64_t>(m_levels.size()) - 1; }
    /// How many different n-grams of this length were counted: the numbers that a model of it has to keep.
    int64_t grams(int64_t length) const { return std::ssize(m_levels.at(static_cast<size_t>(length)).grams); }

    /// Calls `heard(const std::vector<double>& chances)` for each token in [from, end) of a text, in order: chances[n]
    /// is that of order n for the token after all those before it.
    template <class Heard>
    void read(std::span<const int32_t> text, int64_t from, int64_t end, Heard heard) const
    {
        Reader reader(*this);
        for (int64_t t = from - orders() > 0 ? from - orders() : 0; t < end; ++t) {
            const std::vector<double>& chances = reader.next(text[static_cast<size_t>(t)]);
            if (t >= from)
                heard(chances);
        }
    }

private:
    /// Numbers 0, 1, ... of keys, in the order in which they came.
    class Numbers {
    public:
        static constexpr uint32_t kNone = ~uint32_t{0};
        Numbers();
        uint32_t add(uint64_t key);
        uint32_t find(uint64_t key) const;
        const std::vector<uint64_t>& keys() const { return m_keys; }

    private:
        size_t placeOf(uint64_t key) const;
        std::vector<uint64_t> m_keys;
        std::vector<uint32_t> m_table; // a power of two of places, at most half of them taken; kNone: free
    };

    struct Gram {
        uint32_t often = 0, befores = 0; // times it was seen, and different tokens before it
        // Of what goes on with one token more: the sums of both, and how many there are.
        uint32_t oftenAfter = 0, beforesAfter = 0, kindsAfter = 0;
    };

    struct Level {       // n-grams of one length; the first level has the one without a token
        Numbers numbers; // of (number of the n-gram without its last token, last token)
        std::vector<Gram> grams;
        double discount = 0, discountBelow = 0; // of the counts as the highest order, and as a lower one
    };

    /// Walks a text.
    class Reader {
    public:
        explicit Reader(const NgramModel& model);
        const std::vector<double>& next(int32_t token);

    private:
        const NgramModel& m_model;
        std::vector<uint32_t> m_contexts; // numbers of the n-grams that end before the next token, by length
        std::vector<double> m_chances;
    };

    static uint64_t keyOf(uint32_t context, int32_t token)
    {
        return uint64_t{context} << 32 | static_cast<uint32_t>(token);
    }
    bool count(std::span<const int32_t> text, std::vector<uint32_t>& ends, int64_t left);
    void sumUp();

    int64_t m_classes;
    std::vector<Level> m_levels; // by length, from 0 on
};

} // namespace unroll
