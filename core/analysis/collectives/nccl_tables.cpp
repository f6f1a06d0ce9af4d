#include "core/analysis/collectives/collective_analyses.hpp"
#include "core/analysis/engine/analysis.hpp"
#include "core/store/nccl_facts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace core::nccl {

std::vector<Column> columns();  // of the row

namespace {

std::vector<Column> communicator_columns() {
    return {{"source", Unit::Text, Role::Key, Facet::None, "the file, and which process of it"},
            {"row", Unit::Count, Role::Key, Facet::None, "from 1, in the order of the file"},
            {"rank", Unit::Rank, Role::Info, Facet::Rank, "absent where nothing tells it"},
            {"communicator", Unit::Text, Role::Info, Facet::None, "its id, the same on all its ranks"},
            {"name", Unit::Text, Role::Info, Facet::None, "as the program named it"},
            {"own_rank", Unit::Count, Role::Info, Facet::None, "of this process in the communicator"},
            {"size", Unit::Count, Role::Info, Facet::None, "ranks of the communicator"},
            {"host", Unit::Text, Role::Info, Facet::None, "where the process ran"},
            {"process", Unit::Count, Role::Info, Facet::None, "its number there"},
            {"device", Unit::Count, Role::Info, Facet::None, "CUDA device"},
            {"bus", Unit::Text, Role::Info, Facet::None, "PCI bus id of the device"},
            {"channels", Unit::Count, Role::Info, Facet::None, "for collectives"},
            {"state", Unit::Text, Role::Info, Facet::None, "started: its start-up did not finish; else complete"},
            {"said_by", Unit::Text, Role::Info, Facet::None, "log, inspector or profiler plugin"}};
}

std::vector<Column> warning_columns() {
    return {{"source", Unit::Text, Role::Key, Facet::None, "the file, and which process of it"},
            {"row", Unit::Count, Role::Key, Facet::None, "from 1, in the order of the file"},
            {"rank", Unit::Rank, Role::Info, Facet::Rank, "absent where nothing tells it"},
            {"text", Unit::Text, Role::Info, Facet::None, "NCCL's own words"},
            {"place", Unit::Text, Role::Info, Facet::None, "file, line and function of NCCL"},
            {"time", Unit::Text, Role::Info, Facet::None,
             "of the first one, as written: local time of an unknown zone; absent where the log has none"},
            {"count", Unit::Count, Role::Measure, Facet::None, "how often", true}};
}

std::string id_text(std::uint64_t id) {
    if (id == 0) return {};
    std::array<char, 20> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), id, 16);
    return "0x" + std::string(digits.data(), end);
}

Cell text_cell(const std::string& text) { return text.empty() ? Cell{} : Cell{std::string_view(text)}; }
Cell number_cell(std::int64_t value) { return value < 0 ? Cell{} : Cell{value}; }

class NcclTables {
public:
    explicit NcclTables(Partial& partial) : partial_(partial) {}

    void add(Cell rank, const RankTrace& trace) {
        const NcclFacts& facts = trace.info.nccl;
        source_ = trace.info.path.filename().string();
        if (facts.process >= 0) source_ += ", process " + std::to_string(facts.process);
        if (const NcclCommunicator* const largest = largest_communicator(facts))
            source_ += ", rank " + std::to_string(largest->rank);
        row_ = 0;
        for (const NcclCommunicator& one : facts.communicators) {
            const std::string id = id_text(one.id);
            partial_.tables[1].table.add_row(
                {std::string_view(source_), ++row_, rank, text_cell(id), text_cell(one.name), number_cell(one.rank),
                 one.size > 0 ? Cell{std::int64_t{one.size}} : Cell{}, text_cell(trace.info.host),
                 number_cell(facts.process), number_cell(one.device), text_cell(one.bus), number_cell(one.channels),
                 std::string_view(one.is_complete != 0 ? "complete" : "started"), text_cell(trace.info.trace_name)});
        }
        row_ = 0;
        for (const NcclCalls& calls : facts.calls) add_calls(rank, calls);
        row_ = 0;
        for (const NcclWarning& warning : facts.warnings)
            partial_.tables[2].table.add_row({std::string_view(source_), ++row_, rank, text_cell(warning.text),
                                              text_cell(warning.place), text_cell(warning.time),
                                              static_cast<std::int64_t>(warning.count)});
    }

private:
    void add_calls(Cell rank, const NcclCalls& calls) {
        const std::string id = id_text(calls.communicator);
        std::string channels;
        if (calls.first_channel >= 0 && calls.last_channel >= calls.first_channel)
            channels = std::to_string(calls.first_channel) + "-" + std::to_string(calls.last_channel);
        const bool timed = calls.timed > 0;
        const auto mean = timed ? static_cast<double>(calls.total_ns) / static_cast<double>(calls.timed) : 0;
        const auto bus = calls.with_bandwidth > 0
                             ? static_cast<double>(calls.bus_bytes_per_s) / static_cast<double>(calls.with_bandwidth)
                             : 0;
        partial_.tables[0].table.add_row(
            {std::string_view(source_), ++row_, rank, text_cell(id), text_cell(calls.operation),
             number_cell(calls.bytes), text_cell(calls.algorithm), text_cell(calls.protocol), text_cell(channels),
             static_cast<std::int64_t>(calls.count), timed ? Cell{std::int64_t{std::llround(mean)}} : Cell{},
             timed ? Cell{calls.shortest_ns} : Cell{}, timed ? Cell{calls.longest_ns} : Cell{},
             calls.with_bandwidth > 0 ? Cell{bus} : Cell{}, text_cell(calls.timing)});
    }

