// Numbers of real files against SQL over the same files.

#include "core/ingest/nsys/nsys_facts.hpp"
#include "tests/core/ingest/nsys/nsys_fixture.hpp"
#include "tests/corpus.hpp"

#include <algorithm>
#include <map>

using namespace core;
using namespace core::testing;

namespace {

class Asked {
public:
    explicit Asked(const std::filesystem::path& path) {
        const std::string uri = "file:" + path.string() + "?mode=ro&immutable=1";
        REQUIRE(sqlite3_open_v2(uri.c_str(), &database_, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr) == SQLITE_OK);
    }
    ~Asked() { sqlite3_close(database_); }
    Asked(const Asked&) = delete;
    Asked& operator=(const Asked&) = delete;

    // Rows of (text, integers…) as a map; empty where a table or column is missing.
    using Rows = std::map<std::string, std::vector<std::int64_t>>;
    Rows rows(const std::string& sql) {
        Rows found;
        sqlite3_stmt* statement = nullptr;
        if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return found;
        while (sqlite3_step(statement) == SQLITE_ROW) {
            const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
            std::vector<std::int64_t>& values = found[text == nullptr ? "" : text];
            for (int c = 1; c < sqlite3_column_count(statement); ++c)
                values.push_back(sqlite3_column_int64(statement, c));
        }
        sqlite3_finalize(statement);
        return found;
    }
    bool has(const std::string& table, const std::string& column) {
        return !rows("SELECT name FROM pragma_table_info('" + table + "') WHERE name = '" + column + "'").empty();
    }

private:
    sqlite3* database_ = nullptr;
};

std::vector<std::filesystem::path> nsys_files() {
    std::vector<std::filesystem::path> files;
    for (const char* const folder : {"nsys-ai", "pipit", "WeatherBench2"}) {
        if (!std::filesystem::is_directory(corpus_folder() / folder)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus_folder() / folder))
            if (entry.path().extension() == ".sqlite") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

template <class Visit>
void each_event(const Run& run, const Visit& visit) {
    for (const RankSlot& rank : run.ranks())
        for (std::uint32_t e = 0; e < rank.trace().size(); ++e) visit(rank.trace(), EventId{e});
}

void add(Asked::Rows& to, const std::string& key, std::vector<std::int64_t> values) {
    std::vector<std::int64_t>& sums = to[key];
    sums.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

std::string stream_key(std::int64_t device, std::int64_t stream) {
    return std::to_string(device) + "/" + std::to_string(stream);
}

void check_kernels(const Run& run, Asked& asked) {
    Asked::Rows ours;
    each_event(run, [&](const RankTrace& trace, EventId e) {
        if (trace.category_kind(e) == Category::Kernel)
            add(ours, std::string(trace.name_text(e)), {1, trace.duration[index_of(e)].count()});
    });
    CHECK(ours == asked.rows("SELECT s.value, count(*), sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k "
                             "JOIN StringIds s ON s.id = k.demangledName GROUP BY s.value"));
}

// Busy time of each stream as the union of its work: by SQL with a running maximum of ends.
void check_busy(const Run& run, Asked& asked) {
    Asked::Rows ours;
    for (const RankSlot& rank : run.ranks()) {
        const RankTrace& trace = rank.trace();
        std::map<std::string, std::int64_t> until;
        for (const EventId e : trace.gpu_events) {
            const std::string key = stream_key(*trace.integer(Arg::Device, e), *trace.integer(Arg::Stream, e));
            const auto [known, fresh] = until.try_emplace(key, ns_of(trace.start[index_of(e)]));
            const std::int64_t end = ns_of(trace.end(e));
            const std::int64_t from = std::max(known->second, ns_of(trace.start[index_of(e)]));
            add(ours, key, {std::max<std::int64_t>(end - from, 0)});
            known->second = std::max(known->second, end);
        }
    }
    std::string work;
    for (const char* const table : {"KERNEL", "MEMCPY", "MEMSET"}) {
        const std::string name = std::string("CUPTI_ACTIVITY_KIND_") + table;
        if (!asked.has(name, "start")) continue;
        work += (work.empty() ? "" : " UNION ALL ") + std::string("SELECT start, end, deviceId, streamId FROM ") + name;
    }
    if (work.empty()) return;
    CHECK(ours ==
          asked.rows("WITH work AS (" + work +
                     "), pieces AS (SELECT deviceId, streamId, start, end, max(end) OVER "
                     "(PARTITION BY deviceId, streamId ORDER BY start, end DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 "
                     "PRECEDING) AS until FROM work) SELECT deviceId || '/' || streamId, "
                     "sum(max(end - max(start, coalesce(until, start)), 0)) FROM pieces GROUP BY deviceId, streamId"));
}

void check_delays(const Run& run, Asked& asked) {
    Asked::Rows ours;
    each_event(run, [&](const RankTrace& trace, EventId e) {
        const EventId call = trace.parent[index_of(e)];
        if (trace.category_kind(e) != Category::Kernel || call == kNoEvent) return;
        add(ours, std::string(trace.name_text(call)),
            {1, ns_of(trace.start[index_of(e)]) - ns_of(trace.start[index_of(call)])});
    });
    const bool has_pid = asked.has("CUPTI_ACTIVITY_KIND_KERNEL", "globalPid");
    const bool has_class = asked.has("CUPTI_ACTIVITY_KIND_RUNTIME", "eventClass");
    const Asked::Rows theirs = asked.rows(
        std::string("SELECT s.value, count(*), sum(k.start - r.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
                    "CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId ") +
        (has_pid ? "AND (r.globalTid >> 24) = (k.globalPid >> 24) " : "") +
        (has_class ? "AND r.eventClass IN (0, 1) " : "") + "JOIN StringIds s ON s.id = r.nameId GROUP BY s.value");
    Asked::Rows stripped;
    for (const auto& [name, values] : theirs) add(stripped, name.substr(0, name.rfind("_v")), values);
    CHECK(ours == stripped);
}

void check_ranges(const Run& run, Asked& asked) {
    Asked::Rows ours;
    each_event(run, [&](const RankTrace& trace, EventId e) {
        const Category kind = trace.category_kind(e);
        if (kind == Category::CpuOp || kind == Category::UserAnnotation)
            add(ours, std::string(trace.name_text(e)), {1, trace.duration[index_of(e)].count()});
    });
    Asked::Rows theirs;
    for (const auto& [text, values] :
         asked.rows("SELECT coalesce(n.text, s.value), count(*), sum(n.end - n.start) FROM NVTX_EVENTS n LEFT JOIN "
                    "StringIds s ON s.id = n.textId WHERE n.eventType IN (59, 60) GROUP BY 1"))
        add(theirs, text.substr(0, std::min(text.find(", seq = "), text.find(", op_id = "))), values);
    CHECK(ours == theirs);
}

}  // namespace

TEST_CASE("kernels, busy streams, launch delays and ranges of real files equal SQL to the nanosecond") {
    if (!corpus_is_here()) return;
    const std::vector<std::filesystem::path> files = nsys_files();
    CHECK(files.size() >= 6);
    for (const std::filesystem::path& file : files) {
        CAPTURE(file.string());
        const Result<RunPtr> run = load_database(file);
        REQUIRE(run);
        Asked asked(file);
        check_kernels(**run, asked);
        check_busy(**run, asked);
        check_delays(**run, asked);
        check_ranges(**run, asked);
    }
}

TEST_CASE("real files hold the ranks, hosts and times that they state") {
    if (!corpus_is_here()) return;
    struct Expected {
        const char* file;
        std::size_t ranks;
        const char* host;
        std::int64_t first_gpu_ns;  // from the session's start, of rank 0
    };
    constexpr Expected kExpected[] = {
        {"nsys-ai/h100_2gpu/h100_2gpu_1s.sqlite", 2, "modal", 155'357'525'002},
        {"nsys-ai/mfu_2gpu_before/mfu_2gpu_before.sqlite", 2, "modal", 60'111'541'307},
        {"nsys-ai/minimal_tables/healthy_1pct.sqlite", 1, "", 0},
        {"nsys-ai/mock/mock.sqlite", 1, "DESKTOP-KBEMEQS", -1},
        {"pipit/saxpy_mpi_cuda/saxpy-mpi-cuda_nsys_perlmutter0.sqlite", 1, "nid001608", 887'857'742},
    };
    for (const Expected& expected : kExpected) {
        const std::filesystem::path file = corpus_folder() / expected.file;
        if (!std::filesystem::exists(file)) continue;
        CAPTURE(expected.file);
        const Result<RunPtr> run = load_database(file);
        REQUIRE(run);
        CHECK((*run)->ranks().size() == expected.ranks);
        const RankTrace& trace = (*run)->rank(0).trace();
        CHECK(trace.info.host == expected.host);
        if (expected.first_gpu_ns >= 0)
            CHECK(ns_of(trace.start[index_of(trace.gpu_events[0])]) == trace.info.base_time_ns + expected.first_gpu_ns);
    }
}
