#pragma once
// The views of the panel Communication, each drawn into the remaining window while a run is open.
// With two runs, each view compares them. All numbers come from the analyses they name.

#include "core/charts/comparison_chart.hpp"
#include "ui/charts/heat_map.hpp"
#include "ui/model/deferred.hpp"
#include "ui/model/panels/communication/arrivals_model.hpp"
#include "ui/model/panels/communication/bandwidth_model.hpp"
#include "ui/model/panels/communication/matrix_model.hpp"
#include "ui/model/panels/communication/pipeline_model.hpp"
#include "ui/model/panels/communication/waiting_model.hpp"
#include "ui/model/weak_key.hpp"
#include "ui/table/comparison_table.hpp"

#include <map>

namespace ui {

class CommunicationView {
public:
    virtual ~CommunicationView() = default;
    virtual void draw(Frame&) = 0;
    virtual bool busy() const = 0;
    virtual void describe(nlohmann::json& shown) const = 0;
};

// Both runs' answers of one analysis joined: its chart, then its table.
class ComparedAnswers {
public:
    ComparedAnswers(std::string_view who, std::string_view analysis) : who_(who), analysis_(analysis) {}
    void draw(Frame&);
    // Work that the last frame did not draw isn't polled, so it must not keep the window busy.
    bool busy() const { return table_.busy() || clicks_.busy() || (charting_ && chart_.busy()); }
    void describe(nlohmann::json& shown) const;

private:
    std::string who_;
    std::string analysis_;
    ComparisonTable table_;
    using ChartKey = std::pair<std::shared_ptr<const core::Comparison>, core::OverRanks>;
    Deferred<ChartKey, core::ComparisonChart> chart_;
    core::OverRanks over_ = core::OverRanks::Mean;
    RowClicks clicks_;
    std::string series_;
    bool charting_ = false;
};

// Waiting caused and suffered by each rank, pairs of ranks, rank by step, causes of one rank.
class WaitingView final : public CommunicationView {
public:
    void draw(Frame&) override;
    bool busy() const override;
    void describe(nlohmann::json& shown) const override;

private:
    struct Key {
        WeakKey<core::Run> run;
        core::AnswerPtr stragglers, by_step;
        core::Filter filter;
        bool directly = false;
        bool operator==(const Key&) const = default;
    };
    struct CausesKey {
        core::AnswerPtr causes;
        std::vector<core::RankKey> captures;  // captures of the rank
        bool operator==(const CausesKey&) const = default;
    };
    void draw_run(Frame&);
    void draw_head(const WaitingModel&);
    void draw_model(Frame&, const WaitingModel&, const core::Request& causes);
    void draw_bars(Frame&, const WaitingModel&, ImVec2 size);
    void draw_pairs(Frame&, const WaitingModel&, ImVec2 size);
    void draw_steps(Frame&, const WaitingModel&, ImVec2 size);
    void draw_causes(Frame&, const WaitingModel&, const core::Request& causes, ImVec2 size);

    int directly_ = 0;
    Deferred<Key, WaitingModel> model_;
    std::shared_ptr<const WaitingModel> shown_;
    Deferred<CausesKey, core::Table> causes_;
    TablePtr causes_table_;
    ResultTable table_;
    RowClicks clicks_;  // for bars and cells
    RowClicks causes_clicks_;
    bool has_causes_ = false;  // in the last frame
    ComparedAnswers compared_{"communication/waiting", "stragglers"};
    std::string why_empty_;
    bool comparing_ = false;
    bool fresh_ = false;
};

// Message size against bus bandwidth with the fitted lines; predictions, slow collectives.
class BandwidthView final : public CommunicationView {
public:
    void draw(Frame&) override;
    bool busy() const override;
    void describe(nlohmann::json& shown) const override;

private:
    struct Key {
        core::AnswerPtr bandwidth, link_model, outliers;
        bool operator==(const Key&) const = default;
    };
    struct EventKey {
        WeakKey<core::Run> run;
        std::string group, operation;
        std::int64_t sequence = 0;
        bool operator==(const EventKey&) const = default;
    };
    void draw_run(Frame&);
    void draw_tables(Frame&, ImVec2 size);
    void go_to_outlier(Frame&, const core::Table&, std::size_t row);
    void poll_outlier(Frame&);

    int table_choice_ = 1;  // sizes first
    Deferred<Key, BandwidthModel> model_;
    std::shared_ptr<const BandwidthModel> shown_;
    std::map<std::string, ResultTable> tables_;
    Deferred<EventKey, core::EventRef> event_;
    bool going_ = false;
    ComparedAnswers compared_{"communication/bandwidth", "bandwidth"};
    RowClicks clicks_;
    std::string why_empty_;
    bool has_table_ = false;  // in the last frame
    bool comparing_ = false;
    bool fresh_ = false;
};

// Bytes between ranks.
class MatrixView final : public CommunicationView {
public:
    void draw(Frame&) override;
    bool busy() const override;
    void describe(nlohmann::json& shown) const override;

private:
    struct Key {
        core::AnswerPtr answer;
        std::size_t measure = 0;
        bool by_groups = false;
        bool operator==(const Key&) const = default;
    };
    void draw_run(Frame&);
    void draw_map(Frame&);

    int measure_ = 0;
    int by_groups_ = 0;
    Deferred<Key, MatrixModel> model_;
    std::shared_ptr<const MatrixModel> shown_;
    RowClicks clicks_;
    ComparedAnswers compared_{"communication/matrix", "communication-matrix"};
    std::string why_empty_;
    bool comparing_ = false;
    bool fresh_ = false;
};

// All collectives; a row opens its arrivals. With two runs, tables next to each other, because rows have no partners.
class CollectivesView final : public CommunicationView {
public:
    void draw(Frame&) override;
    bool busy() const override;
    void describe(nlohmann::json& shown) const override;

private:
    struct OpenRow {
        std::string group, operation;
        std::int64_t sequence = 0;
        bool operator==(const OpenRow&) const = default;
    };
    struct Key {
        WeakKey<core::Run> run;
        std::optional<OpenRow> open;
        bool operator==(const Key&) const = default;
    };
    struct Of {  // state of one side
        ResultTable table;
        std::optional<OpenRow> open;
        Deferred<Key, ArrivalsModel> arrivals;
        std::shared_ptr<const ArrivalsModel> shown;
        RowClicks clicks;
        std::string why_empty;
        bool has_table = false, has_arrivals = false;  // in the last frame
        bool fresh = false;
    };
    void draw_side(Frame&, Of&);
    void draw_arrivals(Frame&, Of&, ImVec2 size);

    std::string search_;
    core::BySide<Of> sides_;
    bool comparing_ = false;
};

// Explains an empty table of collectives.
std::string why_no_collectives(const Frame&);

// Stages of a pipeline, one lane per rank, over one step.
class PipelineView final : public CommunicationView {
public:
    void draw(Frame&) override;
    bool busy() const override;
    void describe(nlohmann::json& shown) const override;

private:
    void draw_side(Frame&, const PipelineModel&);
    void draw_lane(Frame&, const PipelineStep&, const PipelineLane&, float width);

    core::BySide<Deferred<core::AnswerPtr, PipelineModel>> models_;
    core::BySide<std::shared_ptr<const PipelineModel>> shown_;
    std::size_t place_ = 0;  // index of the shown step
    bool pending_ = false;
};

}  // namespace ui
