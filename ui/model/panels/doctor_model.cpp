#include "ui/model/panels/doctor_model.hpp"

namespace ui {

std::shared_ptr<const Examined> DoctorModel::ask(core::JobPool& pool, const core::RunPtr& run) {
    using Made = std::shared_ptr<const Examined>;
    if (!(asked_ == run)) {
        asked_ = run;
        const unsigned threads = core::Executor::instance().threads();
        job_ = core::Job<Made>::start(
            pool, [run, threads, memory = memory_](const core::JobContext& context) -> core::Result<Made> {
                core::Result<core::DoctorReport> report = core::examine_run(*run, threads, context, memory.get());
                if (!report) return report.error();
                return std::make_shared<const Examined>(Examined{std::move(*report)});
            });
    }
    if (const auto* result = job_ ? job_.poll() : nullptr) {
        if (*result) examined_ = **result;
        job_ = {};
    }
    return examined_;
}

}  // namespace ui
