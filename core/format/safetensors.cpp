// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/safetensors.h"

#include "core/format/foreign_file.h"
#include "core/format/little_endian.h"

#include <array>
#include <cassert>
#include <fmt/format.h>
#include <new>

namespace unroll::format {
namespace {

constexpr std::uint64_t kLengthBytes = 8;

// The header's length, once it is known to lie within the file.
Result<std::size_t> headerLength(const InputFile& file)
{
    if (file.size() < kLengthBytes)
        return fail(
            fmt::format("is {} bytes long; a safetensors file begins with {} bytes with the length of its header",
                        file.size(), kLengthBytes),
            file.place(0));
    std::array<std::byte, kLengthBytes> raw;
    if (auto read = file.readAt(0, raw); !read)
        return tl::unexpected(read.error());
    const auto length = loadLittleEndian<std::uint64_t>(raw.data());
    if (length > kSafetensorsHeaderLimit)
        return fail(fmt::format("claims a header of {} bytes; at most {} are allowed", length, kSafetensorsHeaderLimit),
                    file.place(0));
    if (length > file.size() - kLengthBytes)
        return fail(fmt::format("claims a header of {} bytes, but only {} follow: the file is truncated", length,
                                file.size() - kLengthBytes),
                    file.place(0));
    return static_cast<std::size_t>(length);
}

/// Of a file that is open: its header and where its data begin.
Result<std::pair<SafetensorsHeader, std::uint64_t>> headerOf(const InputFile& file)
{
    const auto length = headerLength(file);
    if (!length)
        return tl::unexpected(length.error());
    auto text = std::make_unique_for_overwrite<char[]>(*length);
    if (auto read = file.readAt(kLengthBytes, std::as_writable_bytes(std::span(text.get(), *length))); !read)
        return tl::unexpected(read.error());
    const std::uint64_t dataAt = kLengthBytes + *length;
    auto header = SafetensorsHeader::parse(std::move(text), *length, file.size() - dataAt);
    if (!header)
        return fail(header.error().message, fmt::format("{} at byte {}", file.path().string(), header.error().place));
    return std::pair(std::move(*header), dataAt);
}

} // namespace

SafetensorsFile::SafetensorsFile(InputFile file, SafetensorsHeader header, std::uint64_t dataAt)
    : m_file(std::move(file)), m_header(std::move(header)), m_dataAt(dataAt)
{}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path)
{
    auto file = InputFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    auto header = headerOf(*file);
    if (header)
        return SafetensorsFile(std::move(*file), std::move(header->first), header->second);
    if (auto foreign = foreignFile(*file)) // a fault of the format tells less than what the file is
        return fail(std::move(*foreign), path.string());
    return tl::unexpected(header.error());
}

TensorInfo SafetensorsFile::info(std::size_t index) const
{
    const auto& entry = m_header.entries()[index];
    return {std::string(m_header.name(entry)), entry.dtype, m_header.shape(entry), entry.end - entry.begin};
}

Result<OwnedTensor> SafetensorsFile::read(std::size_t index) const
{
    TensorInfo known = info(index);
    const auto bytes = static_cast<std::size_t>(known.bytes);
    OwnedTensor tensor{std::move(known.name), known.dtype, std::move(known.shape), nullptr, bytes};
    tensor.data.reset(new (std::nothrow) std::byte[bytes]);
    if (!tensor.data)
        return fail(fmt::format("no memory for the {} bytes of tensor {}", bytes, quotedName(tensor.name)),
                    m_file.path().string());
    if (auto read = readInto(index, {tensor.data.get(), bytes}); !read)
        return tl::unexpected(read.error());
    return tensor;
}

Result<OwnedTensor> SafetensorsFile::read(std::string_view name) const
{
    if (const auto index = find(name))
        return read(*index);
    return fail(fmt::format("contains no tensor {}", quotedName(name)), m_file.path().string());
}

Result<void> SafetensorsFile::readInto(std::size_t index, std::span<std::byte> into) const
{
    const auto& entry = m_header.entries()[index];
    assert(into.size() == entry.end - entry.begin);
    return m_file.readAt(m_dataAt + entry.begin, into);
}

Result<std::vector<OwnedTensor>> readSafetensors(const std::filesystem::path& path)
{
    const auto file = SafetensorsFile::open(path);
    if (!file)
        return tl::unexpected(file.error());
    std::vector<OwnedTensor> tensors;
    tensors.reserve(file->size());
    for (std::size_t i = 0; i < file->size(); ++i) {
        auto tensor = file->read(i);
        if (!tensor)
            return tl::unexpected(tensor.error());
        tensors.push_back(std::move(*tensor));
    }
    return tensors;
}

} // namespace unroll::format
