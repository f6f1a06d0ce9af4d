#include "core/ingest/source/byte_source.hpp"

#include "core/base/platform/files.hpp"
#include "core/ingest/source/zstd_stream.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <isa-l/igzip_lib.h>
#include <zlib.h>

namespace core {
namespace {

constexpr std::size_t kInputBytes = std::size_t{256} << 10;
constexpr const char* kDamaged = "the gzip data is damaged; copy the file again";

Result<std::size_t> read_piece(OpenFile& file, std::span<char> to) {
    std::error_code error;
    const std::size_t got = file.read(to, error);
    if (error) return Error{ErrorCode::Io, "cannot be read: " + error.message()};
    return got;
}

class PlainSource final : public ByteSource {
public:
    explicit PlainSource(OpenFile file) : file_(std::move(file)) {}
    Result<std::size_t> read(std::span<char> to) override {
        Result<std::size_t> got = read_piece(file_, to);
        if (got) consumed_ += *got;
        return got;
    }
    std::uint64_t consumed() const override { return consumed_; }

private:
    OpenFile file_;
    std::uint64_t consumed_ = 0;
};

enum class Inflated { More, MemberEnd, Broken };
struct Decoded {
    Inflated state;
    std::size_t input_used;
    std::size_t output_made;
};

class IgzipDecoder {
public:
    IgzipDecoder() { restart(); }
    void restart() {
        isal_inflate_init(state_.get());
        state_->crc_flag = ISAL_GZIP;
    }
    Decoded run(std::span<const unsigned char> in, std::span<char> out) {
        state_->next_in = const_cast<unsigned char*>(in.data());
        state_->avail_in = static_cast<std::uint32_t>(in.size());
        state_->next_out = reinterpret_cast<unsigned char*>(out.data());
        state_->avail_out = static_cast<std::uint32_t>(out.size());
        const int status = isal_inflate(state_.get());
        Inflated next = status < 0 || status > ISAL_END_INPUT ? Inflated::Broken : Inflated::More;
        if (next == Inflated::More && state_->block_state == ISAL_BLOCK_FINISH) next = Inflated::MemberEnd;
        return {
            .state = next, .input_used = in.size() - state_->avail_in, .output_made = out.size() - state_->avail_out};
    }

private:
    std::unique_ptr<inflate_state> state_ = std::make_unique<inflate_state>();
};

class ZlibDecoder {
public:
    ZlibDecoder() { ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK; }
    ~ZlibDecoder() {
        if (ready_) inflateEnd(&stream_);
    }
    ZlibDecoder(const ZlibDecoder&) = delete;
    ZlibDecoder& operator=(const ZlibDecoder&) = delete;
    void restart() { inflateReset(&stream_); }
    Decoded run(std::span<const unsigned char> in, std::span<char> out) {
        if (!ready_) return {.state = Inflated::Broken, .input_used = 0, .output_made = 0};
        stream_.next_in = const_cast<unsigned char*>(in.data());
        stream_.avail_in = static_cast<uInt>(in.size());
        stream_.next_out = reinterpret_cast<unsigned char*>(out.data());
        stream_.avail_out = static_cast<uInt>(out.size());
        const int status = inflate(&stream_, Z_NO_FLUSH);
        const Inflated next = status == Z_STREAM_END                    ? Inflated::MemberEnd
                              : status == Z_OK || status == Z_BUF_ERROR ? Inflated::More
                                                                        : Inflated::Broken;
        return {
            .state = next, .input_used = in.size() - stream_.avail_in, .output_made = out.size() - stream_.avail_out};
    }

private:
    z_stream stream_{};
    bool ready_ = false;
};

template <class Decoder>
class GzipSource final : public ByteSource {
public:
    explicit GzipSource(OpenFile file) : file_(std::move(file)), input_(kInputBytes) {}

    Result<std::size_t> read(std::span<char> to) override {
        to = to.first(std::min(to.size(), std::size_t{1} << 30));
        while (!finished_ && broken_ == nullptr && !to.empty()) {
            if (begin_ == end_ && !at_end_) {
                if (Result<bool> filled = fill(); !filled) return std::move(filled).error();
            }
            if (between_members_ && !start_member()) break;
            const Decoded piece = decoder_.run({input_.data() + begin_, end_ - begin_}, to);
            begin_ += piece.input_used;
            between_members_ = piece.state == Inflated::MemberEnd;
            const bool stuck = piece.state == Inflated::More && piece.output_made == 0 && begin_ != end_;
            if (piece.state == Inflated::Broken || (stuck && piece.input_used == 0)) broken_ = kDamaged;
            if (piece.output_made > 0) return piece.output_made;
            if (piece.state == Inflated::More && at_end_ && begin_ == end_)
                broken_ = "the gzip data ends in the middle; copy or record the file again";
        }
        if (broken_ == nullptr) return std::size_t{0};
        return Error{ErrorCode::BadInput, "byte " + std::to_string(consumed()) + " of the packed file: " + broken_};
    }
    std::uint64_t consumed() const override { return consumed_ - (end_ - begin_); }

private:
    Result<bool> fill() {
        Result<std::size_t> got = read_piece(file_, {reinterpret_cast<char*>(input_.data()), input_.size()});
        if (!got) return std::move(got).error();
        begin_ = 0;
        end_ = *got;
        consumed_ += *got;
        at_end_ = *got == 0;
        return true;
    }
    // Ignores padding and foreign bytes after the last member, as gzip does.
    bool start_member() {
        if (begin_ == end_ || input_[begin_] != 0x1f) {
            finished_ = true;
            return false;
        }
        // zlib refuses reserved flags, igzip ignores them.
        if (end_ - begin_ > 3 && (input_[begin_ + 3] & 0xE0) != 0) {
            broken_ = kDamaged;
            return false;
        }
        decoder_.restart();
        between_members_ = false;
        return true;
    }

