#pragma once
// Writes one rank as Chrome's trace event JSON, event by event. Internal to core/export.

#include "core/base/output_file.hpp"
#include "core/export/chrome/chrome_additions.hpp"

namespace core {

class ChromeWriter {
public:
    ChromeWriter(const RankView& view, OutputFile& file, const JobContext& context);

    // Writes everything from { to }. Fails if cancelled; write errors surface at commit.
    Result<bool> write(const ChromeAdditions& additions);
    std::uint64_t events() const { return events_; }
    std::uint64_t added() const { return added_; }
    std::uint64_t bytes() const { return bytes_; }  // written to the file

private:
    struct Place {  // JSON of a track
        std::string pid, tid;
        bool ours = false;  // added by an earlier export
    };

    void write_head();
    void write_processes();
    void write_metadata(std::string_view kind, const std::string& pid, const std::string& tid, std::string_view value);
    void choose_events();
    Result<bool> write_events();
    void write_event(EventId e, const EventText& text);
    void write_async(EventId e, const EventText& text);
    void write_arguments(EventId e, const EventText& text);
    void write_known_arguments(EventId e);
    void write_pair_arguments(std::size_t begin, const EventText& text);
    void write_extra(EventId e, const EventText& text);
    void write_arrows();
    void write_arrow(EventId from, EventId to, std::string_view category, std::string_view name);
    void write_file_counters();
    void begin_counter(std::string_view name, std::string_view pid, RankTime time);  // up to its first value
    void write_counter_series(std::size_t first, std::size_t last);
    void write_added(const ChromeAdditions& additions);
    void write_added_counter(const AddedCounter& counter);

    void hand_over();  // writes the buffer to the file
    void begin_event(char phase);
    void end_event();
    void add_time(std::string_view key, RankTime time);
    void add_place(const Place& place);
    const Place& place_of(EventId e) const { return places_[trace_.lanes[trace_.find_lane(e)].track]; }
    std::optional<RankTime> find_own_moment(EventId e, int most) const;

    const RankView& view_;
    const RankTrace& trace_;
    OutputFile& file_;
    const JobContext& context_;
    std::vector<Place> places_;      // by track
    std::vector<EventId> chosen_;    // in file order
    std::vector<bool> is_chosen_;    // by event
    std::string out_;
    bool any_event_ = false;
    std::uint64_t next_id_ = 1;      // ids of arrows and asynchronous events
    std::uint64_t events_ = 0;
    std::uint64_t added_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace core
