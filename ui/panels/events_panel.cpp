// Lists the events behind a row of a table, longest first. A click goes to the event.

#include "ui/model/event_listing.hpp"
#include "ui/model/panel.hpp"
#include "ui/panels/event_table.hpp"
#include "ui/style/items.hpp"
#include "ui/style/text.hpp"

#include "core/base/format.hpp"
#include "core/query/filter_text.hpp"

#include <nlohmann/json.hpp>

namespace ui {
namespace {

struct EventsKey {
    std::uint64_t run = 0;
    core::Filter filter;
    std::vector<std::string> names;
    bool threads_first = false;
    bool operator==(const EventsKey&) const = default;
};

class EventsPanel final : public Panel {
public:
    void draw(Frame& frame) override;
    bool busy() const override { return static_cast<bool>(job_) || (drawn_ && table_.busy()); }
    void describe(nlohmann::json& shown) const override;

private:
    void update(Frame& own, const EventListing& listing);
    void draw_head(const Frame& frame, const EventListing& listing);
    void draw_table(Frame& own);
    std::string format_counts() const;

    EventListing listing_;
    EventsKey asked_;
    core::Job<core::EventListPtr> job_;
    core::EventListPtr list_;
    std::string error_;
    ResultTable table_;
    std::string search_;
    bool drawn_ = false;  // in the last frame
};

void EventsPanel::update(Frame& own, const EventListing& listing) {
    EventsKey key{.run = own.run()->id(),
                  .filter = filter_of(listing, own.session),
                  .names = listing.names,
                  .threads_first = listing.threads_first};
    if (!(key == asked_)) {
        if (key.run != asked_.run) list_.reset();  // its rows belong to another run
        asked_ = std::move(key);
        core::EventListQuery query{
            .run = own.run(), .filter = asked_.filter, .names = asked_.names, .threads_first = asked_.threads_first};
        for (std::size_t slot = 0; slot < query.run->ranks().size(); ++slot)
            query.selections.push_back(own.results.find_selection(query.run, slot, query.filter));
        job_ = core::Job<core::EventListPtr>::start(
            own.session.pool(), [query](const core::JobContext& context) { return core::list_events(query, context); });
    }
    const auto* result = job_ ? job_.poll() : nullptr;
    if (result == nullptr) return;
    list_ = *result ? **result : nullptr;
    error_ = *result ? std::string() : result->error().message;
    job_ = {};
}

std::string EventsPanel::format_counts() const {
    if (!list_) return "Listing\xE2\x80\xA6";
    std::string words = core::format_count(list_->count) + (list_->count == 1 ? " event" : " events") +
                        "  \xC2\xB7  total " + core::format_duration(list_->total);
    if (list_->count > list_->table.rows())
        words += "  \xC2\xB7  the " + core::format_count(std::uint64_t{list_->table.rows()}) + " longest are listed";
    return words;
}

void EventsPanel::draw_head(const Frame& frame, const EventListing& listing) {
    input_text("##search", "Search", search_, px(160));
    ImGui::SameLine(0, px(12));
    ImGui::BeginGroup();
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, px(2)});
    const bool two = frame.session.comparing();
    fitted_text((two ? std::string(core::name_of(listing.side)) + ": " : std::string()) + listing.title,
                two ? color::of_side(listing.side) : color::palette().text);
    {
        const FontScope font(small_style());
        fitted_text(format_counts() + "  \xC2\xB7  " +
                        (asked_.filter.empty() ? "no filter" : core::format_filter(asked_.filter)),
                    color::palette().muted);
        if (!listing.unsaid.empty())
            fitted_text("A filter cannot express " + listing.unsaid + ": the list may contain events of other rows",
                        color::palette().warning);
    }
    ImGui::PopStyleVar();
    ImGui::EndGroup();
}

void EventsPanel::draw_table(Frame& own) {
    if (!error_.empty()) return text(error_, color::palette().error);
    if (!list_) return;
    if (list_->count == 0) return empty_state("No events", "Nothing behind this row passes the filter.");
    draw_event_table(own, table_, list_, search_);
    drawn_ = true;
}

void EventsPanel::draw(Frame& frame) {
    drawn_ = false;
    if (!frame.run()) return empty_state("No run", "Open a folder of traces.");
    const std::optional<EventListing>& listing = frame.choices().listed;
    if (!listing || !frame.session.run(listing->side))
        return empty_state("No events are listed", "A right click on a row of a table lists the events behind it.");
    listing_ = *listing;
    Frame& own = frame.of(listing_.side);
    update(own, listing_);
    draw_head(frame, listing_);
    draw_table(own);
}

void EventsPanel::describe(nlohmann::json& shown) const {
    shown["fresh"] = !busy();
    shown["title"] = listing_.title;
    shown["side"] = core::name_of(listing_.side);
    shown["filter"] = core::format_filter(asked_.filter);
    shown["unsaid"] = listing_.unsaid;
    shown["error"] = error_;
    if (!list_) return;
    shown["events"] = list_->count;
    shown["total_ns"] = list_->total.count();
    table_.describe(shown["table"]);
}

}  // namespace

std::unique_ptr<Panel> make_events_panel() { return std::make_unique<EventsPanel>(); }

}  // namespace ui
