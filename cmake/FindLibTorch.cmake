# LibTorch of any kind: a pip wheel's torch folder, an unpacked LibTorch zip, Debian's libtorch-dev, CPU or CUDA.
# LibTorch's own CMake package demands a CUDA toolkit for a CUDA build; this project uses only the device-neutral
# API, so linking the shared objects is enough.
#
#   RECEIPTBENCH_LIBTORCH   folder that holds include/ and lib/ (cache or environment); else .deps, else the system
# Defines LibTorch::LibTorch, LibTorch_VERSION, LibTorch_HAS_CUDA, LibTorch_DIR_USED.

set(RECEIPTBENCH_LIBTORCH "$ENV{RECEIPTBENCH_LIBTORCH}" CACHE PATH "Folder of LibTorch (holds include/ and lib/)")

set(_libtorch_hints)
if(RECEIPTBENCH_LIBTORCH)
  list(APPEND _libtorch_hints "${RECEIPTBENCH_LIBTORCH}")
else()
  file(GLOB _libtorch_hints "${CMAKE_SOURCE_DIR}/.deps/*/lib/python3*/site-packages/torch" "${CMAKE_SOURCE_DIR}/.deps/torch")
endif()

# Another folder than at the last configure: what was found in the old one is forgotten.
if(NOT "${_libtorch_hints}" STREQUAL "${LibTorch_LAST_HINTS}")
  foreach(_found INCLUDE_DIR API_INCLUDE_DIR torch_LIBRARY torch_cpu_LIBRARY c10_LIBRARY torch_cuda_LIBRARY c10_cuda_LIBRARY)
    unset(LibTorch_${_found} CACHE)
  endforeach()
  set(LibTorch_LAST_HINTS "${_libtorch_hints}" CACHE INTERNAL "")
endif()

set(_libtorch_only)
if(RECEIPTBENCH_LIBTORCH)
  set(_libtorch_only NO_DEFAULT_PATH)   # what was named is what is used
endif()
find_path(LibTorch_INCLUDE_DIR ATen/ATen.h HINTS ${_libtorch_hints} PATH_SUFFIXES include ${_libtorch_only})
find_path(LibTorch_API_INCLUDE_DIR torch/torch.h HINTS ${_libtorch_hints}
  PATH_SUFFIXES include/torch/csrc/api/include torch/csrc/api/include ${_libtorch_only})
foreach(part torch torch_cpu c10 torch_cuda c10_cuda)
  find_library(LibTorch_${part}_LIBRARY ${part} HINTS ${_libtorch_hints} PATH_SUFFIXES lib ${_libtorch_only})
endforeach()

set(_version_file "${LibTorch_INCLUDE_DIR}/torch/headeronly/version.h")    # 2.9 and newer
if(NOT EXISTS "${_version_file}")
  set(_version_file "${LibTorch_API_INCLUDE_DIR}/torch/version.h")
endif()
if(EXISTS "${_version_file}")
  file(STRINGS "${_version_file}" _version_lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH)")
  string(REGEX REPLACE ".*MAJOR ([0-9]+).*" "\\1" _major "${_version_lines}")
  string(REGEX REPLACE ".*MINOR ([0-9]+).*" "\\1" _minor "${_version_lines}")
  string(REGEX REPLACE ".*PATCH ([0-9]+).*" "\\1" _patch "${_version_lines}")
  set(LibTorch_VERSION "${_major}.${_minor}.${_patch}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_torch_cpu_LIBRARY LibTorch_torch_LIBRARY LibTorch_c10_LIBRARY LibTorch_INCLUDE_DIR LibTorch_API_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "Run packaging/setup.sh, or set RECEIPTBENCH_LIBTORCH to a LibTorch folder (2.6 or newer).")
if(LibTorch_FOUND AND LibTorch_VERSION VERSION_LESS 2.6)
  message(FATAL_ERROR "LibTorch ${LibTorch_VERSION} at ${LibTorch_INCLUDE_DIR} is too old: 2.6 or newer is needed.")
endif()

# Wheels and zips before 2.7 came in two flavours; the one with the old C++ strings cannot be linked.
set(_libtorch_config "${LibTorch_INCLUDE_DIR}/../share/cmake/Torch/TorchConfig.cmake")
if(LibTorch_FOUND AND EXISTS "${_libtorch_config}")
  file(STRINGS "${_libtorch_config}" _old_abi REGEX "_GLIBCXX_USE_CXX11_ABI=0")
  if(_old_abi)
    message(FATAL_ERROR "LibTorch at ${LibTorch_INCLUDE_DIR} has the old C++ ABI: take the cxx11-abi build, or 2.7 and newer.")
  endif()
endif()

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  set(LibTorch_HAS_CUDA FALSE)
  add_library(LibTorch::LibTorch INTERFACE IMPORTED)
  target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE
    "${LibTorch_INCLUDE_DIR}" "${LibTorch_API_INCLUDE_DIR}")
  target_link_libraries(LibTorch::LibTorch INTERFACE
    "${LibTorch_torch_LIBRARY}" "${LibTorch_torch_cpu_LIBRARY}" "${LibTorch_c10_LIBRARY}")
  if(LibTorch_torch_cuda_LIBRARY)
    set(LibTorch_HAS_CUDA TRUE)
    # Nothing refers to its symbols: the registrations in it would be dropped without --no-as-needed. What these objects
    # need of NVIDIA's is found through their own run path at load time; no toolkit is asked for here.
    target_link_libraries(LibTorch::LibTorch INTERFACE "-Wl,--allow-shlib-undefined"
      "-Wl,--push-state,--no-as-needed" "${LibTorch_torch_cuda_LIBRARY}" "${LibTorch_c10_cuda_LIBRARY}" "-Wl,--pop-state")
  endif()
  set(LibTorch_DIR_USED "${LibTorch_INCLUDE_DIR}")
  message(STATUS "LibTorch ${LibTorch_VERSION} in ${LibTorch_INCLUDE_DIR} (CUDA: ${LibTorch_HAS_CUDA})")
endif()
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_API_INCLUDE_DIR LibTorch_torch_LIBRARY LibTorch_torch_cpu_LIBRARY
  LibTorch_c10_LIBRARY LibTorch_torch_cuda_LIBRARY LibTorch_c10_cuda_LIBRARY)
