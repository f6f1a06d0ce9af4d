#pragma once
// One run's flame graph: requested, laid out on the pool, drawn with the root on top, clickable.

#include "core/base/short_name.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/panel.hpp"
#include "ui/model/panels/flame_graph_model.hpp"
#include "ui/model/panels/flame_sandwich.hpp"
#include "ui/model/panels/flame_tree_model.hpp"
#include "ui/table/row_clicks.hpp"
#include "ui/widgets/chart_export.hpp"

#include <imgui.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ui {

struct FlameChoice {
    core::FlameKind kind = core::FlameKind::Operators;
    FlameMeasure measure = FlameMeasure::CpuTime;
    std::string search;
    bool as_tree = false;            // rows of a tree instead of boxes
    bool by_change = false;          // two runs: colour by change of a path's time
    FlameLens lens = FlameLens::None;  // the graph from the root, or callers or callees of `center`
    std::string center;              // empty: the busiest function
    std::vector<std::string> zoom;   // path shown at full width; empty: everything
};

class FlameView {
public:
    // other: request of the other side if two runs are open. Clicks change choice.zoom.
    void draw(Frame& own, FlameChoice& choice, const core::Request& request, const core::Request* other);
    bool fresh() const { return fresh_; }
    bool busy() const { return clicks_.busy() || working_; }
    // Share of the total that the search found; nullopt without a search.
    std::optional<double> found_share() const;
    std::size_t found() const { return matches_ ? matches_->count : 0; }
    // The function whose callers or callees are shown; empty: none.
    std::string_view center() const;
    void describe(nlohmann::json& shown) const;

private:
    struct GraphKey {
        core::AnswerPtr answer;
        core::AnswerPtr other;
        FlameMeasure measure;
        bool operator==(const GraphKey&) const = default;
    };
    struct LensKey {
        std::shared_ptr<const FlameGraph> graph;
        FlameLens lens;
        std::string center;
        bool operator==(const LensKey&) const = default;
    };
    struct MatchKey {
        std::shared_ptr<const FlameGraph> graph;
        std::string search;
        bool operator==(const MatchKey&) const = default;
    };
    void update(Frame&, const FlameChoice&, const core::Request&, const core::Request* other);
    void draw_graph(Frame&, FlameChoice&);
    void draw_level(const FlameChoice&, std::size_t level, ImVec2 at, float width);
    void draw_box(const FlameChoice&, const FlameBox&, ImVec2 at);
    void draw_tooltip(const FlameChoice&, const FlameFrame&) const;
    ChartSheet sheet_of(const FlameChoice&);
    void draw_menu(Frame&, FlameChoice&);
    void offer_menu(const Frame&, std::uint32_t frame);
    void draw_empty(const Frame&, const FlameChoice&) const;
    ImU32 color_of(const FlameChoice&, std::uint32_t frame) const;
    const core::ShortenedName& short_name_of(std::uint32_t frame);

    Deferred<GraphKey, FlameGraph> graphs_;
    GraphKey asked_{};  // key of graphs_
    Deferred<LensKey, FlameGraph> lenses_;
    std::shared_ptr<const FlameGraph> graph_;  // seen through the lens
    Deferred<MatchKey, FlameMatches> finds_;
    std::shared_ptr<const FlameMatches> matches_;
    std::unordered_map<std::uint32_t, core::ShortenedName> names_;  // of labelled frames of graph_
    std::vector<FlameBox> boxes_;
    std::vector<std::string> zoom_;  // path that zoomed_ was computed for
    std::uint32_t zoomed_ = 0;
    FlameTree tree_;
    bool as_tree_ = false;
    std::size_t drawn_ = 0;
    core::Side side_ = core::Side::Baseline;
    bool compared_ = false;
    bool fresh_ = false;
    bool working_ = false;
    std::optional<std::uint32_t> hovered_;
    std::array<BarPart, 3> changes_;  // legend entries
    RowClicks clicks_;
    RowMeaning menu_;
    std::vector<std::string> menu_path_;
    bool menu_opens_ = false;
};

// Colour for a change of a path's time, from -1 (only in the baseline) to 1 (only in the candidate).
ImU32 color_of_flame_change(double change);
std::array<BarPart, 3> flame_change_parts();  // legend of these colours

}  // namespace ui
