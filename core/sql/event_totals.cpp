#include "core/sql/event_totals.hpp"

#include "core/analysis/engine/call_tree.hpp"
#include "core/base/executor.hpp"
#include "core/sql/row_scan.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace core {
namespace {

// Open addressing over what tells totals apart.
class TotalsByKey {
public:
    TotalsByKey() : slots_(kFirstSlots, kFree) {}

    SqlTotal& find(std::uint64_t key) {
        if (last_key_ == key && !rows_.empty()) return rows_[last_];
        std::size_t at = place_of(key);
        while (slots_[at] != kFree && keys_[slots_[at]] != key) at = (at + 1) & (slots_.size() - 1);
        if (slots_[at] == kFree) {
            slots_[at] = static_cast<std::uint32_t>(rows_.size());
            rows_.emplace_back();
            keys_.push_back(key);
            last_ = static_cast<std::uint32_t>(rows_.size() - 1);
            if (rows_.size() * 2 > slots_.size()) grow();
        } else {
            last_ = slots_[at];
        }
        last_key_ = key;
        return rows_[last_];
    }
    std::vector<SqlTotal> release() { return std::move(rows_); }

private:
    static constexpr std::size_t kFirstSlots = 64;
    static constexpr std::uint32_t kFree = 0xFFFFFFFFu;

    std::size_t place_of(std::uint64_t key) const {
        const int bits = std::countr_zero(slots_.size());
        return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> (64 - bits));
    }
    void grow() {
        slots_.assign(slots_.size() * 2, kFree);
        for (std::uint32_t i = 0; i < keys_.size(); ++i) {
            std::size_t at = place_of(keys_[i]);
            while (slots_[at] != kFree) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = i;
        }
    }

    std::vector<std::uint32_t> slots_;
    std::vector<std::uint64_t> keys_;
    std::vector<SqlTotal> rows_;
    std::uint64_t last_key_ = 0;
    std::uint32_t last_ = 0;
};

std::vector<SqlTotal> add_up_track(const Run& run, std::uint32_t slot, std::uint32_t number,
                                   const std::stop_token& stop) {
    const RankTrace& trace = run.rank(slot).trace();
    const ClassTable& classes = run.rank(slot).index->classes();
    const Track& track = trace.tracks[number];
    TotalsByKey totals;
    for (std::uint32_t lane = track.first_lane; lane < track.first_lane + track.lane_count; ++lane) {
        const std::size_t last = std::min(index_of(trace.lanes[lane].last), trace.size());
        for (std::size_t e = index_of(trace.lanes[lane].first); e < last; ++e) {
            if (e % kEventsBetweenChecks == 0 && stop.stop_requested()) return {};
            const EventId event{static_cast<std::uint32_t>(e)};
            const KernelClass kernel_class = classes.of(event);
            const bool operates = kernel_class == KernelClass::None && is_operator(trace, event);
            const std::uint64_t key = index_of(trace.name[e]) | std::uint64_t{trace.category[e]} << 32 |
                                      static_cast<std::uint64_t>(kernel_class) << 48 | std::uint64_t{operates} << 50;
            const std::int64_t length = trace.duration[e].count();
            SqlTotal& total = totals.find(key);
            if (total.count == 0) {
                total = {.slot = slot,
                         .track = number,
                         .name = trace.name[e],
                         .category = trace.category[e],
                         .kernel_class = kernel_class,
                         .is_operator = operates,
                         .count = 0,
                         .total = 0,
                         .least = length,
                         .most = length};
            }
            ++total.count;
            total.total += length;
            total.least = std::min(total.least, length);
            total.most = std::max(total.most, length);
        }
    }
    return totals.release();
}