    Partial& partial_;
    std::string source_;
    std::int64_t row_ = 0;
};

}  // namespace

std::vector<Column> columns() {
    return {{"source", Unit::Text, Role::Key, Facet::None, "the file, and which process of it"},
            {"row", Unit::Count, Role::Key, Facet::None, "from 1, in the order of the file"},
            {"rank", Unit::Rank, Role::Info, Facet::Rank, "absent where nothing tells it"},
            {"communicator", Unit::Text, Role::Info, Facet::None, "its id; absent where NCCL does not say it"},
            {"operation", Unit::Text, Role::Info, Facet::None, "AllReduce, AllGather, …, as NCCL writes it"},
            {"bytes", Unit::Bytes, Role::Info, Facet::None, "the size, as nccl-tests counts it"},
            {"algorithm", Unit::Text, Role::Info, Facet::None, "RING, TREE, NVLS, …; absent where not said"},
            {"protocol", Unit::Text, Role::Info, Facet::None, "LL, LL128, SIMPLE"},
            {"channels", Unit::Text, Role::Info, Facet::None, "first and last one used"},
            {"count", Unit::Count, Role::Measure, Facet::None, "calls", true},
            {"mean", Unit::Ns, Role::Measure, Facet::None, "of the calls that were timed"},
            {"shortest", Unit::Ns, Role::Measure, Facet::None, "of them"},
            {"longest", Unit::Ns, Role::Measure, Facet::None, "of them"},
            {"busbw", Unit::BytesPerSecond, Role::Measure, Facet::None, "mean of the bus bandwidths that NCCL states"},
            {"timing", Unit::Text, Role::Info, Facet::None, "what measured the times, as NCCL states it"}};
}

Result<Partial> rank(const RankView& view, const Params&, const JobContext&) {
    Partial partial{{{"main", Table(columns())},
                     {"communicators", Table(communicator_columns())},
                     {"warnings", Table(warning_columns())}},
                    {},
                    {},
                    {}};
    NcclTables tables(partial);
    if (is_nccl_source(view.trace().info.trace_name)) tables.add(view.key(), view.trace());
    for (const Companion* const companion : view.run->companions_of(view.slot))
        if (is_nccl_source(companion->trace().info.trace_name))
            tables.add(companion->rank ? Cell{RankKey{*companion->rank, 0}.packed()} : Cell{}, companion->trace());
    return partial;
}

constexpr SecondaryTable kTables[] = {{"communicators", communicator_columns}, {"warnings", warning_columns}};

}  // namespace core::nccl

namespace core {

constinit const Analysis kNccl{
    .id = "nccl",
    .title = "NCCL",
    .summary = "What NCCL's logs and plugins say: calls by size with algorithm and protocol, communicators, warnings.",
    .definition = R"(
From debug logs (NCCL_DEBUG=INFO, or WARN), JSON lines of the inspector and traces of profiler plugins in the run.
One row per process, communicator, operation, size, algorithm, protocol, channels and timing, with the calls
counted. A log names the algorithm in lines of their own (subsystem TUNING), which only rank 0 of a communicator
prints and which do not name it: it is that of the thread's calls just before them (subsystem COLL), else the only
one in which the process is rank 0, else absent. Rows without an algorithm count the calls (COLL), rows with one
count the choices. bytes is S of nccl-tests: all data of all_gather and reduce_scatter; absent for operations whose
counts are per partner.

mean, shortest and longest are of the times that the inspector measured on the GPU or, as timing says, on the CPU;
busbw is the mean of what it states. The rank is that in the process's largest communicator if that has as many
ranks as the job, else that of the trace with the same process id, else the one in the file's name. Terms of the
filter other than on rank are not asked.
)",
    .rank = nccl::rank,
    .columns = nccl::columns,
    .tables = nccl::kTables,
    .lead = "count",
    .made_of = "logs or plugin traces of NCCL",
    .of_run = true,
};

}  // namespace core
