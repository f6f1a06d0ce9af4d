// lockstep merge as scripts see it.

#include "tests/app/cli.hpp"

#include <nlohmann/json.hpp>

#include <fstream>

using namespace app::testing;
using core::testing::TempFolder;
namespace fs = std::filesystem;

namespace {

fs::path write_session(const TempFolder& folder, const char* name, const fs::path& run, int begin, const char* author) {
    const nlohmann::json mark = {
        {"begin_ns", begin}, {"end_ns", begin + 10}, {"note", "look"}, {"author", author}, {"written_s", 100}};
    const nlohmann::json session = {
        {"lockstep_session", 1},
        {"baseline",
         {{"paths", {{{"path", run.string()}}}}, {"marks", {mark}}, {"bookmarks", nlohmann::json::array()}}}};
    const fs::path file = folder.path() / name;
    std::ofstream(file) << session.dump();
    return file;
}

}  // namespace

TEST_CASE("merge puts the marks of two session files into a third and leaves its inputs alone") {
    const TempFolder folder;
    const fs::path run = folder.path() / "run", out = folder.path() / "both.lockstep";
    fs::create_directories(run);
    const fs::path ann = write_session(folder, "ann.lockstep", run, 100, "Ann"),
                   bob = write_session(folder, "bob.lockstep", run, 50, "Bob");
    const std::string before = read_file(ann);
    const Outcome done = lockstep({"merge", ann.string(), bob.string(), "-o", out.string()});
    CHECK(done.status == 0);
    CHECK(done.out.find("1 mark or bookmark added, 0 notes merged") != std::string::npos);
    const nlohmann::json merged = nlohmann::json::parse(read_file(out));
    REQUIRE(merged["baseline"]["marks"].size() == 2);
    CHECK(merged["baseline"]["marks"][0]["author"] == "Bob");
    CHECK(merged["baseline"]["marks"][1]["author"] == "Ann");
    CHECK(lockstep({"merge", ann.string(), bob.string(), "-o", ann.string()}).status == 1);
    CHECK(read_file(ann) == before);
}

TEST_CASE("merge refuses sessions of different runs, files that aren't sessions, and a single file") {
    const TempFolder folder;
    const fs::path ann = write_session(folder, "ann.lockstep", folder.path() / "a", 1, "Ann"),
                   bob = write_session(folder, "bob.lockstep", folder.path() / "b", 1, "Bob"),
                   out = folder.path() / "out.lockstep", text = folder.path() / "text";
    const Outcome different = lockstep({"merge", ann.string(), bob.string(), "-o", out.string()});
    CHECK(different.status == 1);
    CHECK(different.err.find("sessions of different runs") != std::string::npos);
    std::ofstream(text) << "hello";
    CHECK(lockstep({"merge", ann.string(), text.string(), "-o", out.string()}).status == 1);
    CHECK(lockstep({"merge", ann.string(), "-o", out.string()}).status == 2);
    CHECK(lockstep({"merge", ann.string(), bob.string()}).status == 2);
    CHECK_FALSE(fs::exists(out));
}
