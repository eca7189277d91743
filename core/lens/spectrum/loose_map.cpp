// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/lens/spectrum/loose_map.h"

#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace unroll::lenses::spectrum {

namespace {

constexpr std::int64_t kRowsAtOnce = 64; ///< of a product

/// How rows that share columns are cut into pieces, which may share none.
struct LooseCut {
    std::int64_t pieces; ///< kRowsAtOnce at most
    bool strided;        ///< every so many-th row is in one piece; else neighbours are
};

/// Neighbours: heads and channels of several tensors, where the pieces are a multiple of them. Strides: columns of a
/// matrix kept row by row, of a width that has a factor in common with the pieces.
constexpr std::array<LooseCut, 27> kLooseCuts = {
    {{64, false}, {64, true}, {60, false}, {60, true}, {48, false}, {63, false}, {63, true}, {56, false}, {40, false},
     {55, false}, {55, true}, {52, false}, {52, true}, {51, true},  {57, true},  {46, true}, {58, true},  {62, true},
     {37, true},  {41, true}, {43, true},  {47, true}, {53, true},  {59, true},  {61, true}, {44, false}, {54, false}}};

/// Rows, and the columns in which any of them has an entry; no other such group has entries there.
struct LooseGroup {
    std::vector<std::int64_t> rows, columns; ///< ascending
    std::size_t failed = 0;                  ///< cuts that have left it whole

    bool isOpen() const { return std::ssize(rows) > kRowsAtOnce && !columns.empty() && failed < kLooseCuts.size(); }
    std::int64_t pieceOf(std::size_t row) const
    {
        const auto [pieces, strided] = kLooseCuts[failed];
        const auto place = static_cast<std::int64_t>(row);
        return strided ? place % pieces : place * pieces / std::ssize(rows);
    }
};

/// Which pieces are joined by a column that both have.
class JoinedPieces {
public:
    JoinedPieces() { std::iota(m_first.begin(), m_first.end(), std::int64_t{0}); }

    std::int64_t of(std::int64_t piece) const
    {
        while (m_first[static_cast<std::size_t>(piece)] != piece)
            piece = m_first[static_cast<std::size_t>(piece)];
        return piece;
    }
    void join(std::int64_t one, std::int64_t other)
    {
        const std::int64_t a = of(one), b = of(other);
        m_first[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }

private:
    std::array<std::int64_t, kRowsAtOnce> m_first{};
};

using LooseRow = std::vector<std::pair<std::int64_t, double>>; ///< entries by column

/// One matrix that is taken apart.
class LooseSearch {
public:
    LooseSearch(const RowProducts& products, std::int64_t n) : m_products(products), m_n(n), m_rows(size(n)) {}

    bool isFinite() const { return m_isFinite; }
    std::int64_t entries() const { return m_entries; } ///< at most, of what was taken
    std::vector<LooseRow>& rows() { return m_rows; }

    /// Of which numbers those of each of these sets are made: whether any of one is of any of the other.
    at::Tensor dependence(const std::vector<std::vector<std::int64_t>>& sets)
    {
        const std::int64_t count = std::ssize(sets);
        at::Tensor along = at::zeros({count, m_n}, at::kDouble), found = at::zeros({count, count}, at::kDouble);
        for (std::int64_t i = 0; i < count; ++i)
            for (const std::int64_t number : sets[size(i)])
                along.mutable_data_ptr<double>()[i * m_n + number] = random();
        const at::Tensor made = product(along);
        const double* values = made.const_data_ptr<double>();
        for (std::int64_t i = 0; i < count; ++i)
            for (std::int64_t j = 0; j < count; ++j)
                for (const std::int64_t number : sets[size(j)])
                    if (values[i * m_n + number] != 0)
                        found.mutable_data_ptr<double>()[i * count + j] = 1;
        return found;
    }

