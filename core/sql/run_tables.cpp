#include "core/sql/row_scan.hpp"

#include <algorithm>

namespace core {
namespace {

class StepRows {
public:
    explicit StepRows(SqlContext& context) : context_(&context) {
        const Run& run = *context.run;
        for (std::uint32_t slot = 0; slot < run.ranks().size(); ++slot)
            for (std::uint32_t i = 0; i < run.rank(slot).trace().steps.size(); ++i) places_.push_back({slot, i});
    }
    std::size_t rows() const { return places_.size(); }
    Cell cell(std::size_t row, std::size_t column) const {
        const auto [slot, index] = places_[row];
        const RankSlot& rank = context_->run->rank(slot);
        const Step& step = rank.trace().steps[index];
        const std::int64_t ts = (rank.to_run(step.range.begin) - context_->run->origin()).count();
        switch (column) {
            case 0:
                return std::int64_t{rank.key.number};
            case 1:
                return std::string_view(context_->capture_of(rank.key));
            case 2:
                return step.number;
            case 3:
                return ts;
            case 4:
                return step.range.length().count();
            case 5:
                return ts + step.range.length().count();
            default:
                return sql_event_id(slot, step.event);
        }
    }

private:
    SqlContext* context_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places_;
};

SqlTable steps_table() {
    SqlTable table;
    table.name = "steps";
    table.summary = "The steps of every rank, by start.";
    table.columns = {{"rank", Unit::Rank, "the rank", SqlPush::Range},
                     {"capture", Unit::Text, "a; b, c, … of further files that claim the rank"},
                     {"step", Unit::Step, "its number", SqlPush::Range},
                     {"ts", Unit::Ns, "start, from the run's earliest event", SqlPush::Range},
                     {"dur", Unit::Ns, "duration of its mark"},
                     {"end_ts", Unit::Ns, "ts + dur"},
                     {"event", Unit::Event, "its mark: events.id"}};
    table.open = [](SqlContext& context, SqlBounds bounds) {
        return scan_rows(context, std::move(bounds), StepRows(context));
    };
    table.rows = [](const Run& run) { return 10.0 * static_cast<double>(run.ranks().size()); };
    return table;
}

std::string_view format_source(RankSource source) {
    switch (source) {
        case RankSource::DistributedInfo:
            return "trace";
        case RankSource::FileName:
            return "file name";
        case RankSource::FolderName:
            return "folder name";
        default:
            return "order";
    }
}

class RankRows {
public:
    explicit RankRows(SqlContext& context) : context_(&context) {}
    std::size_t rows() const { return context_->run->ranks().size(); }
    Cell cell(std::size_t row, std::size_t column) const {
        const Run& run = *context_->run;
        const RankSlot& rank = run.rank(row);
        const RankTrace& trace = rank.trace();
        const RankInfo& info = trace.info;
        const bool has_events = trace.size() > 0;
        const auto text_or_absent = [](std::string_view text) { return text.empty() ? Cell{} : Cell{text}; };
        switch (column) {
            case 0:
                return std::int64_t{rank.key.number};
            case 1:
                return std::string_view(context_->capture_of(rank.key));
            case 2:
                text_ = info.path.string();
                return std::string_view(text_);
            case 3:
                return format_source(rank.source);
            case 4:
                return text_or_absent(info.host);
            case 5:
                return info.world_size ? Cell{std::int64_t{*info.world_size}} : Cell{};
            case 6:
                return text_or_absent(info.backend);
            case 7:
                return info.devices.empty() ? Cell{} : text_or_absent(info.devices.front().name);
            case 8:
                return static_cast<std::int64_t>(trace.size());
            case 9:
                return static_cast<std::int64_t>(trace.gpu_events.size());
            case 10:
                return static_cast<std::int64_t>(trace.steps.size());
            case 11:
                return has_events ? Cell{(rank.to_run(trace.window.begin) - run.origin()).count()} : Cell{};
            case 12:
                return has_events ? Cell{trace.window.length().count()} : Cell{};
            case 13:
                return rank.clock.offset.count();
            case 14:
                return rank.clock.drift + 0.0;  // not −0
            default:
                return static_cast<std::int64_t>(info.file_bytes);
        }
    }

private:
    SqlContext* context_;
    mutable std::string text_;
};

SqlTable ranks_table() {
    SqlTable table;
    table.name = "ranks";
    table.summary = "The ranks of the run.";
    table.columns = {{"rank", Unit::Rank, "the rank", SqlPush::Range},
                     {"capture", Unit::Text, "a; b, c, … of further files that claim the rank"},
                     {"file", Unit::Text, "where it was read from"},
                     {"rank_from", Unit::Text, "what says its number: trace, file name, folder name or order"},
                     {"host", Unit::Text, "the machine"},
                     {"world_size", Unit::Count, "ranks of the job"},
                     {"backend", Unit::Text, "nccl, gloo, …"},
                     {"device", Unit::Text, "name of its first GPU"},
                     {"event_count", Unit::Count, "rows of events"},
                     {"gpu_event_count", Unit::Count, "rows of kernels"},
                     {"step_count", Unit::Count, "rows of steps"},
                     {"ts", Unit::Ns, "earliest start, from the run's earliest event"},
                     {"dur", Unit::Ns, "to its last end"},
                     {"clock_offset", Unit::Ns, "added to its own clock"},
                     {"clock_drift", Unit::Number, "of its own clock; 0.000001 is 1 µs per second"},
                     {"file_bytes", Unit::Bytes, "size of its file"}};
    table.open = [](SqlContext& context, SqlBounds bounds) {
        return scan_rows(context, std::move(bounds), RankRows(context));
    };
    table.rows = [](const Run& run) { return static_cast<double>(run.ranks().size()); };
    return table;
}

}  // namespace

std::vector<SqlTable> run_tables() { return {steps_table(), ranks_table()}; }

}  // namespace core
