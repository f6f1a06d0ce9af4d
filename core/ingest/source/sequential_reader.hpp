#pragma once
// A reader whose file is read by one thread from begin to end. Other threads that call work() have nothing to do.

#include "core/ingest/source/byte_source.hpp"
#include "core/ingest/source/trace_reader.hpp"
#include "core/store/assemble/trace_builder.hpp"

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace core {

class SequentialReader : public TraceReader {
public:
    SequentialReader(std::filesystem::path path, std::unique_ptr<ByteSource> source, LoadProgress& progress)
        : path_(std::move(path)), source_(std::move(source)), progress_(progress) {}

    void work(const JobContext& context) final {
        const std::unique_lock lock(reading_, std::try_to_lock);
        if (!lock || done_) return;
        done_ = true;
        try {
            if (Result<bool> read = read_all(context); !read) failure_ = std::move(read).error();
        } catch (const std::exception& exception) {
            failure_ = reader_error(exception);
        }
    }

    Result<RankTracePtr> finish(const JobContext& context) final { return only_rank(finish_ranks(context)); }
    // Whether the file holds ranks is known once it is read, so the lock comes first.
    Result<std::vector<RankTracePtr>> finish_ranks(const JobContext& context) final {
        const std::lock_guard lock(reading_);
        if (context.checkpoint()) return cancelled_error();
        if (failure_) return *failure_;
        if (holds_ranks_) return std::move(builder_).finish_ranks(describe_file(), std::move(diagnostics_), context);
        Result<RankTracePtr> trace = std::move(builder_).finish(describe_file(), std::move(diagnostics_), context);
        if (!trace) return std::move(trace).error();
        return std::vector<RankTracePtr>{std::move(*trace)};
    }

protected:
    // From read_all(): the file holds ranks, which the builder tells apart.
    void hold_ranks() { holds_ranks_ = true; }
    // Reads the whole file into the builder. An error refuses the file.
    virtual Result<bool> read_all(const JobContext&) = 0;
    virtual RankInfo describe() = 0;  // after read_all(); the path is added

    ByteSource& source() { return *source_; }
    LoadProgress& progress() { return progress_; }
    TraceBuilder& builder() { return builder_; }
    Diagnostics& diagnostics() { return diagnostics_; }

private:
    RankInfo describe_file() {
        RankInfo info = describe();
        info.path = path_;
        return info;
    }

    std::filesystem::path path_;
    std::unique_ptr<ByteSource> source_;
    LoadProgress& progress_;
    std::mutex reading_;
    bool done_ = false;
    bool holds_ranks_ = false;
    std::optional<Error> failure_;
    Diagnostics diagnostics_;
    TraceBuilder builder_;
};

}  // namespace core
