#include "core/ingest/remote/remote_path.hpp"

#include "tests/core/temp_folder.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace core;

TEST_CASE("paths on other machines are recognised by their form") {
    CHECK(parse_remote_path("gpu7:/data/run") == RemotePath{"gpu7", "/data/run"});
    CHECK(parse_remote_path("me@gpu7.example:/") == RemotePath{"me@gpu7.example", "/"});
    CHECK(parse_remote_path("gpu7:~/run 1") == RemotePath{"gpu7", "~/run 1"});
    CHECK(parse_remote_path("me@[fe80::1%eth0]:/r") == RemotePath{"me@fe80::1%eth0", "/r"});
    CHECK(parse_remote_path("gpu7:/a:/b") == RemotePath{"gpu7", "/a:/b"});
    for (const char* const text : {"", "/data/run", "run", "gpu7", "gpu7:run", ":/run", "C:/run", "./gpu7:/run",
                                   "a/b:/run", "https://x/y", "-oProxyCommand=x:/run", "me@-x:/run", "@:/run",
                                   "a b:/run", "a;b:/run", "$(x):/run", "a\nb:/run", "gpu7:~run"}) {
        INFO(text);
        CHECK_FALSE(parse_remote_path(text));
    }
}

TEST_CASE("a local file of the name wins") {
    const testing::TempFolder folder;
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    CHECK(is_remote_path("gpu7:/run"));
    std::filesystem::create_directory("gpu7:");
    CHECK(is_remote_path("gpu7:/run"));
    std::ofstream("gpu7:/run") << "x";
    CHECK_FALSE(is_remote_path("gpu7:/run"));
    std::filesystem::current_path(before);
}

TEST_CASE("a remote run is named after its host and the end of its path") {
    CHECK(name_of_remote({"me@gpu7", "/data/run42"}) == "gpu7:run42");
    CHECK(name_of_remote({"gpu7", "/data/run42//"}) == "gpu7:run42");
    CHECK(name_of_remote({"gpu7", "/"}) == "gpu7:/");
    CHECK(name_of_remote({"gpu7", "~/run"}) == "gpu7:run");
}

TEST_CASE("the command for ssh quotes the path where a shell would read more into it") {
    using Words = std::vector<std::string>;
    CHECK(command_to_serve({"me@gpu7", "/data/run-1.a"}, "") ==
          Words{"ssh", "me@gpu7", "lockstep", "serve", "--stdio", "/data/run-1.a"});
    CHECK(command_to_serve({"gpu7", "/a b"}, "  /opt/my-ssh  -p 22 ") ==
          Words{"/opt/my-ssh", "-p", "22", "gpu7", "lockstep", "serve", "--stdio", "'/a b'"});
    CHECK(quote_for_shell("/it's;rm -rf") == "'/it'\\''s;rm -rf'");
    CHECK(quote_for_shell("~/a b") == "~/'a b'");
    CHECK(quote_for_shell("~/a~b") == "~/'a~b'");
    CHECK(quote_for_shell("/$HOME`x`\n*") == "'/$HOME`x`\n*'");
}
