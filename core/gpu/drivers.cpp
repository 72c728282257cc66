#include "core/gpu/drivers.h"

#include <pwd.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace gpupost {

// Returns whether Mesa can write its cache in this folder. It maps a sparse file of 1.3 MB. If the disk has no room for a page that it
// writes, the process ends.
static bool can_hold_cache(const std::filesystem::path& path) {
  constexpr uint64_t least_bytes = 2 << 20;
  std::error_code error;
  struct statvfs disk {};
  return std::filesystem::is_directory(path, error) && access(path.c_str(), W_OK) == 0 &&
         statvfs(path.c_str(), &disk) == 0 && uint64_t(disk.f_bavail) * disk.f_frsize >= least_bytes;
}

// Mesa prints warnings if it cannot create its cache, and then has none. Without a variable, it uses the home folder that the
// system has for the user, not HOME.
static void spare_mesa_its_cache() {
  const char* folder = std::getenv("MESA_SHADER_CACHE_DIR");
  if (!folder) folder = std::getenv("XDG_CACHE_HOME");
  if (const passwd* user = folder ? nullptr : getpwuid(getuid())) folder = user->pw_dir;
  const auto exists = [](const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
  };
  const std::filesystem::path cache = std::filesystem::path(folder ? folder : "") / "mesa_shader_cache";
  if (folder && can_hold_cache(exists(cache)    ? cache
                               : exists(folder) ? folder
                                                : std::filesystem::path(folder).parent_path()))
    return;
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 0);
}

// Mesa's drivers for GPUs of Intel and AMD find them in /dev/dri. Where that is missing, the loader need not load these drivers, which
// would take a quarter of the time of a short run. Loaders older than 1.3.234 ignore the variable.
static void spare_drivers_without_gpu() {
  if (access("/dev/dri", F_OK) == 0 || errno != ENOENT) return;
  if (std::getenv("VK_DRIVER_FILES") || std::getenv("VK_ICD_FILENAMES")) return;
  setenv("VK_LOADER_DRIVERS_DISABLE", "intel_*,radeon_*,nouveau_*", 0);
}

void prepare_drivers() {
  spare_mesa_its_cache();
  spare_drivers_without_gpu();
}

}  // namespace gpupost
