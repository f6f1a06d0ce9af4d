#include "ui/ask.hpp"

#include "core/store/string_table.hpp"

namespace ui {

core::Params standard_params(const core::Analysis& analysis) {
    core::Params params;
    for (const core::Param& param : analysis.params) params.push_back(param.standard);
    return params;
}

core::Request ask(Frame& frame, std::string_view who, const core::Analysis& analysis, const core::Params& params) {
    return frame.results.request(core::hash_text(who), analysis, frame.session.run(), frame.session.filter(), params);
}

core::Request ask(Frame& frame, std::string_view who, std::string_view analysis_id) {
    const core::Analysis* analysis = core::find_analysis(analysis_id);
    if (!analysis) return {nullptr, false, 0, "there is no analysis " + std::string(analysis_id)};
    return ask(frame, who, *analysis, standard_params(*analysis));
}

}  // namespace ui
