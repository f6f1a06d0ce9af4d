// Reads arbitrary bytes as a packed file, in zstd and in gzip with both back ends. They give the same bytes and the
// same verdict; in a damaged file, one may stop earlier before the damage. One difference is allowed: igzip reads
// Huffman codes with unused bit patterns (RFC 1951 does not forbid them), zlib refuses them. No writer makes such
// codes, and the checksum guards what igzip reads.

#include "core/ingest/source/byte_source.hpp"
#include "tests/core/ingest/load/small_trace.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>

#include <sys/mman.h>
#include <unistd.h>

#include <zlib.h>

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // unpacked: packed bytes may expand without limit

struct Unpacked {
    std::string bytes;
    std::string error;
};

// A file in memory.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
        if (descriptor_ < 0 || ::write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
            fuzz::fail("no file in memory can be made");
    }
    ~MemoryFile() { ::close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

Unpacked unpack(const MemoryFile& file, core::Inflater inflater, std::size_t step) {
    Unpacked unpacked;
    core::Result<std::unique_ptr<core::ByteSource>> source = core::open_bytes(file.path(), inflater);
    if (!source) return {{}, source.error().message};
    std::string buffer(step, '\0');
    while (unpacked.bytes.size() < kMostBytes) {
        const core::Result<std::size_t> got = (*source)->read(buffer);
        if (!got) return {std::move(unpacked.bytes), got.error().message};
        if (*got == 0) break;
        if (*got > buffer.size()) fuzz::fail("more was read than there is room for");
        unpacked.bytes.append(buffer, 0, *got);
    }
    return unpacked;
}

// True if zlib stops at the codes of a block and nowhere else.
bool has_incomplete_codes(std::string& packed) {
    z_stream stream{};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) fuzz::fail("zlib has no memory");
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    std::string out(std::size_t{1} << 16, '\0');
    int status = Z_OK;
    while (status == Z_OK) {
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        status = inflate(&stream, Z_NO_FLUSH);
        if (status == Z_STREAM_END && stream.avail_in > 0) status = inflateReset(&stream);
    }
    const std::string_view reason = stream.msg == nullptr ? "" : stream.msg;
    inflateEnd(&stream);
    return reason == "invalid code lengths set" || reason == "invalid literal/lengths set" ||
           reason == "invalid distances set";
}

}  // namespace

std::vector<std::string> fuzz::make_seeds() {
    const std::string trace = core::testing::gzip(core::testing::small_kineto_trace());
    const std::string zeros = core::testing::gzip(std::string(200'000, '\0'));
    std::string named = core::testing::gzip("named");
    named[3] = 8;  // a file name follows the header
    named.insert(10, std::string("a.json\0", 7));
    // An empty block whose codes have two lengths of 2 and nothing else.
    const std::string incomplete("\x1f\x8b\x08\0\0\0\0\0\0\x03\x05\x80\x81\x08\0\0\0\x80\xfc\xad\x1f\0\0\0\0\0\0\0\0",
                                 29);
    // A frame of one block "abc" behind the four bytes of its magic number, and its checksum's absence.
    const std::string frame("\x28\xB5\x2F\xFD\x20\x03\x19\0\0abc", 12);
    return {frame,      trace, zeros, named, trace + zeros, trace + "behind", trace.substr(0, trace.size() / 2),
            incomplete, {}};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string packed(fuzz::as_text(data, size));
    if (packed.size() >= 4) {  // the same bytes as zstd: one back end, so nothing but its own words to hold it to
        std::string frame = packed;
        frame.replace(0, 4, "\x28\xB5\x2F\xFD");
        const Unpacked unpacked = unpack(MemoryFile(frame), core::Inflater::Igzip, 700);
        if (!unpacked.error.empty() && unpacked.error.find("zstd") == std::string::npos)
            fuzz::fail("a zstd file is refused in other words: " + unpacked.error);
    }
    if (packed.size() >= 2) packed.replace(0, 2, "\x1f\x8b");
    const MemoryFile file(packed);
    const std::size_t step = packed.size() % 3 == 0 ? 700 : std::size_t{1} << 16;
    const Unpacked a = unpack(file, core::Inflater::Igzip, step);
    const Unpacked b = unpack(file, core::Inflater::Zlib, step);
    const std::size_t common = std::min(a.bytes.size(), b.bytes.size());
    if (a.bytes.compare(0, common, b.bytes, 0, common) != 0) fuzz::fail("the back ends give different bytes");
    const bool is_igzips_alone = a.error.empty() && !b.error.empty() && has_incomplete_codes(packed);
    if (is_igzips_alone) return 0;
    if (a.error.empty() != b.error.empty())
        fuzz::fail("one back end refuses what the other reads: " + a.error + b.error);
    if (a.error.empty() && a.bytes.size() != b.bytes.size()) fuzz::fail("one back end gives more than the other");
    return 0;
}
