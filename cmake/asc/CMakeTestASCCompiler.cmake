# skcc is part of this package; there is nothing to find out by a trial.
set(CMAKE_ASC_COMPILER_WORKS TRUE CACHE INTERNAL "")
