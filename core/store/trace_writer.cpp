#include "core/store/trace_writer.hpp"

#include "core/base/ascii.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace core {
namespace {

// As readers state it in RankInfo::trace_name.
struct StatedWriter {
    std::string_view trace_name;
    TraceWriter writer;
};
constexpr StatedWriter kStated[] = {
    {"XPlane", TraceWriter::Xla},
    {"Nsight Systems", TraceWriter::NsightSystems},
    {"rocprofv3", TraceWriter::Rocprofv3},
    {"rpdTracer", TraceWriter::RpdTracer},
    {"ROCm Systems Profiler", TraceWriter::RocprofSystems},
};

enum class Evidence : std::uint8_t { Process, Category };

// In any letter case. Earlier rows win: other writers, too, use PyTorch's categories.
struct Trait {
    Evidence where;
    bool at_begin;  // else anywhere in the text
    std::string_view text;
    TraceWriter writer;
};
constexpr Trait kTraits[] = {
    {Evidence::Process, true, "ascend hardware", TraceWriter::PyTorchAscend},
    {Evidence::Process, true, "cann", TraceWriter::PyTorchAscend},
    {Evidence::Category, true, "hpu", TraceWriter::PyTorchGaudi},
    {Evidence::Process, false, "gaudi", TraceWriter::PyTorchGaudi},
    {Evidence::Process, false, "habana", TraceWriter::PyTorchGaudi},
    {Evidence::Process, false, "synapse", TraceWriter::PyTorchGaudi},
    {Evidence::Process, false, "neuron", TraceWriter::Neuron},
    {Evidence::Category, true, "neuron", TraceWriter::Neuron},
    {Evidence::Process, true, "/host:", TraceWriter::Xla},
    {Evidence::Process, true, "/device:", TraceWriter::Xla},
    {Evidence::Category, true, "rocm_", TraceWriter::RocprofSystems},
    {Evidence::Category, false, "timer_sampling", TraceWriter::RocprofSystems},
    {Evidence::Category, false, "process_sampling", TraceWriter::RocprofSystems},
    {Evidence::Category, true, "hip_api", TraceWriter::Rocprofv3},
    {Evidence::Category, true, "hsa_api", TraceWriter::Rocprofv3},
    {Evidence::Category, true, "kernel_dispatch", TraceWriter::Rocprofv3},
};

bool shows(std::string_view text, const Trait& trait) {
    const std::string_view part = trait.at_begin ? text.substr(0, trait.text.size()) : text;
    return contains_any_case(part, trait.text);
}

bool shows(const RankTrace& trace, const Trait& trait) {
    if (trait.where == Evidence::Category)
        return std::ranges::any_of(trace.categories,
                                   [&](const CategoryEntry& c) { return shows(trace.text(c.text), trait); });
    return std::ranges::any_of(trace.processes, [&](const Process& p) {
        return shows(trace.text(p.name), trait) || shows(trace.text(p.labels), trait);
    });
}

// "RANK 1 HOST", "HOST<node>": a process of unitrace, whose calls have PyTorch's category.
bool is_unitrace(const RankTrace& trace) {
    return std::ranges::any_of(trace.processes, [&](const Process& process) {
        const std::string_view name = trace.text(process.name);
        return (name.starts_with("RANK ") &&
                (name.ends_with(" HOST") || name.find(" DEVICE ") != std::string_view::npos)) ||
               name == "HOST" || name.starts_with("HOST<") || name.starts_with("DEVICE<");
    });
}

bool has_category_of_pytorch(const RankTrace& trace) {
    constexpr std::string_view kOwn[] = {"cpu_op", "python_function", "cpu_instant_event", "user_annotation"};
    return std::ranges::any_of(trace.categories, [&](const CategoryEntry& category) {
        return std::ranges::find(kOwn, trace.text(category.text)) != std::end(kOwn);
    });
}

bool has_metadata_of_pytorch(const RankTrace& trace) {
    return trace.info.metadata_json.find("\"schemaVersion\"") != std::string::npos ||
           trace.info.metadata_json.find("\"distributedInfo\"") != std::string::npos;
}

}  // namespace

TraceWriter find_trace_writer(const RankTrace& trace) {
    for (const StatedWriter& stated : kStated)
        if (trace.info.trace_name == stated.trace_name) return stated.writer;
    if (is_unitrace(trace)) return TraceWriter::Unitrace;
    for (const Trait& trait : kTraits)
        if (shows(trace, trait)) return trait.writer;
    if (has_category_of_pytorch(trace) || has_metadata_of_pytorch(trace)) return TraceWriter::PyTorch;
    return trace.info.trace_name == "Perfetto" ? TraceWriter::Perfetto : TraceWriter::Unknown;
}

}  // namespace core
