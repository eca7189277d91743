// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>
#include <openssl/evp.h>

namespace unroll {

namespace {

/// OpenSSL fails here only where it has no memory.
void demand(int done)
{
    if (done != 1)
        throw std::bad_alloc();
}

} // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const
{
    EVP_MD_CTX_free(context);
}

Sha256::Sha256() : m_context(EVP_MD_CTX_new())
{
    demand(m_context ? EVP_DigestInit_ex(m_context.get(), EVP_sha256(), nullptr) : 0);
}

void Sha256::add(std::string_view bytes)
{
    demand(EVP_DigestUpdate(m_context.get(), bytes.data(), bytes.size()));
}

std::string Sha256::hex()
{
    std::array<unsigned char, 32> digest{};
    demand(EVP_DigestFinal_ex(m_context.get(), digest.data(), nullptr));
    return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string sha256(std::string_view bytes)
{
    Sha256 sum;
    sum.add(bytes);
    return sum.hex();
}

} // namespace unroll
