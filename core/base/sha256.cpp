// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define UNROLL_SHA_INSTRUCTIONS 1
#endif

namespace unroll {

namespace {

constexpr size_t kBlock = 64; // bytes

// FIPS 180-4, section 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
alignas(16) constexpr std::array<uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using Digest = std::array<uint32_t, 8>;

std::array<uint32_t, 64> schedule(const unsigned char* block)
{
    std::array<uint32_t, 64> w{};
    for (size_t i = 0; i < 16; ++i)
        w[i] = uint32_t{block[4 * i]} << 24 | uint32_t{block[4 * i + 1]} << 16 | uint32_t{block[4 * i + 2]} << 8 |
               uint32_t{block[4 * i + 3]};
    for (size_t i = 16; i < 64; ++i) {
        const uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
        const uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    return w;
}

void compressOne(Digest& digest, const unsigned char* block)
{
    const std::array<uint32_t, 64> w = schedule(block);
    auto [a, b, c, d, e, f, g, h] = digest;
    for (size_t i = 0; i < 64; ++i) {
        const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
        const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    const Digest added = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < added.size(); ++i)
        digest[i] += added[i];
}

#ifdef UNROLL_SHA_INSTRUCTIONS

/// The same by the processor's own instructions, which do two rounds each: a text of gigabytes is read as fast as it is hashed. They take the
/// digest as (a,b,e,f) and (c,d,g,h), and four words of the schedule at a time.
__attribute__((target("sha,sse4.1"))) void compressByInstructions(Digest& digest, const unsigned char* blocks,
                                                                  size_t count)
{
    const auto load = [](const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); };
    const __m128i bigEndian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i dcba = load(digest.data()), hgfe = load(digest.data() + 4);
    const __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1), efgh = _mm_shuffle_epi32(hgfe, 0x1B);
    __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
    for (; count > 0; --count, blocks += kBlock) {
        const __m128i abefBefore = abef, cdghBefore = cdgh;
        __m128i w[4];
#pragma GCC unroll 16
        for (size_t i = 0; i < 16; ++i) {
            __m128i& words = w[i % 4];
            if (i < 4) {
                words = _mm_shuffle_epi8(load(blocks + 16 * i), bigEndian);
            } else {
                const __m128i last = w[(i + 3) % 4];
                const __m128i seven = _mm_alignr_epi8(last, w[(i + 2) % 4], 4); // w[t-7]
                words = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(words, w[(i + 1) % 4]), seven), last);
            }
            const __m128i added = _mm_add_epi32(words, load(kRound.data() + 4 * i));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, added);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(added, 0x0E));
        }
        abef = _mm_add_epi32(abef, abefBefore);
        cdgh = _mm_add_epi32(cdgh, cdghBefore);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(digest.data()), _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(digest.data() + 4), _mm_alignr_epi8(dchg, feba, 8));
}

bool hasInstructions()
{
    static const bool has = [] {
        unsigned a = 0, b = 0, c = 0, d = 0;
        constexpr unsigned kSha = 1U << 29, kSse41 = 1U << 19;
        __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
        const bool sha = (b & kSha) != 0;
        __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1), "c"(0));
        return sha && (c & kSse41) != 0;
    }();
    return has;
}

#endif

void compress(Digest& digest, const unsigned char* blocks, size_t count)
{
#ifdef UNROLL_SHA_INSTRUCTIONS
    if (hasInstructions())
        return compressByInstructions(digest, blocks, count);
#endif
    for (; count > 0; --count, blocks += kBlock)
        compressOne(digest, blocks);
}

} // namespace

Sha256::Sha256()
    : m_digest{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, m_rest{}
{}

void Sha256::add(std::string_view bytes)
{
    m_bytes += bytes.size();
    if (m_kept > 0) {
        const size_t taken = std::min(kBlock - m_kept, bytes.size());
        std::memcpy(m_rest.data() + m_kept, bytes.data(), taken);
        m_kept += taken;
        bytes.remove_prefix(taken);
        if (m_kept < kBlock)
            return;
        compress(m_digest, m_rest.data(), 1);
        m_kept = 0;
    }
    compress(m_digest, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size() / kBlock);
    m_kept = bytes.size() % kBlock;
    if (m_kept > 0)
        std::memcpy(m_rest.data(), bytes.data() + bytes.size() - m_kept, m_kept);
}

/// A 1 bit, zeros, and the length in bits fill up the last block, or that and one more (section 5.1.1).
std::string Sha256::hex()
{
    const uint64_t bits = m_bytes * 8;
    std::string end = "\x80";
    while ((m_kept + end.size()) % kBlock != kBlock - 8)
        end += '\0';
    for (int shift = 56; shift >= 0; shift -= 8)
        end += static_cast<char>(bits >> shift & 0xFF);
    add(end);
    std::string hex;
    for (const uint32_t word : m_digest)
        hex += fmt::format("{:08x}", word);
    return hex;
}

std::string sha256(std::string_view bytes)
{
    Sha256 sum;
    sum.add(bytes);
    return sum.hex();
}

} // namespace unroll
