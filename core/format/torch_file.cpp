// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/torch_file.h"

#include "core/format/atomic_file.h"
#include "core/format/little_endian.h"
#include "core/format/zip_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <vector>

namespace unroll::format {
namespace {

constexpr std::string_view kRoot = "archive/";

/// torch's name for storage of this type; empty: it has none.
std::string_view storageOf(DType dtype)
{
    switch (dtype) {
    case DType::F32: return "FloatStorage";
    case DType::F64: return "DoubleStorage";
    case DType::F16: return "HalfStorage";
    case DType::BF16: return "BFloat16Storage";
    case DType::I64: return "LongStorage";
    case DType::I32: return "IntStorage";
    case DType::I16: return "ShortStorage";
    case DType::I8: return "CharStorage";
    case DType::U8: return "ByteStorage";
    case DType::Bool: return "BoolStorage";
    default: return {};
    }
}

/// Opcodes of pickle, protocol 2, as Python's pickletools names them.
class PickleText {
public:
    PickleText() : m_bytes("\x80\x02", 2) {}

    void code(char opcode) { m_bytes += opcode; }
    void mark() { code('('); }
    void tuple() { code('t'); }
    void reduce() { code('R'); }
    void global(std::string_view module, std::string_view name) { m_bytes += fmt::format("c{}\n{}\n", module, name); }
    void text(std::string_view value)
    {
        code('X');
        appendLittleEndian(m_bytes, static_cast<std::uint32_t>(value.size()));
        m_bytes += value;
    }
    /// BININT where four bytes do, else LONG1 of eight.
    void integer(std::int64_t value)
    {
        if (value <= std::numeric_limits<std::int32_t>::max()) {
            code('J');
            appendLittleEndian(m_bytes, static_cast<std::uint32_t>(value));
            return;
        }
        code('\x8a');
        code(8);
        appendLittleEndian(m_bytes, static_cast<std::uint64_t>(value));
    }
    void integers(const std::vector<std::int64_t>& values)
    {
        mark();
        for (std::int64_t value : values)
            integer(value);
        tuple();
    }
    const std::string& bytes() const { return m_bytes; }

private:
    std::string m_bytes;
};

std::vector<std::int64_t> rowMajorStrides(const std::vector<std::int64_t>& shape)
{
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;)
        strides[i - 1] = strides[i] * std::max<std::int64_t>(shape[i], 1);
    return strides;
}

/// _rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks).
void addRebuilt(PickleText& pickle, const TensorView& tensor, const std::string& key)
{
    pickle.global("torch._utils", "_rebuild_tensor_v2");
    pickle.mark();
    pickle.mark();
    pickle.text("storage");
    pickle.global("torch", storageOf(tensor.dtype));
    pickle.text(key);
    pickle.text("cpu");
    pickle.integer(static_cast<std::int64_t>(tensor.bytes * 8 / dtypeBits(tensor.dtype)));
    pickle.tuple();
    pickle.code('Q'); // BINPERSID: the entry of the archive
    pickle.integer(0);
    pickle.integers(tensor.shape);
    pickle.integers(rowMajorStrides(tensor.shape));
    pickle.code('\x89'); // False
    pickle.global("collections", "OrderedDict");
    pickle.code(')');
    pickle.reduce();
    pickle.tuple();
    pickle.reduce();
}

std::string pickledDict(std::span<const TensorView> tensors)
{
    PickleText pickle;
    pickle.code('}');
    pickle.mark();
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        pickle.text(tensors[i].name);
        addRebuilt(pickle, tensors[i], std::to_string(i));
    }
    pickle.code('u'); // SETITEMS
    pickle.code('.');
    return pickle.bytes();
}

std::string entryName(std::string_view name)
{
    return fmt::format("{}{}", kRoot, name);
}

Result<void> addEntries(ZipWriter& zip, std::span<const TensorView> tensors)
{
    Result<void> written = zip.add(entryName("data.pkl"), {pickledDict(tensors)});
    if (written)
        written = zip.add(entryName("byteorder"), {"little"});
    for (std::size_t i = 0; i < tensors.size() && written; ++i)
        written = zip.add(entryName(fmt::format("data/{}", i)),
                          {{reinterpret_cast<const char*>(tensors[i].data), tensors[i].bytes}});
    return written ? zip.add(entryName("version"), {"3\n"}) : written;
}

} // namespace

Result<void> writeTorchFile(const std::filesystem::path& path, std::span<const TensorView> tensors, FileCalls& calls,
                            std::string_view kind)
{
    if (auto fault = tensorsFault(tensors))
        return fail(std::move(*fault), path.string());
    for (const TensorView& tensor : tensors)
        if (storageOf(tensor.dtype).empty())
            return fail(fmt::format("tensor {} is {}, which torch has no storage for", quotedName(tensor.name),
                                    dtypeName(tensor.dtype)),
                        path.string());
    auto file = AtomicFile::create(path, calls);
    if (!file)
        return tl::unexpected(file.error());
    ZipWriter zip(*file);
    zip.markAs(kind);
    Result<void> written = addEntries(zip, tensors);
    if (written)
        written = zip.finish();
    if (written)
        written = file->commit();
    return written ? written : fail(written.error().message, path.string());
}

} // namespace unroll::format
