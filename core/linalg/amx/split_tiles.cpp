// SPDX-License-Identifier: GPL-3.0-or-later
// An output tile is 32 rows by 32 columns of out, four tiles of sums in registers. It is AMX that is waited for: 24
// products take some 117 ns.
#include "core/linalg/amx/split_tiles.h"

#include "core/linalg/amx/amx.h"

#if defined(__x86_64__)

#include <algorithm>
#include <cstring>

#define UNROLL_TILES __attribute__((target("amx-tile,amx-bf16")))
#define UNROLL_INLINE inline __attribute__((always_inline))

namespace unroll::linalg {
namespace {

// Registers 0 to 3 are the sums, 4 and 5 tiles of right, 6 and 7 tiles of left.
#define UNROLL_LOAD(tile, from, part, half)                                                                            \
    _tile_loadd(tile, (from) + (2 * (part) + (half)) * kTileBytes, kTileLineBytes)

/// A part of right comes, and is multiplied by the part of left that is there.
UNROLL_TILES UNROLL_INLINE void addRight(const std::uint8_t* right, int part)
{
    UNROLL_LOAD(4, right, part, 0);
    _tile_dpbf16ps(0, 6, 4);
    _tile_dpbf16ps(2, 7, 4);
    UNROLL_LOAD(5, right, part, 1);
    _tile_dpbf16ps(1, 6, 5);
    _tile_dpbf16ps(3, 7, 5);
}

/// The other way round.
UNROLL_TILES UNROLL_INLINE void addLeft(const std::uint8_t* left, int part)
{
    UNROLL_LOAD(6, left, part, 0);
    _tile_dpbf16ps(0, 6, 4);
    _tile_dpbf16ps(1, 6, 5);
    UNROLL_LOAD(7, left, part, 1);
    _tile_dpbf16ps(2, 7, 4);
    _tile_dpbf16ps(3, 7, 5);
}

/// The products of a tile's depth, from part to part so that a step changes one factor.
template <int kRightParts>
UNROLL_TILES UNROLL_INLINE void addDepth(const std::uint8_t* left, const std::uint8_t* right)
{
    if constexpr (kRightParts == 1) {
        UNROLL_LOAD(4, right, 0, 0);
        UNROLL_LOAD(5, right, 0, 1);
        addLeft(left, 2);
        addLeft(left, 1);
        addLeft(left, 0);
    } else {
        UNROLL_LOAD(6, left, 0, 0);
        UNROLL_LOAD(7, left, 0, 1);
        addRight(right, 2);
        addRight(right, 1);
        addLeft(left, 1);
        addRight(right, 0);
        addLeft(left, 2);
        addLeft(left, 0);
    }
}

#undef UNROLL_LOAD

/// Bytes of a result that do not stay in the second caches until they are read. They are written past the caches, 1.15
/// to 1.3 times as fast where what was in that memory is in no cache either, as in training.
constexpr std::int64_t kStreamedBytes = std::int64_t(4) << 20;

/// Where the numbers of an output tile are: out, or a copy where that ends within it or is written past the caches.
class OutputTile {
public:
    OutputTile(const SplitProduct& p, Range depth, std::int64_t row, std::int64_t column)
        : m_rows(std::min(kSplitPanel, p.rows - row)),
          m_columns(std::min(kSplitPanel, p.columns - column)),
          m_outStride(p.columns),
          m_out(p.out + row * p.columns + column)
    {
        const bool isWhole = m_rows == kSplitPanel && m_columns == kSplitPanel;
        const bool isMadeAtOnce = depth.begin == 0 && depth.end == p.depth;
        const bool hasWholeLines = reinterpret_cast<std::uintptr_t>(p.out) % 64 == 0 && p.columns % kLineNumbers == 0;
        m_isStreamed = isWhole && isMadeAtOnce && hasWholeLines && p.rows * p.columns * 4 > kStreamedBytes;
        m_isCopied = !isWhole || m_isStreamed;
    }

    float* numbers() { return m_isCopied ? m_copy[0] : m_out; }
    std::int64_t stride() const { return m_isCopied ? kSplitPanel : m_outStride; }

    void read()
    {
        if (m_isCopied)
            for (std::int64_t i = 0; i < m_rows; ++i)
                std::copy_n(m_out + i * m_outStride, m_columns, m_copy[i]);
    }

    void write() const
    {
        if (m_isStreamed)
            stream();
        else if (m_isCopied)
            for (std::int64_t i = 0; i < m_rows; ++i)
                std::copy_n(m_copy[i], m_columns, m_out + i * m_outStride);
    }

private:
    static constexpr std::int64_t kLineNumbers = 16;