    /// The rows of these numbers with what they have in columns of the same; false: more than `largest` are left whole,
    /// more entries than are kept, or the end. `whole`: the most that are.
    bool take(const std::vector<std::int64_t>& numbers, const LooseLimits& limits, const std::stop_token& end,
              std::int64_t& whole)
    {
        std::vector<LooseGroup> groups(1, LooseGroup{numbers, numbers});
        while (m_isFinite && !end.stop_requested() &&
               std::any_of(groups.begin(), groups.end(), [](const LooseGroup& group) { return group.isOpen(); }))
            groups = cut(groups);
        std::erase_if(groups, [](const LooseGroup& group) { return group.columns.empty(); });
        whole = 0;
        for (const LooseGroup& group : groups) {
            whole = std::max(whole, std::ssize(group.rows));
            m_entries += std::ssize(group.rows) * std::ssize(group.columns);
        }
        if (!m_isFinite || end.stop_requested() || whole > limits.largest || m_entries > limits.entries)
            return false;
        for (std::int64_t first = 0; first < whole && !end.stop_requested(); first += kRowsAtOnce)
            read(groups, first);
        return m_isFinite && !end.stop_requested() && isRight(numbers);
    }

private:
    static std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

    at::Tensor product(const at::Tensor& along)
    {
        at::Tensor made = m_products(along).contiguous();
        m_isFinite = m_isFinite && at::isfinite(made).all().item<bool>();
        return made;
    }

    /// Of either sign and no small size, so that a sum is zero where every part of it is.
    double random()
    {
        const double value = std::uniform_real_distribution<double>(0.5, 1)(m_random);
        return m_random() % 2 == 0 ? value : -value;
    }

    at::Tensor randomOf(const std::vector<std::int64_t>& numbers)
    {
        at::Tensor along = at::zeros({1, m_n}, at::kDouble);
        double* to = along.mutable_data_ptr<double>();
        for (const std::int64_t number : numbers)
            to[number] = random();
        return along;
    }

    /// Every open group once.
    std::vector<LooseGroup> cut(const std::vector<LooseGroup>& groups)
    {
        at::Tensor along = at::zeros({kRowsAtOnce, m_n}, at::kDouble);
        double* to = along.mutable_data_ptr<double>();
        for (const LooseGroup& group : groups)
            for (std::size_t i = 0; group.isOpen() && i < group.rows.size(); ++i)
                to[group.pieceOf(i) * m_n + group.rows[i]] = random();
        const at::Tensor made = product(along);
        std::vector<LooseGroup> next;
        for (const LooseGroup& group : groups)
            if (group.isOpen())
                cutOne(group, made.const_data_ptr<double>(), next);
            else
                next.push_back(group);
        return next;
    }

    /// `made` [kRowsAtOnce, n]: what each piece has in each column.
    void cutOne(const LooseGroup& group, const double* made, std::vector<LooseGroup>& to) const
    {
        JoinedPieces joined;
        std::vector<std::int64_t> touched; // of each column, a piece that has it; -1: none
        for (const std::int64_t column : group.columns) {
            std::int64_t first = -1;
            for (std::int64_t piece = 0; piece < kLooseCuts[group.failed].pieces; ++piece)
                if (made[piece * m_n + column] != 0) {
                    if (first < 0)
                        first = piece;
                    joined.join(first, piece);
                }
            touched.push_back(first);
        }
        std::array<std::int64_t, kRowsAtOnce> place{}; // among the new ones
        place.fill(-1);
        const std::size_t before = to.size();
        for (std::size_t i = 0; i < group.rows.size(); ++i) {
            std::int64_t& its = place[size(joined.of(group.pieceOf(i)))];
            if (its < 0) {
                its = std::ssize(to);
                to.emplace_back();
            }
            to[size(its)].rows.push_back(group.rows[i]);
        }
        for (std::size_t i = 0; i < touched.size(); ++i)
            if (touched[i] >= 0)
                to[size(place[size(joined.of(touched[i]))])].columns.push_back(group.columns[i]);
        if (to.size() == before + 1)
            to.back().failed = group.failed + 1;
    }

