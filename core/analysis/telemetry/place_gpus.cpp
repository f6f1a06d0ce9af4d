#include "core/analysis/telemetry/place_gpus.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace core {
namespace {

// Whole names, or one is the other with its domain.
bool is_same_host(std::string_view a, std::string_view b) {
    if (a.size() > b.size()) std::swap(a, b);
    if (a.empty() || !std::ranges::equal(a, b.substr(0, a.size()), {}, lower_ascii, lower_ascii)) return false;
    return a.size() == b.size() || b[a.size()] == '.';
}

// In "node-a_nvidia_smi.csv" node-a, but not in "node-a2.csv".
bool names_host(std::string_view text, std::string_view host) {
    const auto is_part = [](char c) { return is_digit(c) || (lower_ascii(c) >= 'a' && lower_ascii(c) <= 'z'); };
    for (std::size_t at = 0; (at = text.find(host, at)) != std::string_view::npos; ++at) {
        const bool begins = at == 0 || !is_part(text[at - 1]);
        const std::size_t end = at + host.size();
        if (begins && (end == text.size() || !is_part(text[end]))) return true;
    }
    return false;
}

std::set<std::string> hosts_of(const Run& run) {
    std::set<std::string> hosts;
    for (const RankSlot& rank : run.ranks())
        if (!rank.trace().info.host.empty()) hosts.insert(rank.trace().info.host);
    return hosts;
}

std::vector<std::uint32_t> slots_where(const Run& run, const std::function<bool(const RankTrace&)>& is) {
    std::vector<std::uint32_t> slots;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot)
        if (is(run.rank(slot).trace())) slots.push_back(slot);
    return slots;
}

std::vector<std::uint32_t> slots_of_named_host(const Run& run, const std::string& host) {
    std::vector<std::uint32_t> slots =
        slots_where(run, [&](const RankTrace& trace) { return is_same_host(trace.info.host, host); });
    if (!slots.empty() || !hosts_of(run).empty()) return slots;
    slots = slots_where(run, [&](const RankTrace& trace) {
        const std::filesystem::path& path = trace.info.path;
        return names_host(path.filename().string(), host) || names_host(path.parent_path().filename().string(), host);
    });
    return slots.empty() ? slots_where(run, [](const RankTrace&) { return true; }) : slots;
}

// Ranks of one host by number, with all their captures.
using RanksOfHost = std::map<std::int32_t, std::vector<std::uint32_t>>;

RanksOfHost ranks_of(const Run& run, std::span<const std::uint32_t> slots) {
    RanksOfHost ranks;
    for (const std::uint32_t slot : slots) ranks[run.rank(slot).key.number].push_back(slot);
    return ranks;
}

// GPUs of all logs that are on the same host.
struct HostGpus {
    std::vector<std::uint32_t> slots;
    std::vector<std::pair<std::size_t, std::size_t>> gpus;  // log, GPU
};

class GpuPlacer {
public:
    GpuPlacer(const Run& run, const TelemetryLogs& logs, const Likeness& likeness)
        : run_(run), logs_(logs), likeness_(likeness) {
        read_nccl();
    }

    void place_host(const HostGpus& host, GpuPlaces& places) {
        const RanksOfHost ranks = ranks_of(run_, host.slots);
        const bool by_index = has_own_gpus(host, ranks);
        const bool by_order = !by_index && may_be_in_order(host, ranks);
        for (const auto& [log, gpu] : host.gpus) {
            PlacedGpu& place = places.logs[log][gpu];
            place = find_stated(logs_.logs[log].gpus[gpu].gpu, ranks);
            if (!place.slots.empty()) continue;
            if (by_index) place = find_by_index(logs_.logs[log].gpus[gpu].gpu, ranks);
            if (by_order) place = find_by_order(logs_.logs[log].gpus[gpu].gpu, ranks);
            if (place.slots.empty() && ranks.size() == 1 && host.gpus.size() == 1 &&
                logs_.logs[log].gpus[gpu].gpu.index < 0)
                place = {.slots = ranks.begin()->second, .how = "the only GPU of the log", .is_measured = false};
        }
    }

