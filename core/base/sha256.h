// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st; // of OpenSSL

namespace unroll {

/// SHA-256 (FIPS 180-4) of bytes that come in pieces, by OpenSSL.
class Sha256 {
public:
    Sha256();
    void add(std::string_view bytes);
    /// Of all that was added, as 64 lower-case hexadecimal digits. Nothing can be added afterwards.
    std::string hex();

private:
    struct Free {
        void operator()(evp_md_ctx_st* context) const;
    };
    std::unique_ptr<evp_md_ctx_st, Free> m_context;
};

/// The same of bytes in one piece.
std::string sha256(std::string_view bytes);

} // namespace unroll