    /// One row of each group at once, those from `first` on.
    void read(const std::vector<LooseGroup>& groups, std::int64_t first)
    {
        const auto count = [&](const LooseGroup& group) {
            return std::clamp<std::int64_t>(std::ssize(group.rows) - first, 0, kRowsAtOnce);
        };
        at::Tensor along = at::zeros({kRowsAtOnce, m_n}, at::kDouble);
        double* to = along.mutable_data_ptr<double>();
        for (const LooseGroup& group : groups)
            for (std::int64_t i = 0; i < count(group); ++i)
                to[i * m_n + group.rows[size(first + i)]] = 1;
        const at::Tensor made = product(along);
        const double* values = made.const_data_ptr<double>();
        for (const LooseGroup& group : groups)
            for (std::int64_t i = 0; i < count(group); ++i) {
                LooseRow& row = m_rows[size(group.rows[size(first + i)])];
                for (const std::int64_t column : group.columns)
                    if (values[i * m_n + column] != 0)
                        row.emplace_back(column, values[i * m_n + column]);
            }
    }

    /// A sum of all rows, beside the same by the matrix: to single precision.
    bool isRight(const std::vector<std::int64_t>& numbers)
    {
        const at::Tensor along = randomOf(numbers), made = product(along);
        const double* factors = along.const_data_ptr<double>();
        const double* values = made.const_data_ptr<double>();
        std::vector<double> sums(size(m_n), 0), sizes(size(m_n), 0);
        double largest = 0;
        for (const std::int64_t row : numbers)
            for (const auto& [column, value] : m_rows[size(row)]) {
                sums[size(column)] += factors[row] * value;
                sizes[size(column)] += std::abs(value);
                largest = std::max(largest, std::abs(value));
            }
        return std::all_of(numbers.begin(), numbers.end(), [&](std::int64_t column) {
            return std::abs(values[column] - sums[size(column)]) <= 1e-4 * sizes[size(column)] + 1e-6 * largest;
        });
    }

    const RowProducts& m_products;
    std::int64_t m_n;
    std::vector<LooseRow> m_rows;
    std::int64_t m_entries = 0;
    bool m_isFinite = true;
    std::mt19937_64 m_random{7};
};

} // namespace

tl::expected<SparseMap, LooseError> looseMap(const RowProducts& products, const std::vector<std::int64_t>& widths,
                                             const LooseLimits& limits, const std::stop_token& end)
{
    const auto failed = [](LooseFailure failure, std::string sentence) {
        return tl::unexpected<LooseError>(LooseError{failure, std::move(sentence)});
    };
    const std::int64_t n = std::accumulate(widths.begin(), widths.end(), std::int64_t{0});
    std::vector<std::vector<std::int64_t>> tensors; // the numbers of each
    std::int64_t next = 0;
    for (const std::int64_t width : widths) {
        std::vector<std::int64_t>& own = tensors.emplace_back(static_cast<std::size_t>(width));
        std::iota(own.begin(), own.end(), next);
        next += width;
    }
    LooseSearch search(products, n);
    for (const std::vector<std::int64_t>& together : SparseMap(search.dependence(tensors)).circles()) {
        std::vector<std::int64_t> numbers;
        for (const std::int64_t tensor : together) {
            const std::vector<std::int64_t>& own = tensors[static_cast<std::size_t>(tensor)];
            numbers.insert(numbers.end(), own.begin(), own.end());
        }
        std::int64_t whole = 0;
        if (search.isFinite() && search.take(numbers, limits, end, whole))
            continue;
        if (end.stop_requested())
            return failed(LooseFailure::Cancelled, "it was cancelled");
        if (!search.isFinite())
            return failed(LooseFailure::NotFinite, "some of its derivatives are not finite");
        if (whole > limits.largest)
            return failed(
                LooseFailure::Shared,
                fmt::format("{} of its {} numbers depend on the same ones, and eigenvalues are taken of {} at most",
                            whole, n, limits.largest));
        if (search.entries() > limits.entries)
            return failed(LooseFailure::Shared,
                          fmt::format("its Jacobian has up to {} entries that are not 0, and {} at most are kept",
                                      search.entries(), limits.entries));
        return failed(LooseFailure::Wrong,
                      fmt::format("its {} numbers were told apart in a way that does not give its products", n));
    }
    SparseMap map(n);
    for (LooseRow& row : search.rows())
        map.appendRow(std::exchange(row, {})); // not kept twice
    return map;
}

} // namespace unroll::lenses::spectrum
