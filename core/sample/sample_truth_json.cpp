#include "core/sample/sample_truth.hpp"

#include "core/sample/gpu_logs.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>

namespace core::sample {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kClassNames[] = {"compute", "communication", "memory"};
constexpr const char* kSubsetNames[] = {
    "idle",   "compute",        "communication",        "compute+communication",
    "memory", "compute+memory", "communication+memory", "compute+communication+memory"};

constexpr std::size_t kMostRanksInFull = 512;

// With thousands of ranks, members are a first rank, a stride and a number.
Json members_json(const Topology& topology, GroupKind kind, int rank) {
    const int group = topology.group_of(kind, rank);
    if (static_cast<std::size_t>(topology.ranks) <= kMostRanksInFull) return topology.members(kind, group);
    return {{"first", topology.first_member(kind, group)},
            {"stride", topology.stride(kind)},
            {"ranks", topology.group_size(kind)}};
}

Json options_json(const SampleOptions& options) {
    return {{"ranks", options.ranks},         {"tensor_parallel", options.tensor_parallel},
            {"steps", options.steps},         {"layers", options.layers},
            {"straggler", options.straggler}, {"seed", options.seed},
            {"gzip", options.gzip},           {"variant", options.candidate ? "candidate" : "baseline"},
            {"events", options.events}};
}

Json parts_json(const TimeParts& parts) {
    return {{"compute_ns", parts.compute()},
            {"exposed_communication_ns", parts.exposed_communication()},
            {"exposed_memory_ns", parts.exposed_memory()},
            {"idle_ns", parts.idle()}};
}

Json breakdown_json(const RankTruth& rank) {
    const TimeParts& parts = rank.parts();
    Json json = {{"window_start_ns", rank.first_ns()}, {"window_ns", rank.last_ns() - rank.first_ns()}};
    json.update(parts_json(parts));
    json["communication_ns"] = parts.communication();
    json["memory_ns"] = parts.memory();
    json["overlap_ns"] = parts.overlap();
    Json& subsets = json["kernel_types_ns"] = Json::object();
    for (std::size_t subset = 0; subset < parts.subset_ns.size(); ++subset)
        if (parts.subset_ns[subset] != 0) subsets[kSubsetNames[subset]] = parts.subset_ns[subset];
    return json;
}

Json counts_json(const KinetoWriter& writer) {
    Json json = Json::object();
    for (std::size_t i = 0; i < writer.counts().size(); ++i) {
        const CountedName name = counted_name(static_cast<Counted>(i));
        const std::string key = std::string(name.phase) + (name.category[0] != '\0' ? ":" : "") + name.category;
        if (writer.counts()[i] > 0) json[key] = writer.counts()[i];
    }
    return json;
}

struct NamedStats {
    const char* class_name = nullptr;
    std::map<std::size_t, DurationStats> by_rank;
};

std::string slot_name(const Catalog& catalog, std::size_t slot) {
    if (slot < catalog.kernels.size()) return catalog.kernels[slot].name;
    const std::size_t copy = slot - catalog.kernels.size();
    return copy < catalog.copies.size() ? catalog.copies[copy] : "Memset (Device)";
}

Json kernels_json(const Catalog& catalog, const RunTruth& truth) {
    std::map<std::string, NamedStats> names;
    for (std::size_t r = 0; r < truth.ranks.size(); ++r) {
        for (std::size_t slot = 0; slot < kStatSlots; ++slot) {
            const DurationStats& stats = truth.ranks[r]->stats()[slot];
            if (stats.count == 0) continue;
            NamedStats& named = names[slot_name(catalog, slot)];
            const bool is_kernel = slot < catalog.kernels.size();
            named.class_name = kClassNames[static_cast<std::size_t>(is_kernel ? catalog.kernels[slot].kernel_class
                                                                              : KernelClass::Memory)];
            named.by_rank[r].add(stats);
        }
    }
    Json json = Json::array();
    for (const auto& [name, named] : names) {
        Json ranks = Json::array();
        if (truth.ranks.size() > kMostRanksInFull) {
            DurationStats all;
            for (const auto& [rank, stats] : named.by_rank) all.add(stats);
            json.push_back({{"name", name},
                            {"class", named.class_name},
                            {"count", all.count},
                            {"total_ns", all.total_ns},
                            {"min_ns", all.min_ns},
                            {"max_ns", all.max_ns}});
            continue;
        }
        for (const auto& [rank, stats] : named.by_rank)
            ranks.push_back({{"rank", rank},
                             {"count", stats.count},
                             {"total_ns", stats.total_ns},
                             {"min_ns", stats.min_ns},
                             {"max_ns", stats.max_ns}});
        json.push_back({{"name", name}, {"class", named.class_name}, {"ranks", std::move(ranks)}});
    }
    return json;
}

Json steps_json(const RunTruth& truth) {
    Json json = Json::array();
    for (std::size_t r = 0; r < truth.ranks.size(); ++r) {
        for (const StepTruth& step : truth.ranks[r]->steps()) {
            Json row = {
                {"step", step.step}, {"rank", r}, {"start_ns", step.start_ns}, {"duration_ns", step.duration_ns}};
            row.update(parts_json(step.parts));
            json.push_back(std::move(row));
        }
    }
    return json;
}

Json gaps_json(const RunTruth& truth) {
    Json json = Json::array();
    for (std::size_t r = 0; r < truth.ranks.size(); ++r) {
        for (const StepTruth& step : truth.ranks[r]->steps()) {
            json.push_back({{"step", step.step},
                            {"rank", r},
                            {"kind", "host_metrics_after_sync"},
                            {"gap_ns", step.metrics_gap_ns}});
            if (step.loading_gap_ns > 0)
                json.push_back(
                    {{"step", step.step}, {"rank", r}, {"kind", "data_loading"}, {"gap_ns", step.loading_gap_ns}});
        }
    }
    return json;
}

Json collective_json(const RunTruth& truth, const CollectiveTruth& collective) {
    constexpr const char* kOps[] = {"allreduce", "_allgather_base", "_reduce_scatter_base", "send",
                                    "send",      "all_to_allv"};
    const CollectiveOutcome& outcome = collective.outcome;
    Json arrivals = Json::array();
    Json ends = Json::array();
    std::size_t last = 0;
    const auto truly_last =
        static_cast<std::size_t>(std::ranges::max_element(outcome.arrival_ns) - outcome.arrival_ns.begin());
    for (std::size_t i = 0; i < outcome.members.size(); ++i) {
        const RankClock& clock = truth.ranks[static_cast<std::size_t>(outcome.members[i])]->clock();
        arrivals.push_back(clock.show(outcome.arrival_ns[i]));
        ends.push_back(clock.show(outcome.arrival_ns[i]) + outcome.end_ns[i] - outcome.arrival_ns[i]);
        if (arrivals[i].get<std::int64_t>() > arrivals[last].get<std::int64_t>()) last = i;
    }
    Json json = {{"step", collective.step},
                 {"group", process_group_name(outcome.call.group)},
                 {"members", outcome.members},
                 {"seq", outcome.call.seq},
                 {"operation", kOps[static_cast<std::size_t>(outcome.call.op)]},
                 {"bytes", message_bytes(outcome.call)},
                 {"arrivals_ns", std::move(arrivals)},
                 {"ends_ns", std::move(ends)},
                 {"last_rank", outcome.members[last]},
                 {"truly_last_rank", outcome.members[truly_last]}};
    if (outcome.call.op == CollectiveOp::AllToAll) json["taken_bytes"] = outcome.taken_bytes;
    if (outcome.source >= 0) {
        json["source"] = outcome.source;
        json["destination"] =
            outcome.members.front() == outcome.source ? outcome.members.back() : outcome.members.front();
    }
    return json;
}

// By StragglerCause; the first of each pair is what the straggler does, the second what an analysis should call it.
constexpr const char* kCauseTexts[] = {"its data loader stalls the host before the batch is copied, every step",
                                       "its host stalls in the operator that copies the batch, every step",
                                       "the call that launches the copy of the batch takes long, every step",
                                       "it allocates device memory before the first layer, every step",
                                       "all its compute kernels take 1.5 times as long",
                                       "it launches kernels that no other rank has, every step",
                                       "it copies on the device before the first layer, every step",
                                       "its host waits for an event before the batch is copied, every step"};
constexpr const char* kCauseKinds[] = {"data loading",   "host",      "launch call", "allocation",
                                       "slower kernels", "more work", "copies",      "synchronisation"};

void add_faults(Json& json, const Topology& topology, const SampleFaults& faults) {
    if (faults.clock_spread_ns != SampleFaults{}.clock_spread_ns || faults.clock_drift_ppb != 0)
        json["clocks"] = {{"most_offset_ns", faults.clock_spread_ns}, {"most_drift_ppb", faults.clock_drift_ppb}};
    if (faults.slow_link)
        json["slow_link"] = {{"group", process_group_name(GroupKind::Data)},
                             {"members", topology.members(GroupKind::Data, 0)},
                             {"times", DeviceSchedule::kSlowTimes}};
    if (faults.lost_records)
        json["lost_records"] = {{"rank", 1}, {"group", process_group_name(GroupKind::Data)}, {"seq_mod_5", 2}};
    if (faults.late_window) json["late_window"] = {{"rank", topology.ranks - 1}, {"first_step", kFirstStep + 1}};
    if (faults.desynchronised)
        json["desynchronised"] = {{"group", process_group_name(GroupKind::Tensor)},
                                  {"rank", 0},
                                  {"seq_of_other_size", RecordFaults::kOtherSize},
                                  {"seq_of_other_operation", RecordFaults::kOtherOperation}};
}

// Figures per step are of one rank.
void add_traits(Json& json, const Catalog& catalog, const Topology& topology, const SampleOptions& options,
                const Planted& planted) {
    const SampleFaults& faults = options.faults;
    const int layers = options.layers;
    if (faults.sharded) {
        const int buckets = layers + 3;  // head, last norm and embedding
        json["fsdp"] = {{"group", process_group_name(GroupKind::Data)},
                        {"members_of_first", topology.members(GroupKind::Data, 0)},
                        {"all_gathers_per_step", 2 * layers},
                        {"reduce_scatters_per_step", buckets},
                        {"layer_gathered_late", planted.late_layer},
                        {"sharded", "parameters, gradients and optimizer (ZeRO-3)"}};
    }
    if (faults.experts) {
        Json full = Json::array();
        for (int group = 0; group < topology.group_count(GroupKind::Expert); ++group)
            full.push_back(topology.members(GroupKind::Expert, group)[static_cast<std::size_t>(planted.full_expert)]);
        json["experts"] = {{"group", process_group_name(GroupKind::Expert)},
                           {"exchanges_per_step", (faults.recompute ? 6 : 4) * layers},
                           {"ranks_chosen_too_often", full},
                           {"percent_of_an_even_share", planted.full_percent}};
    }
    if (faults.fp8)
        json["fp8"] = {{"operator", "aten::_scaled_mm"},
                       {"flop_per_step", catalog.layer_product_flop() * layers * (faults.recompute ? 2 : 1)}};
    if (faults.recompute)
        json["recompute"] = {{"layers", layers},
                             {"product_flop_per_step", catalog.layer_product_flop() * layers},
                             {"products", faults.fp8 ? "aten::_scaled_mm" : "aten::mm"}};
    if (faults.unknown_device) json["unknown_device"] = {{"name", kUnknownDevice}};
}

Json planted_json(const Catalog& catalog, const Topology& topology, const SampleOptions& options) {
    const Planted planted = plan_faults(options);
    Json json;
    if (planted.straggler >= 0) {
        const int group = topology.group_of(GroupKind::Tensor, planted.straggler);
        std::vector<int> peers = topology.members(GroupKind::Tensor, group);
        std::erase(peers, planted.straggler);
        json["straggler"] = {{"rank", planted.straggler},
                             {"cause", kCauseTexts[static_cast<std::size_t>(planted.cause)]},
                             {"stall_ns_per_step", planted.stall_ns},
                             {"lateness_inherited_by", peers}};
        if (planted.cause != StragglerCause::DataLoading)
            json["straggler"]["kind"] = kCauseKinds[static_cast<std::size_t>(planted.cause)];
        if (planted.cause == StragglerCause::SlowerKernels || planted.cause == StragglerCause::MoreWork)
            json["straggler"].erase("stall_ns_per_step");
        if (options.faults.clock != ClockFault::None)
            json["straggler"]["clock"] = {{"mhz", lowered_clock(options.faults.clock)},
                                          {"others_mhz", kFullClock},
                                          {"reason", trait_of(options.faults.clock).reason}};
    }
    if (!planted.further_stragglers.empty()) json["further_stragglers"] = planted.further_stragglers;
    if (planted.imbalanced_rank >= 0)
        json["imbalance"] = {{"rank", planted.imbalanced_rank},
                             {"kernel", catalog.kernel(planted.imbalanced_kernel).name},
                             {"percent_of_other_ranks", planted.imbalanced_percent}};
    json["host_work_between_loss_read_back_and_next_launch_ns"] = planted.metrics_ns;
    json["layers_a_gradient_bucket_waits"] = planted.bucket_delay;
    if (topology.stages > 1)
        json["pipeline"] = {{"stages", topology.stages}, {"group", process_group_name(GroupKind::Pipeline)}};
    add_faults(json, topology, options.faults);
    add_traits(json, catalog, topology, options, planted);
    return json;
}

Json differences_json(const Catalog& catalog) {
    return Json::array({{{"kind", "slower_kernel"},
                         {"kernel", catalog.kernel(KernelId::LayerNorm).name},
                         {"percent_of_baseline", 125}},
                        {{"kind", "fused_kernels"},
                         {"removed", {catalog.kernel(KernelId::Silu).name, catalog.kernel(KernelId::GateMul).name}},
                         {"added", {catalog.kernel(KernelId::SiluMulFused).name}}},
                        {{"kind", "better_overlap"},
                         {"what", "a gradient bucket is sent when its layer is done, not three layers later"}}});
}

Json truth_json(const Catalog& catalog, const Topology& topology, const RunTruth& truth) {
    Json json;
    json["about"] =
        "What was planted in this synthetic run, and what an analysis of it should find. Times are integer nanoseconds "
        "since base_time_ns on each rank's own clock.";
    json["options"] = options_json(truth.options);
    json["base_time_ns"] = kBaseTimeNs;
    json["detail"] = truth.detail ? "full" : "summary: rows per step and per collective are left out of a large run";
    if (truth.ranks.size() > kMostRanksInFull) json["detail"] = "summary: kernels are added up over all ranks";
    json["planted"] = planted_json(catalog, topology, truth.options);
    if (truth.options.candidate) json["differences_from_baseline"] = differences_json(catalog);
    Json& ranks = json["ranks"] = Json::array();
    for (std::size_t r = 0; r < truth.ranks.size(); ++r) {
        const int rank = static_cast<int>(r);
        ranks.push_back({{"rank", rank},
                         {"file", truth.files[r].filename().string()},
                         {"tensor_group", members_json(topology, GroupKind::Tensor, rank)},
                         {"data_group", members_json(topology, GroupKind::Data, rank)},
                         {"clock_offset_ns", truth.ranks[r]->clock().offset_ns},
                         {"events", truth.writers[r]->events()},
                         {"text_bytes", truth.writers[r]->text_bytes()},
                         {"events_by_phase_and_category", counts_json(*truth.writers[r])},
                         {"breakdown", breakdown_json(*truth.ranks[r])}});
        if (topology.stages > 1) ranks.back()["stage"] = topology.stage_of(rank);
        if (truth.options.faults.clock_drift_ppb != 0)
            ranks.back()["clock_drift_ppb"] = truth.ranks[r]->clock().drift_ppb;
    }
    json["kernels"] = kernels_json(catalog, truth);
    if (!truth.detail) return json;
    json["steps"] = steps_json(truth);
    json["idle_gaps"] = gaps_json(truth);
    Json& collectives = json["collectives"] = Json::array();
    for (const CollectiveTruth& collective : truth.collectives)
        collectives.push_back(collective_json(truth, collective));
    return json;
}

}  // namespace

Result<bool> write_truth(const std::filesystem::path& path, const Catalog& catalog, const Topology& topology,
                         const RunTruth& truth) {
    try {
        const Result<std::uint64_t> size = write_whole_file(path, truth_json(catalog, topology, truth).dump(1) + "\n");
        if (!size) return size.error();
        return true;
    } catch (const std::exception& e) {
        return Error{ErrorCode::Internal, path.string() + ": " + e.what()};
    }
}

}  // namespace core::sample
