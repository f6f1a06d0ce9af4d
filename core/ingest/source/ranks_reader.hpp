#pragma once
// A reader of a file that may hold several ranks. One thread reads; others that call work() have nothing to do.

#include "core/ingest/source/trace_reader.hpp"
#include "core/store/assemble/trace_builder.hpp"

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace core {

class RanksReader : public TraceReader {
public:
    RanksReader(std::filesystem::path path, LoadProgress& progress);

    void choose_steps(std::string_view marks) final { step_marks_ = marks; }
    void work(const JobContext& context) final;
    Result<RankTracePtr> finish(const JobContext& context) final { return only_rank(finish_ranks(context)); }
    Result<std::vector<RankTracePtr>> finish_ranks(const JobContext& context) final;

protected:
    struct Rank {
        TraceBuilder* builder;
        RankInfo info{};
    };
    // Reads the whole file. An error refuses it.
    virtual Result<bool> read_all(const JobContext& context) = 0;
    // After read_all(): never empty. Path and sizes are added.
    virtual std::vector<Rank> describe_ranks() = 0;

    const std::filesystem::path& path() const { return path_; }
    std::uint64_t file_bytes() const { return file_bytes_; }
    // Progress: more bytes have been read, and all events so far.
    void report(std::uint64_t more_bytes, std::uint64_t events);
    // Stores what was found; an error if no record of a damaged file could be read.
    Result<bool> keep(Diagnostics diagnostics, bool is_empty);

private:
    std::filesystem::path path_;
    LoadProgress& progress_;
    std::uint64_t file_bytes_ = 0;
    std::uint64_t reported_ = 0;
    std::uint64_t events_ = 0;
    std::string step_marks_;
    std::mutex reading_;
    bool done_ = false;
    std::optional<Error> failure_;
    Diagnostics diagnostics_;
};

}  // namespace core
