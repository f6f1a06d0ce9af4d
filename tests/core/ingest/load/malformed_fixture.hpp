#pragma once
// For tests of malformed files: what happens to one next to a good rank.

#include "tests/core/ingest/load/ingest_fixture.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace core::testing {

inline constexpr std::string_view kGoodEvent =
    R"({"ph":"X","cat":"kernel","name":"good","pid":0,"tid":7,"ts":1,"dur":1,"args":{"stream":7}})";
inline constexpr std::string_view kRefused = "refused: ";

inline std::string good_file() { return "{\"traceEvents\":[" + std::string(kGoodEvent) + "]}"; }

// All visible properties of an opened trace.
inline std::string describe(const RankTrace& trace) {
    const RecordCounts& n = trace.info.records;
    CHECK(sum_of_parts(n) == n.total);
    for (std::uint32_t e = 0; e < trace.size(); ++e) CHECK(trace.event_text(EventId{e}).has_value());
    std::string text = "opens: " + std::to_string(trace.size()) + " events of " + std::to_string(n.total) + " records";
    if (n.dropped > 0) text += ", " + std::to_string(n.dropped) + " dropped";
    for (const Diagnostic& entry : trace.diagnostics.entries()) {
        text.append("; ").append(entry.kind->id);
        if (entry.count > 1) text += " x" + std::to_string(entry.count);
        CHECK_FALSE(entry.first.empty());
    }
    return text;
}

inline const RankTrace* find_trace(const Run& run, const std::filesystem::path& file) {
    for (const RankSlot& rank : run.ranks())
        if (rank.trace().info.path == file) return &rank.trace();
    for (const Companion& companion : run.companions())
        if (companion.trace().info.path == file) return &companion.trace();
    return nullptr;
}

// The run's message about a file that isn't among its ranks.
inline std::string find_refusal(const Run& run, const std::filesystem::path& file) {
    for (const std::string_view kind : {"file-unreadable", "not-a-trace"})
        for (const Diagnostic& entry : run.diagnostics().entries())
            if (entry.kind->id == kind && entry.first.starts_with(file.filename().string() + ": "))
                return std::string(kRefused) + entry.first;
    if (run.diagnostics().count("profile-left-out") == 0) return "not a word";
    // The run names it by its kind; opened alone it is refused in full.
    LoadProgress progress;
    const Result<RunPtr> alone = load_run(std::vector{file}, {}, progress, JobContext{});
    return alone ? "not a word" : std::string(kRefused) + alone.error().message;
}

inline Result<RunPtr> open_folder(const std::filesystem::path& folder, IndexFiles index_files = IndexFiles::Ignore) {
    LoadProgress progress;
    LoadOptions options;
    options.threads = 2;
    options.index_files = index_files;
    return load_run(std::vector{folder}, options, progress, JobContext{});
}

// Result for a file in a folder with a good rank.
inline std::string find_outcome(const std::filesystem::path& file) {
    const Result<RunPtr> run = open_folder(file.parent_path());
    REQUIRE(run.has_value());
    const RankTrace* const good = find_trace(**run, file.parent_path() / "good.json");
    REQUIRE(good != nullptr);
    CHECK(good->info.records.complete == 1);
    const RankTrace* const trace = find_trace(**run, file);
    CHECK((*run)->ranks().size() + (*run)->companions().size() == (trace != nullptr ? 2 : 1));
    return trace != nullptr ? describe(*trace) : find_refusal(**run, file);
}

// `expected`: as describe() says it, or "refused: " and words of the message.
inline void check_outcome(const std::string& outcome, std::string_view expected) {
    if (!expected.starts_with(kRefused)) {
        CHECK(outcome == expected);
        return;
    }
    CHECK(outcome.starts_with(kRefused));
    CHECK_MESSAGE(outcome.find(expected.substr(kRefused.size())) != std::string::npos, outcome);
}

}  // namespace core::testing