    OpenFile file_;
    Decoder decoder_;
    std::vector<unsigned char> input_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::uint64_t consumed_ = 0;
    bool at_end_ = false;
    bool finished_ = false;
    bool between_members_ = true;
    const char* broken_ = nullptr;
};

// Frames one after another are one text; foreign bytes behind the last are ignored, as in gzip.
class ZstdSource final : public ByteSource {
public:
    explicit ZstdSource(OpenFile file) : file_(std::move(file)), input_(kInputBytes) {}

    Result<std::size_t> read(std::span<char> to) override {
        while (broken_ == nullptr && !finished_ && !to.empty()) {
            if (end_ - begin_ < kMagicBytes && !at_end_) {
                if (Result<bool> filled = fill(); !filled) return std::move(filled).error();
            }
            const std::string_view rest(input_.data() + begin_, end_ - begin_);
            finished_ = between_frames_ && !begins_zstd(rest);
            if (finished_) break;
            const ZstdStream::Step step = stream_.run(rest, to);
            begin_ += step.used;
            between_frames_ = step.ended;
            if (step.broken)
                broken_ = "the zstd data is damaged, or wants more memory than is given; copy the file again";
            if (step.made > 0) return step.made;
            if (!step.ended && !step.broken && at_end_ && step.used == 0)
                broken_ = "the zstd data ends in the middle; copy or record the file again";
        }
        if (broken_ == nullptr) return std::size_t{0};
        return Error{ErrorCode::BadInput, "byte " + std::to_string(consumed()) + " of the packed file: " + broken_};
    }
    std::uint64_t consumed() const override { return consumed_ - (end_ - begin_); }

private:
    static constexpr std::size_t kMagicBytes = 4;

    // Keeps what is not used yet.
    Result<bool> fill() {
        std::copy(input_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  input_.begin() + static_cast<std::ptrdiff_t>(end_), input_.begin());
        end_ -= begin_;
        begin_ = 0;
        Result<std::size_t> got = read_piece(file_, {input_.data() + end_, input_.size() - end_});
        if (!got) return std::move(got).error();
        end_ += *got;
        consumed_ += *got;
        at_end_ = *got == 0;
        return true;
    }

    OpenFile file_;
    ZstdStream stream_;
    std::vector<char> input_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::uint64_t consumed_ = 0;
    bool at_end_ = false;
    bool finished_ = false;
    bool between_frames_ = true;
    const char* broken_ = nullptr;
};

Error missing_file(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::is_symlink(path, ignored)) return {ErrorCode::NotFound, "does not exist"};
    return {ErrorCode::BadInput, "is a broken link: copy the file it points to"};
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path, Inflater inflater) {
    std::error_code unknown;
    OpenFile file(path, OpenFor::Reading);
    const std::optional<FileStatus> status = file.status(unknown);
    if (!status || !status->is_regular()) {
        std::error_code ignored;
        if (std::filesystem::is_directory(path, ignored)) return Error{ErrorCode::BadInput, "is a folder"};
        if (!std::filesystem::exists(path, ignored)) return missing_file(path);
        if (!std::filesystem::is_regular_file(path, ignored))
            return Error{ErrorCode::BadInput,
                         "is a pipe or a device, not a regular file: save its contents to a file first"};
        return Error{ErrorCode::Io, "cannot be opened: check its permissions"};
    }
    char magic[4] = {};
    Result<std::size_t> got = read_piece(file, magic);
    if (!got) return std::move(got).error();
    file.rewind();
    const bool packed = *got >= 2 && magic[0] == '\x1f' && magic[1] == '\x8b';
    std::unique_ptr<ByteSource> source;
    if (begins_zstd({magic, *got}))
        source = std::make_unique<ZstdSource>(std::move(file));
    else if (!packed)
        source = std::make_unique<PlainSource>(std::move(file));
    else if (inflater == Inflater::Zlib)
        source = std::make_unique<GzipSource<ZlibDecoder>>(std::move(file));
    else
        source = std::make_unique<GzipSource<IgzipDecoder>>(std::move(file));
    return source;
}

Result<std::size_t> read_fully(ByteSource& source, std::span<char> to) {
    std::size_t filled = 0;
    while (filled < to.size()) {
        Result<std::size_t> got = source.read(to.subspan(filled));
        if (!got) {
            if (filled > 0) break;
            return got;
        }
        if (*got == 0) break;
        filled += *got;
    }
    return filled;
}

}  // namespace core