    // Whether a log without a place has GPUs of other numbers than any rank on its host.
    bool is_of_other_gpus(const TelemetryLog& log) const {
        for (const GpuSamples& samples : log.gpus) {
            const std::vector<std::uint32_t> slots = slots_on_host(run_, samples.gpu, log.path);
            if (slots.empty() && samples.gpu.host.empty()) return false;
            if (samples.gpu.index < 0 && !slots.empty()) return false;
            for (const std::uint32_t slot : slots)
                if (main_gpu_of(run_.rank(slot).trace()) == samples.gpu.index) return false;
        }
        return true;
    }

private:
    // Which GPU each process of NCCL has, by PCI address.
    void read_nccl() {
        const auto read = [&](const RankTrace& trace, std::optional<std::int32_t> number) {
            const NcclCommunicator* const largest = largest_communicator(trace.info.nccl);
            if (!largest || largest->bus.empty()) return;
            rank_of_bus_[{trace.info.host, plain_bus(largest->bus)}].insert(number ? *number : largest->rank);
        };
        for (const RankSlot& rank : run_.ranks()) read(rank.trace(), rank.key.number);
        for (const Companion& companion : run_.companions()) read(companion.trace(), companion.rank);
    }

    PlacedGpu find_stated(const LoggedGpu& gpu, const RanksOfHost& ranks) const {
        if (gpu.rank >= 0) {
            std::vector<std::uint32_t> slots = ranks.contains(static_cast<std::int32_t>(gpu.rank))
                                                   ? ranks.at(static_cast<std::int32_t>(gpu.rank))
                                                   : std::vector<std::uint32_t>();
            return {.slots = std::move(slots), .how = "by rank", .is_measured = true};
        }
        for (const MappedGpu& mapped : logs_.map) {
            const bool is_this = mapped.gpu == gpu.uuid ||
                                 (gpu.index >= 0 && mapped.gpu == std::to_string(gpu.index)) ||
                                 (!gpu.bus.empty() && plain_bus(mapped.gpu) == plain_bus(gpu.bus));
            if (!is_this || (!mapped.host.empty() && !gpu.host.empty() && !is_same_host(mapped.host, gpu.host)))
                continue;
            if (mapped.rank >= 0) {
                const auto rank = ranks.find(static_cast<std::int32_t>(mapped.rank));
                if (rank != ranks.end()) return {.slots = rank->second, .how = "by the GPU map", .is_measured = true};
                continue;
            }
            if (mapped.local_rank < std::ssize(ranks))
                return {.slots = std::next(ranks.begin(), mapped.local_rank)->second,
                        .how = "by the GPU map",
                        .is_measured = true};
        }
        return find_by_nccl(gpu, ranks);
    }

    PlacedGpu find_by_nccl(const LoggedGpu& gpu, const RanksOfHost& ranks) const {
        if (gpu.bus.empty()) return {};
        std::set<std::int32_t> numbers;
        for (const auto& [bus, of_bus] : rank_of_bus_)
            if (bus.second == plain_bus(gpu.bus))
                for (const std::int32_t number : of_bus)
                    if (ranks.contains(number)) numbers.insert(number);
        if (numbers.size() != 1) return {};
        return {.slots = ranks.at(*numbers.begin()), .how = "by PCI address in NCCL's log", .is_measured = true};
    }

    std::int64_t gpu_of(std::span<const std::uint32_t> captures) const {
        return main_gpu_of(run_.rank(captures.front()).trace());
    }

    std::set<std::int64_t> indices_of(const HostGpus& host) const {
        std::set<std::int64_t> indices;
        for (const auto& [log, gpu] : host.gpus) indices.insert(logs_.logs[log].gpus[gpu].gpu.index);
        return indices;
    }

    // Every rank has a GPU of its own, and all of them are in the logs.
    bool has_own_gpus(const HostGpus& host, const RanksOfHost& ranks) const {
        const std::set<std::int64_t> logged = indices_of(host);
        std::set<std::int64_t> own;
        for (const auto& [number, captures] : ranks) {
            const std::int64_t gpu = gpu_of(captures);
            if (gpu < 0 || !logged.contains(gpu) || !own.insert(gpu).second) return false;
        }
        return !own.empty();
    }

    PlacedGpu find_by_index(const LoggedGpu& gpu, const RanksOfHost& ranks) const {
        for (const auto& [number, captures] : ranks)
            if (gpu_of(captures) == gpu.index) return {.slots = captures, .how = "by GPU index", .is_measured = false};
        return {};
    }

