#include "core/ingest/perfetto/perfetto_file.hpp"

#include "core/ingest/perfetto/perfetto_packets.hpp"
#include "core/ingest/source/sequential_reader.hpp"
#include "core/ingest/source/zstd_stream.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>

namespace core {
namespace {

constexpr std::uint64_t kMostPacket = std::uint64_t{64} << 20;  // bytes, packed or not
constexpr std::uint32_t kPacketField = 1;
constexpr std::uint32_t kDeflated = 50, kZstd = 133;

// A window over the file's bytes that is refilled from its end.
class PacketStream {
public:
    explicit PacketStream(ByteSource& source) : source_(source) {}

    // The bytes of the next packet; empty view and done() at the end of the file.
    Result<std::string_view> next() {
        for (;;) {
            std::string_view rest = std::string_view(window_).substr(at_);
            std::uint64_t tag = 0, length = 0;
            const std::size_t before = rest.size();
            const bool has_tag = take_varint(rest, tag);
            const bool is_bytes = has_tag && (tag & 7) == 2;
            if (has_tag && !is_bytes) return damaged();
            if (is_bytes && take_varint(rest, length)) {
                if (length > kMostPacket) return bad_input("a packet of more than 64 MiB" + where());
                if (length <= rest.size()) {
                    at_ += before - rest.size() + static_cast<std::size_t>(length);
                    if (tag >> 3 != kPacketField) continue;
                    return rest.substr(0, static_cast<std::size_t>(length));
                }
            } else if (before >= 20) {
                return damaged();
            }
            Result<bool> more = refill(static_cast<std::size_t>(length) + 20);
            if (!more) return std::move(more).error();
            if (*more) continue;
            done_ = true;
            is_cut_ = before > 0;
            return std::string_view();
        }
    }
    bool done() const { return done_; }
    bool is_cut() const { return is_cut_; }
    std::uint64_t place() const { return passed_ + at_; }

private:
    std::string where() const { return " at byte " + std::to_string(place()); }
    Error damaged() const {
        return bad_input("byte " + std::to_string(place()) +
                         ": no packet begins here; the file is damaged: copy it again");
    }

    Result<bool> refill(std::size_t wanted) {
        constexpr std::size_t kBlock = std::size_t{1} << 20;
        window_.erase(0, at_);
        passed_ += at_;
        at_ = 0;
        const std::size_t had = window_.size();
        window_.resize(had + std::max(kBlock, wanted > had ? std::min(wanted - had, kBlock * 8) : 0));
        const Result<std::size_t> got = source_.read(std::span(window_.data() + had, window_.size() - had));
        window_.resize(had + (got ? *got : 0));
        if (!got) return got.error();
        return *got > 0;
    }

    ByteSource& source_;
    std::string window_;
    std::size_t at_ = 0;
    std::uint64_t passed_ = 0;
    bool done_ = false;
    bool is_cut_ = false;
};

struct Inflated {
    std::string text;  // up to the damage
    bool is_whole = false;
};

// zlib's format, at most kMostPacket bytes.
Inflated inflate_packets(std::string_view packed) {
    z_stream stream{};
    if (::inflateInit(&stream) != Z_OK) return {};
    std::string text;
    std::array<char, 65536> block{};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    int state = Z_OK;
    while (state == Z_OK && text.size() <= kMostPacket) {
        stream.next_out = reinterpret_cast<Bytef*>(block.data());
        stream.avail_out = static_cast<uInt>(block.size());
        state = ::inflate(&stream, Z_NO_FLUSH);
        const std::size_t made = block.size() - stream.avail_out;
        text.append(block.data(), made);
        if (state == Z_OK && made == 0 && stream.avail_in == 0) break;
    }
    ::inflateEnd(&stream);
    return {std::move(text), state == Z_STREAM_END};
}

// Frames of zstd, at most kMostPacket bytes.
Inflated unpack_zstd_packets(std::string_view packed) {
    ZstdStream stream;
    Inflated unpacked;
    std::vector<char> block(std::size_t{1} << 16);
    while (!packed.empty() && unpacked.text.size() <= kMostPacket) {
        const ZstdStream::Step step = stream.run(packed, block);
        unpacked.text.append(block.data(), step.made);
        packed.remove_prefix(step.used);
        unpacked.is_whole = step.ended;
        if (step.broken || (step.used == 0 && step.made == 0)) break;
        while (packed.empty() && !unpacked.is_whole) {  // what the stream still holds
            const ZstdStream::Step more = stream.run({}, block);
            unpacked.text.append(block.data(), more.made);
            unpacked.is_whole = more.ended;
            if (more.broken || more.made == 0 || unpacked.text.size() > kMostPacket) break;
        }
    }
    return unpacked;
}

class PerfettoFile final : public SequentialReader {
public:
    PerfettoFile(std::filesystem::path path, std::unique_ptr<ByteSource> source, LoadProgress& progress)
        : SequentialReader(std::move(path), std::move(source), progress) {}

private:
    Result<bool> read_all(const JobContext& context) override {
        PacketStream stream(source());
        PerfettoPackets packets(stage_);
        std::uint64_t consumed = 0;
        for (std::uint64_t count = 0;; ++count) {
            if ((count & 1023) == 0 && context.checkpoint()) return cancelled_error();
            const Result<std::string_view> packet = stream.next();
            progress().bytes_done += source().consumed() - std::exchange(consumed, source().consumed());
            if (!packet) {
                if (packets.packets() == 0) return packet.error();
                stage_.note("file-truncated", packet.error().message);
                break;
            }
            if (stream.done()) break;
            add(*packet, packets);
        }
        if (stream.is_cut())
            stage_.note("file-truncated", "byte " + std::to_string(stream.place()) + ": the last packet is cut off");
        packets.finish();
        progress().events += stage_.records();
        builder() = std::move(stage_.builder());
        if (std::map<std::string, std::int32_t> ranks = packets.ranks_of_processes(); !ranks.empty()) {
            builder().divide_by_process(std::move(ranks));
            hold_ranks();
        }
        if (packets.may_have_writers()) hold_ranks();
        is_of_rocm_systems_ = packets.is_of_rocm_systems();
        json_bytes_ = stream.place();
        return true;
    }

