#pragma once
// Decompresses zstd frames one after another, piece by piece. Frames that want a window of more than 128 MiB (zstd's
// own limit for a decoder, exceeded by --ultra --long alone) are refused.

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace core {

// Whether these bytes begin a frame, skippable ones included.
bool begins_zstd(std::string_view bytes);

class ZstdStream {
public:
    ZstdStream();
    ~ZstdStream();
    ZstdStream(const ZstdStream&) = delete;
    ZstdStream& operator=(const ZstdStream&) = delete;

    struct Step {
        std::size_t used = 0;
        std::size_t made = 0;
        bool ended = false;   // a frame is complete; the next call begins another one
        bool broken = false;  // nothing more can be read
    };
    Step run(std::string_view packed, std::span<char> to);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace core
