#pragma once
// Traces and answers of Holistic Trace Analysis (HTA) outside the repository, and readers for the
// answers. Without them the tests report that they skip.

#include "core/ingest/load/load_run.hpp"
#include "core/ingest/source/byte_source.hpp"
#include "tests/corpus.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>

namespace core::testing {

using Json = nlohmann::json;

inline fs::path golden_folder() { return shared_folder("LOCKSTEP_GOLDEN", "golden"); }

inline bool goldens_are_here() {
    const bool here = fs::is_directory(corpus_folder()) && fs::is_directory(golden_folder());
    if (!here) MESSAGE("skipped: no traces in " << corpus_folder() << " or no answers in " << golden_folder());
    return here;
}

inline RunPtr load_corpus_run(const fs::path& inside_corpus) {
    LoadProgress progress;
    const fs::path paths[] = {corpus_folder() / inside_corpus};
    Result<RunPtr> run = load_run(paths, {}, progress, {});
    REQUIRE_MESSAGE(run.has_value(), inside_corpus.string());
    return *run;
}

inline std::string text_of_file(const fs::path& path) {
    Result<std::unique_ptr<ByteSource>> source = open_bytes(path);
    REQUIRE_MESSAGE(source.has_value(), path.string());
    std::string text(std::size_t{1} << 20, '\0');
    for (std::size_t size = 0;; text.resize(text.size() * 2)) {
        const Result<std::size_t> more = read_fully(**source, std::span(text).subspan(size));
        REQUIRE_MESSAGE(more.has_value(), path.string());
        size += *more;
        if (size < text.size()) return text.substr(0, size);
    }
}

// HTA's table before rounding to microseconds if available, else the plain one.
inline Json golden(const std::string& dataset, const std::string& analysis) {
    for (const std::string& name : {dataset + "_exact." + analysis + ".json", dataset + "." + analysis + ".json"}) {
        for (const fs::path& path : {golden_folder() / name, golden_folder() / (name + ".gz")}) {
            if (fs::exists(path)) return Json::parse(text_of_file(path)).at("result");
        }
    }
    FAIL("no answer of HTA for " << dataset << " " << analysis);
    return {};
}

// Rows as column name → value.
inline std::vector<std::map<std::string, Json>> golden_rows(const Json& table) {
    std::vector<std::map<std::string, Json>> rows;
    for (const Json& values : table.at("rows")) {
        std::map<std::string, Json>& row = rows.emplace_back();
        for (std::size_t i = 0; i < values.size(); ++i) row[table.at("columns")[i]] = values[i];
    }
    return rows;
}

inline double us(std::int64_t ns) { return static_cast<double>(ns) / 1000; }
inline bool near_us(std::int64_t ns, const Json& theirs) { return std::abs(us(ns) - theirs.get<double>()) <= 0.5; }

}  // namespace core::testing