    void add(std::string_view packet, PerfettoPackets& packets) {
        WireReader reader(packet);
        for (WireField field; reader.next(field);) {
            if (!field.is_bytes) continue;
            if (field.number == kDeflated) return add_unpacked(inflate_packets(field.bytes), packets);
            if (field.number == kZstd) return add_unpacked(unpack_zstd_packets(field.bytes), packets);
        }
        packets.add(packet);
    }

    // How many events are behind the damage is unknown, so it counts as a place and not as an event.
    void add_unpacked(const Inflated& inner, PerfettoPackets& packets) {
        WireReader reader(inner.text);
        for (WireField one; reader.next(one);)
            if (one.number == kPacketField && one.is_bytes) packets.add(one.bytes);
        if (inner.is_whole && !reader.is_bad()) return;
        stage_.note("packets-damaged",
                    after(packets) + "compressed packets are damaged, and an unknown number of events is missing");
    }

    static std::string after(const PerfettoPackets& packets) {
        return "after packet " + std::to_string(packets.packets()) + ": ";
    }

    RankInfo describe() override {
        RankInfo info;
        info.file_bytes = source().consumed();
        info.json_bytes = json_bytes_;
        info.trace_name = is_of_rocm_systems_ ? "ROCm Systems Profiler" : "Perfetto";
        return info;
    }

    RankStage stage_;
    std::uint64_t json_bytes_ = 0;
    bool is_of_rocm_systems_ = false;
};

}  // namespace

bool begins_perfetto(std::string_view head) {
    std::uint64_t tag = 0, length = 0;
    if (!take_varint(head, tag) || tag != (kPacketField << 3 | 2) || !take_varint(head, length) || length == 0 ||
        length > kMostPacket)
        return false;
    const bool is_whole = length <= head.size();
    constexpr std::uint32_t kKnown[] = {6, 8, 10, 11, 12, 13, 33, 36, 42, 43, 50, 52, 53, 58, 59, 60, 133};
    bool is_known = false;
    WireReader reader(head.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(length, head.size()))));
    for (WireField field; reader.next(field);) is_known |= std::ranges::find(kKnown, field.number) != std::end(kKnown);
    if (reader.is_bad() && is_whole) return false;
    if (!is_whole) return is_known;
    head.remove_prefix(static_cast<std::size_t>(length));
    return is_known && (head.empty() || head.front() == '\n');  // the tag of the next packet
}

Result<std::unique_ptr<TraceReader>> open_perfetto_file(const std::filesystem::path& path, LoadProgress& progress) {
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    if (!source) return std::move(source).error();
    return read_perfetto(path, std::move(*source), progress);
}

std::unique_ptr<TraceReader> read_perfetto(std::filesystem::path path, std::unique_ptr<ByteSource> source,
                                           LoadProgress& progress) {
    return std::make_unique<PerfettoFile>(std::move(path), std::move(source), progress);
}

}  // namespace core