std::shared_ptr<const SqlTotals> add_up_run(const Run& run, unsigned threads, const std::stop_token& stop) {
    struct Piece {
        std::uint32_t slot = 0;
        std::uint32_t track = 0;
        std::vector<SqlTotal> rows{};
    };
    std::vector<Piece> pieces;
    for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot)
        for (std::uint32_t track = 0; track < run.rank(slot).trace().tracks.size(); ++track)
            pieces.push_back({slot, track});
    Executor::instance().parallel_for(Priority::Answer, pieces.size(), threads, [&](std::size_t i) {
        if (!stop.stop_requested()) pieces[i].rows = add_up_track(run, pieces[i].slot, pieces[i].track, stop);
    });
    if (stop.stop_requested()) return nullptr;
    auto totals = std::make_shared<SqlTotals>();
    for (const Piece& piece : pieces) totals->rows.insert(totals->rows.end(), piece.rows.begin(), piece.rows.end());
    return totals;
}

enum class TotalColumn : std::uint8_t {
    Rank,
    Capture,
    Name,
    Category,
    Class,
    Device,
    Stream,
    Pid,
    Tid,
    Track,
    Count,
    Total,
    Least,
    Most,
};

std::vector<SqlColumn> total_columns() {
    return {{"rank", Unit::Rank, "the rank", SqlPush::Range},
            {"capture", Unit::Text, "a; b, c, … of further files that claim the rank"},
            {"name", Unit::Text, "the full name", SqlPush::Text},
            {"category", Unit::Text, "as written in the trace"},
            {"class", Unit::Text, "compute, communication or memory; absent of events of the CPU", SqlPush::Equal},
            {"device", Unit::Count, "the GPU; absent of events of the CPU"},
            {"stream", Unit::Stream, "the GPU stream; absent of events of the CPU", SqlPush::Equal},
            {"pid", Unit::Text, "the process, as written"},
            {"tid", Unit::Text, "the thread, as written"},
            {"track", Unit::Text, "name of the thread or stream"},
            {"event_count", Unit::Count, "events that are alike in all of these"},
            {"total_dur", Unit::Ns, "sum of their durations"},
            {"min_dur", Unit::Ns, "the shortest"},
            {"max_dur", Unit::Ns, "the longest"}};
}

enum class TotalsOf : std::uint8_t { Events, Kernels, Operators };

class TotalRows {
public:
    TotalRows(SqlContext& context, TotalsOf which)
        : context_(&context), totals_(totals_of(*context.run, context.threads, context.job.stop)) {
        if (!totals_) return;
        for (std::uint32_t i = 0; i < totals_->rows.size(); ++i) {
            const SqlTotal& total = totals_->rows[i];
            if (which == TotalsOf::Events || (which == TotalsOf::Operators && total.is_operator) ||
                (which == TotalsOf::Kernels && total.kernel_class != KernelClass::None))
                chosen_.push_back(i);
        }
    }
    std::size_t rows() const { return chosen_.size(); }
    Cell cell(std::size_t row, std::size_t column) const;

private:
    SqlContext* context_;
    std::shared_ptr<const SqlTotals> totals_;
    std::vector<std::uint32_t> chosen_;
};

Cell TotalRows::cell(std::size_t row, std::size_t column) const {
    const SqlTotal& total = totals_->rows[chosen_[row]];
    const RankSlot& rank = context_->run->rank(total.slot);
    const RankTrace& trace = rank.trace();
    const Track& track = trace.tracks[total.track];
    const Process& process = trace.processes[track.process];
    const bool on_gpu = track.kind == TrackKind::Stream || track.kind == TrackKind::StreamAnnotations ||
                        track.kind == TrackKind::StreamSync;
    switch (static_cast<TotalColumn>(column)) {
        case TotalColumn::Rank:
            return std::int64_t{rank.key.number};
        case TotalColumn::Capture:
            return std::string_view(context_->capture_of(rank.key));
        case TotalColumn::Name:
            return trace.text(total.name);
        case TotalColumn::Category:
            return trace.text(trace.categories[total.category].text);
        case TotalColumn::Class:
            return total.kernel_class == KernelClass::None ? Cell{} : Cell{name_of(total.kernel_class)};
        case TotalColumn::Device:
            return on_gpu && process.device >= 0 ? Cell{std::int64_t{process.device}} : Cell{};
        case TotalColumn::Stream:
            return on_gpu && track.stream >= 0 ? Cell{track.stream} : Cell{};
        case TotalColumn::Pid:
            return process.pid == kNoName ? Cell{} : Cell{trace.text(process.pid)};
        case TotalColumn::Tid:
            return track.tid == kNoName ? Cell{} : Cell{trace.text(track.tid)};
        case TotalColumn::Track:
            return track.name == kNoName ? Cell{} : Cell{trace.text(track.name)};
        case TotalColumn::Count:
            return total.count;
        case TotalColumn::Total:
            return clamped(total.total);
        case TotalColumn::Least:
            return total.least;
        case TotalColumn::Most:
            return total.most;
    }
    return {};
}