    __attribute__((target("avx512f"))) void stream() const
    {
        for (std::int64_t i = 0; i < kSplitPanel; ++i)
            for (std::int64_t j = 0; j < kSplitPanel; j += kLineNumbers)
                _mm512_stream_ps(m_out + i * m_outStride + j, _mm512_load_ps(m_copy[i] + j));
    }

    std::int64_t m_rows, m_columns, m_outStride;
    float* m_out;
    bool m_isStreamed, m_isCopied;
    alignas(64) float m_copy[kSplitPanel][kSplitPanel];
};

UNROLL_TILES UNROLL_INLINE void loadSums(const float* from, std::int64_t stride)
{
    const float* below = from + kSplitTileSide * stride;
    _tile_loadd(0, from, 4 * stride);
    _tile_loadd(1, from + kSplitTileSide, 4 * stride);
    _tile_loadd(2, below, 4 * stride);
    _tile_loadd(3, below + kSplitTileSide, 4 * stride);
}

UNROLL_TILES UNROLL_INLINE void storeSums(float* to, std::int64_t stride)
{
    float* below = to + kSplitTileSide * stride;
    _tile_stored(0, to, 4 * stride);
    _tile_stored(1, to + kSplitTileSide, 4 * stride);
    _tile_stored(2, below, 4 * stride);
    _tile_stored(3, below + kSplitTileSide, 4 * stride);
}

/// What is fetched on the way, for later: some lines with every tile of the depth.
struct Ahead {
    const std::uint8_t* next;
    std::int64_t lines;
};

template <int kRightParts>
UNROLL_TILES void multiplyTile(const SplitProduct& p, Range depth, std::int64_t row, std::int64_t column,
                               const std::uint8_t* left, const std::uint8_t* right, Ahead& ahead)
{
    OutputTile tile(p, depth, row, column);
    if (depth.begin == 0) {
        loadSums(p.bias + column, 0); // every row of a tile the same
    } else {
        tile.read();
        writtenBeforeTiles();
        loadSums(tile.numbers(), tile.stride());
    }
    // The first store of a tile after some 120 products without one takes 0.25 us, one soon after another nothing (a
    // Xeon, 2026): hence one that nobody reads.
    alignas(64) std::uint8_t idle[kTileBytes];
    for (std::int64_t k = tilesDeep(depth); k > 0; --k) {
        addDepth<kRightParts>(left, right);
        left += 2 * kSplitParts * kTileBytes;
        right += 2 * kRightParts * kTileBytes;
        _tile_stored(4, idle, kTileLineBytes);
        for (std::int64_t i = 0; i < ahead.lines; ++i, ahead.next += kTileLineBytes)
            _mm_prefetch(ahead.next, _MM_HINT_T0);
    }
    storeSums(tile.numbers(), tile.stride());
    tile.write();
}

/// Panel by panel of right, which all rows read while the next one is fetched: together they do not fit into a core's
/// second cache.
template <int kRightParts>
void multiplyPanels(const SplitProduct& p, Range depth, Range rows, const std::uint8_t* packedRows,
                    const std::uint8_t* packedColumns)
{
    const std::int64_t tiles = 2 * tilesDeep(depth) * kTileBytes;
    const std::int64_t outputTiles = (rows.end - rows.begin + kSplitPanel - 1) / kSplitPanel;
    const std::uint8_t* right = packedColumns;
    for (std::int64_t column = 0; column < p.columns; column += kSplitPanel, right += kRightParts * tiles) {
        const std::uint8_t* left = packedRows;
        Ahead ahead{right + kRightParts * tiles, 2 * kRightParts * kTileLines / outputTiles};
        for (std::int64_t row = rows.begin; row < rows.end; row += kSplitPanel, left += kSplitParts * tiles)
            multiplyTile<kRightParts>(p, depth, row, column, left, right, ahead);
    }
}

} // namespace

void multiplyPacked(const SplitProduct& p, Range depth, Range rows, const std::uint8_t* packedRows,
                    const std::uint8_t* packedColumns)
{
    const ConfiguredTiles tiles;
    writtenBeforeTiles();
    if (p.rightParts == 1)
        multiplyPanels<1>(p, depth, rows, packedRows, packedColumns);
    else
        multiplyPanels<kSplitParts>(p, depth, rows, packedRows, packedColumns);
    _mm_sfence(); // what went past the caches is there before other threads are told so
}

} // namespace unroll::linalg

#endif // __x86_64__