    // Every rank says GPU 0, as each process sees its own only. The n-th rank of the host then has the n-th GPU, if
    // its activity is more like that GPU's than like any other's.
    bool may_be_in_order(const HostGpus& host, const RanksOfHost& ranks) const {
        constexpr double kClearly = 0.1;
        if (ranks.size() < 2) return false;
        for (const auto& [number, captures] : ranks)
            if (gpu_of(captures) != 0) return false;
        std::int64_t place = 0;
        for (const auto& [number, captures] : ranks) {
            std::optional<double> own;
            double other = -1;
            for (const auto& [log, gpu] : host.gpus) {
                const std::optional<double> alike = likeness_(log, gpu, captures.front());
                if (!alike) return false;
                if (logs_.logs[log].gpus[gpu].gpu.index == place)
                    own = std::max(own.value_or(-1), *alike);
                else
                    other = std::max(other, *alike);
            }
            if (!own || *own < other + kClearly) return false;
            ++place;
        }
        return true;
    }

    static PlacedGpu find_by_order(const LoggedGpu& gpu, const RanksOfHost& ranks) {
        if (gpu.index < 0 || gpu.index >= std::ssize(ranks)) return {};
        return {.slots = std::next(ranks.begin(), gpu.index)->second,
                .how = "by local rank, guessed",
                .is_measured = false};
    }

    const Run& run_;
    const TelemetryLogs& logs_;
    const Likeness& likeness_;
    std::map<std::pair<std::string, std::string>, std::set<std::int32_t>> rank_of_bus_;  // host, address
};

}  // namespace

std::vector<std::uint32_t> slots_on_host(const Run& run, const LoggedGpu& gpu, const std::filesystem::path& log) {
    if (gpu.rank >= 0) return slots_where(run, [](const RankTrace&) { return true; });
    if (!gpu.host.empty()) return slots_of_named_host(run, gpu.host);
    const std::set<std::string> hosts = hosts_of(run);
    if (hosts.size() <= 1) return slots_where(run, [](const RankTrace&) { return true; });
    std::string named;
    for (const std::string& host : hosts) {
        const std::string short_name = host.substr(0, host.find('.'));
        const bool names = names_host(log.filename().string(), short_name) ||
                           names_host(log.parent_path().filename().string(), short_name);
        if (names && host.size() > named.size()) named = host;
    }
    if (!named.empty())
        return slots_where(run, [&](const RankTrace& trace) { return is_same_host(trace.info.host, named); });
    // A folder per host, with its log.
    std::vector<std::uint32_t> slots =
        slots_where(run, [&](const RankTrace& trace) { return trace.info.path.parent_path() == log.parent_path(); });
    std::set<std::string> of_folder;
    for (const std::uint32_t slot : slots) of_folder.insert(run.rank(slot).trace().info.host);
    return of_folder.size() == 1 ? slots : std::vector<std::uint32_t>();
}

std::string plain_bus(std::string_view bus) {
    std::string plain;
    for (const char c : bus)
        if (c != ':' && c != '.') plain.push_back(lower_ascii(c));
    if (bus.find(':') != std::string_view::npos && bus.find('.') == std::string_view::npos) plain.push_back('0');
    return plain.substr(std::min(plain.find_first_not_of('0'), plain.size()));
}

GpuPlaces place_gpus(const Run& run, const TelemetryLogs& logs, const std::vector<bool>& in_time,
                     const Likeness& likeness) {
    GpuPlaces places;
    std::vector<HostGpus> hosts;
    for (std::size_t log = 0; log < logs.logs.size(); ++log) {
        places.logs.emplace_back(logs.logs[log].gpus.size());
        if (!in_time[log]) continue;
        for (std::size_t gpu = 0; gpu < logs.logs[log].gpus.size(); ++gpu) {
            std::vector<std::uint32_t> slots = slots_on_host(run, logs.logs[log].gpus[gpu].gpu, logs.logs[log].path);
            auto host = std::ranges::find(hosts, slots, &HostGpus::slots);
            if (host == hosts.end()) host = hosts.insert(hosts.end(), {.slots = std::move(slots), .gpus = {}});
            host->gpus.emplace_back(log, gpu);
        }
    }
    GpuPlacer placer(run, logs, likeness);
    for (const HostGpus& host : hosts) placer.place_host(host, places);
    for (std::size_t log = 0; log < logs.logs.size(); ++log) {
        const bool placed = std::ranges::any_of(places.logs[log], [](const PlacedGpu& p) { return !p.slots.empty(); });
        const bool other = !placed && placer.is_of_other_gpus(logs.logs[log]);
        places.fates.push_back(placed ? LogFate::Used : other ? LogFate::OtherDevice : LogFate::Unmapped);
        places.why.emplace_back(placed  ? ""
                                : other ? "its GPUs are none of the run's"
                                        : "which of its GPUs is which rank is undecided: --gpu-map says it");
    }
    return places;
}

}  // namespace core
