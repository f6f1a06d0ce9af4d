#include "core/analysis/memory/memory_copies.hpp"

#include "core/analysis/engine/rounding.hpp"

#include <algorithm>

namespace core {
namespace {

struct KindName {
    std::string_view part;  // part of the name
    std::string_view kind;
};
// CUDA and PyTorch abbreviate, ROCm writes words.
constexpr KindName kKinds[] = {
    {"HtoD", "HtoD"},     {"DtoH", "DtoH"},         {"DtoD", "DtoD"},         {"PtoP", "PtoP"},
    {"HtoH", "HtoH"},     {"HostToDevice", "HtoD"}, {"DeviceToHost", "DtoH"}, {"DeviceToDevice", "DtoD"},
    {"Memset", "memset"}, {"memset", "memset"},
};

struct Size {
    std::int64_t bytes;
    SizeSource source;
};

class Sizes {
public:
    explicit Sizes(const RankTrace& trace)
        : trace_(trace), bytes_(trace.integers(Arg::Bytes)), bandwidth_(trace.integers(Arg::BandwidthMbPerS)) {}

    Size of(EventId e) const {
        if (const std::int64_t* const bytes = bytes_.find(e); bytes && *bytes >= 0) return {*bytes, SizeSource::Stated};
        const EventId call = trace_.parent[index_of(e)];
        if (call != kNoEvent && trace_.launched_by(call).size() == 1) {
            if (const std::int64_t* const bytes = bytes_.find(call); bytes && *bytes >= 0)
                return {*bytes, SizeSource::Stated};
        }
        if (const std::int64_t* const rate = bandwidth_.find(e); rate && *rate > 0) {
            const Wide bytes = Wide{*rate} * trace_.duration[index_of(e)].count() / 1000;  // 1e6 B/s × 1e-9 s
            return {clamped(bytes), SizeSource::FromBandwidth};
        }
        return {0, SizeSource::Unknown};
    }

private:
    const RankTrace& trace_;
    SparseColumn<std::int64_t> bytes_;
    SparseColumn<std::int64_t> bandwidth_;
};

// Bytes copied before t at a uniform rate; parts add up exactly.
std::int64_t bytes_before(RankTime t, RankRange whole, std::int64_t bytes) {
    return clamped(Wide{bytes} * (t - whole.begin).count() / whole.length().count());
}

Copy make_copy(const RankView& view, EventId e, const Size& size) {
    const RankRange whole = view.trace().range(e);
    const RankRange visible = view.visible(e);
    const Duration length = whole.length();
    if (length <= Duration{0})
        return {.event = e, .visible = visible, .bytes = size.bytes, .bandwidth = 0, .source = size.source};
    const double seconds = static_cast<double>(length.count()) / 1e9;
    return {.event = e,
            .visible = visible,
            .bytes = bytes_before(visible.end, whole, size.bytes) - bytes_before(visible.begin, whole, size.bytes),
            .bandwidth = static_cast<double>(size.bytes) / seconds,
            .source = size.source};
}

}  // namespace

std::string_view copy_kind(std::string_view name) {
    const auto* const it =
        std::ranges::find_if(kKinds, [&](const KindName& k) { return name.find(k.part) != std::string_view::npos; });
    return it == std::end(kKinds) ? name : it->kind;
}

Result<std::map<std::string_view, std::vector<Copy>>> collect_copies(const RankView& view, const JobContext& context) {
    const Sizes sizes(view.trace());
    std::map<std::string_view, std::vector<Copy>> kinds;
    std::size_t seen = 0;
    for (const EventId e : view.gpu_events()) {
        if (seen++ % kEventsBetweenChecks == 0 && context.cancelled()) return cancelled_error();
        if (view.class_of(e) != KernelClass::Memory) continue;
        kinds[copy_kind(view.trace().name_text(e))].push_back(make_copy(view, e, sizes.of(e)));
    }
    return kinds;
}

}  // namespace core
