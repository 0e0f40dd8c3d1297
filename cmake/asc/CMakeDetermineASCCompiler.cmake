# The compiler of language ASC: the skcc beside the package, or what -DCMAKE_ASC_COMPILER names.
set(CMAKE_ASC_COMPILER "${ASC_SKCC}" CACHE FILEPATH "compiler of .asc sources")
mark_as_advanced(CMAKE_ASC_COMPILER)
set(CMAKE_ASC_COMPILER_ENV_VAR ASC)
configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in" "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)
