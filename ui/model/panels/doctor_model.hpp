#pragma once
// Report of the trace doctor, computed on the pool. When ranks arrive, only new ranks are examined;
// the last report stays until the next one is ready. Main thread only. No ImGui.

#include "core/doctor/doctor.hpp"
#include "ui/model/weak_key.hpp"

namespace ui {

struct Examined {
    core::DoctorReport report;
};

class DoctorModel {
public:
    // Requests the report; asking again with the same run is free. Null until the first examination has finished.
    std::shared_ptr<const Examined> ask(core::JobPool& pool, const core::RunPtr& run);
    bool fresh() const { return !job_; }

private:
    WeakKey<core::Run> asked_;
    core::Job<std::shared_ptr<const Examined>> job_;  // starting another stops it
    std::shared_ptr<const Examined> examined_;
    std::shared_ptr<core::DoctorMemory> memory_ = std::make_shared<core::DoctorMemory>();
};

}  // namespace ui
