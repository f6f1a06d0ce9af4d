# Writes FILE, which says what was built (BUILD) from which commit of SOURCE. Leaves an equal file alone.
# Sources without a .git of their own have no commit, even inside another repository.
set(commit "")
if(EXISTS ${SOURCE}/.git)
    execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    string(REGEX REPLACE "[^A-Za-z0-9.-]" "" commit "${commit}")
    if(failed)
        set(commit "")
    endif()
endif()
if(NOT commit STREQUAL "")
    set(commit "commit ${commit}, ")
endif()
set(text "// Made by the build.
namespace app {
extern const char* const kBuildText;
const char* const kBuildText = \"${commit}${BUILD}\";
}  // namespace app
")
set(known "")
if(EXISTS ${FILE})
    file(READ ${FILE} known)
endif()
if(NOT known STREQUAL text)
    file(WRITE ${FILE} "${text}")
endif()
