#include "ui/model/panels/run_differences.hpp"

namespace ui {
namespace {

bool is_whole(const core::Session& session, core::Side side) {
    const core::RunLoad* load = session.load(side);
    return session.run(side) && (!load || load->finished());
}

}  // namespace

void RunDifferences::update(const core::Session& session) {
    core::BySide<std::uint64_t> ids;
    if (session.alignment() && is_whole(session, core::Side::Baseline) && is_whole(session, core::Side::Candidate))
        ids = {session.run(core::Side::Baseline)->id(), session.run(core::Side::Candidate)->id()};
    if (ids != asked_) {
        asked_ = ids;
        found_.reset();
        job_ = {};
        if (ids.baseline != 0) {
            const core::BySide<core::RunPtr> runs{session.run(core::Side::Baseline),
                                                  session.run(core::Side::Candidate)};
            job_ = core::Job<core::UniqueEvents>::start(session.pool(), [runs](const core::JobContext& context) {
                return core::find_unique_events(runs, context);
            });
        }
    }
    const auto* result = job_ ? job_.poll() : nullptr;
    if (result == nullptr) return;
    if (*result) found_ = **result;
    job_ = {};
}

}  // namespace ui