SqlTable make_totals_table(std::string_view name, std::string_view summary, TotalsOf which) {
    SqlTable table;
    table.name = name;
    table.summary = summary;
    table.columns = total_columns();
    table.open = [which](SqlContext& context, SqlBounds bounds) {
        return scan_rows(context, std::move(bounds), TotalRows(context, which));
    };
    table.rows = [](const Run& run) { return 1000.0 * static_cast<double>(run.ranks().size()); };
    table.keeps_texts = true;
    return table;
}

// One name over all ranks.
struct NameSum {
    std::string_view name;
    std::int64_t count = 0;
    std::int64_t on_gpu = 0;
    Wide total = 0;
    std::int64_t least = 0;
    std::int64_t most = 0;
};

class NameRows {
public:
    explicit NameRows(SqlContext& context) {
        const std::shared_ptr<const SqlTotals> totals = totals_of(*context.run, context.threads, context.job.stop);
        if (!totals) return;
        std::map<std::string_view, NameSum> by_name;
        for (const SqlTotal& total : totals->rows) {
            const std::string_view name = context.run->rank(total.slot).trace().text(total.name);
            NameSum& sum = by_name.try_emplace(name, NameSum{name, 0, 0, 0, total.least, total.most}).first->second;
            sum.count += total.count;
            if (total.kernel_class != KernelClass::None) sum.on_gpu += total.count;
            sum.total += total.total;
            sum.least = std::min(sum.least, total.least);
            sum.most = std::max(sum.most, total.most);
        }
        for (const auto& [name, sum] : by_name) sums_.push_back(sum);
    }
    std::size_t rows() const { return sums_.size(); }
    Cell cell(std::size_t row, std::size_t column) const {
        const NameSum& sum = sums_[row];
        switch (column) {
            case 0:
                return sum.name;
            case 1:
                return sum.count;
            case 2:
                return sum.on_gpu;
            case 3:
                return clamped(sum.total);
            case 4:
                return sum.least;
            default:
                return sum.most;
        }
    }

private:
    std::vector<NameSum> sums_;
};

SqlTable names_table() {
    SqlTable table;
    table.name = "names";
    table.summary = "The names of events over all ranks, in order of the alphabet.";
    table.columns = {{"name", Unit::Text, "the full name", SqlPush::Text},
                     {"event_count", Unit::Count, "events of that name"},
                     {"gpu_event_count", Unit::Count, "of them, GPU events"},
                     {"total_dur", Unit::Ns, "sum of their durations"},
                     {"min_dur", Unit::Ns, "the shortest"},
                     {"max_dur", Unit::Ns, "the longest"}};
    table.open = [](SqlContext& context, SqlBounds bounds) {
        return scan_rows(context, std::move(bounds), NameRows(context));
    };
    table.rows = [](const Run&) { return 1000.0; };
    table.keeps_texts = true;
    return table;
}

}  // namespace

std::shared_ptr<const SqlTotals> totals_of(const Run& run, unsigned threads, const std::stop_token& stop) {
    return run.derived().get<SqlTotals>([&] { return add_up_run(run, threads, stop); });
}

std::vector<SqlTable> total_tables() {
    return {names_table(),
            make_totals_table("event_totals",
                              "Durations of events, summed where rank, track, name, category and class are one.",
                              TotalsOf::Events),
            make_totals_table("kernel_totals", "The same of kernels.", TotalsOf::Kernels),
            make_totals_table("operator_totals", "The same of operators.", TotalsOf::Operators)};
}

}  // namespace core
