#include "core/index/work_window.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace core {
namespace {

constexpr std::size_t kEdge = 16;        // events at each end of a lane that may be strays
constexpr double kFar = 10;              // multiple of the work's length
constexpr std::size_t kOneStrayIn = 100; // events

// A time range and the number of events it represents.
struct Piece {
    RunRange range;
    std::size_t events = 0;
};

// Events with a duration: each one near a lane's ends, and all between them as one piece.
void collect_pieces(const RankSlot& rank, const Lane& lane, std::vector<Piece>& pieces) {
    const RankTrace& trace = rank.trace();
    if (trace.tracks[lane.track].kind == TrackKind::Instants) return;
    const auto takes_time = [&](std::size_t i) { return trace.duration[i] > Duration{0}; };
    const auto add = [&](std::size_t first, std::size_t last) {
        const RankRange range{trace.start[first], trace.end(static_cast<EventId>(last - 1))};
        pieces.push_back({rank.to_run(range), last - first});
    };
    std::size_t first = index_of(lane.first);
    std::size_t last = index_of(lane.last);
    for (std::size_t edge = 0; first < last && edge < kEdge; ++first) {
        if (!takes_time(first)) continue;
        add(first, first + 1);
        ++edge;
    }
    for (std::size_t edge = 0; first < last && edge < kEdge; --last) {
        if (!takes_time(last - 1)) continue;
        add(last - 1, last);
        ++edge;
    }
    while (first < last && !takes_time(first)) ++first;
    while (first < last && !takes_time(last - 1)) --last;
    if (first < last) add(first, last);
}

// Merges pieces that overlap or touch; sorted by time.
std::vector<Piece> join_pieces(std::vector<Piece> pieces) {
    std::ranges::sort(pieces, {}, [](const Piece& piece) { return piece.range.begin; });
    std::vector<Piece> joined;
    for (const Piece& piece : pieces) {
        if (joined.empty() || joined.back().range.end < piece.range.begin) {
            joined.push_back(piece);
            continue;
        }
        joined.back().range.end = std::max(joined.back().range.end, piece.range.end);
        joined.back().events += piece.events;
    }
    return joined;
}

// In double: times may be as far apart as 64 bits allow.
double length_of(RunTime begin, RunTime end) {
    return static_cast<double>(ns_of(end)) - static_cast<double>(ns_of(begin));
}

// Grows from the piece with most events to both sides, nearer neighbour first, until the rest is
// both far away and nearly empty.
class WorkSearch {
public:
    explicit WorkSearch(const std::vector<Piece>& pieces) : pieces_(pieces) {
        const auto most = std::ranges::max_element(pieces, {}, &Piece::events);
        first_ = static_cast<std::size_t>(most - pieces.begin());
        last_ = first_ + 1;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            total_ += pieces[i].events;
            if (i < first_) before_ += pieces[i].events;
            if (i > first_) after_ += pieces[i].events;
        }
    }
    RunRange find() && {
        while (before_ + after_ > 0) {
            const bool left = before_ > 0 && (after_ == 0 || gap_before() <= gap_after());
            if (left && is_work(gap_before(), before_)) {
                before_ -= pieces_[--first_].events;
            } else if (!left && is_work(gap_after(), after_)) {
                after_ -= pieces_[last_++].events;
            } else {
                (left ? before_ : after_) = 0;
            }
        }
        return range();
    }

private:
    RunRange range() const { return {pieces_[first_].range.begin, pieces_[last_ - 1].range.end}; }
    double gap_before() const { return length_of(pieces_[first_ - 1].range.end, range().begin); }
    double gap_after() const { return length_of(range().end, pieces_[last_].range.begin); }
    bool is_work(double gap, std::size_t events_beyond) const {
        const double length = std::max(length_of(range().begin, range().end), 1.0);
        return gap <= kFar * length || events_beyond > total_ / kOneStrayIn;
    }

    const std::vector<Piece>& pieces_;
    std::size_t first_ = 0;
    std::size_t last_ = 0;
    std::size_t before_ = 0;  // events left and right of the range taken
    std::size_t after_ = 0;
    std::size_t total_ = 0;
};

RunRange search_work(const Run& run) {
    std::vector<Piece> pieces, own;
    for (const RankSlot& rank : run.ranks()) {
        own.clear();
        for (const Lane& lane : rank.trace().lanes) collect_pieces(rank, lane, own);
        std::ranges::copy(join_pieces(std::move(own)), std::back_inserter(pieces));  // few of many
    }
    if (pieces.empty()) return run.window();
    pieces = join_pieces(std::move(pieces));
    return WorkSearch(pieces).find();
}

struct WorkWindow {
    RunRange range;
};

}  // namespace

RunRange find_work_window(const Run& run) {
    if (run.summary()) return find_work_window(*run.summary());  // a rank that is whole now moves no view
    return run.derived().get<WorkWindow>([&] { return std::make_shared<const WorkWindow>(search_work(run)); })->range;
}

}  // namespace core
