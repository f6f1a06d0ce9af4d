#include "core/ingest/source/zstd_stream.hpp"

#include <zstd.h>

namespace core {

bool begins_zstd(std::string_view bytes) {
    if (bytes.starts_with("\x28\xB5\x2F\xFD")) return true;
    return bytes.size() >= 4 && (static_cast<unsigned char>(bytes[0]) & 0xF0u) == 0x50u &&
           bytes.substr(1).starts_with("\x2A\x4D\x18");
}

struct ZstdStream::State {
    ZSTD_DStream* stream = ZSTD_createDStream();
    ~State() { ZSTD_freeDStream(stream); }
};

ZstdStream::ZstdStream() : state_(std::make_unique<State>()) {}
ZstdStream::~ZstdStream() = default;

ZstdStream::Step ZstdStream::run(std::string_view packed, std::span<char> to) {
    if (state_->stream == nullptr) return {.broken = true};
    ZSTD_inBuffer in{.src = packed.data(), .size = packed.size(), .pos = 0};
    ZSTD_outBuffer out{.dst = to.data(), .size = to.size(), .pos = 0};
    const std::size_t left = ZSTD_decompressStream(state_->stream, &out, &in);
    const bool broken = ZSTD_isError(left) != 0;
    return {.used = in.pos, .made = out.pos, .ended = !broken && left == 0, .broken = broken};
}

}  // namespace core
