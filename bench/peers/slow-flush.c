/* For LD_PRELOAD: every flush takes 2 ms longer, as on a disk that is not this machine's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int slowly(const char *name, int file) {
  const struct timespec two_ms = {0, 2 * 1000 * 1000};
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  nanosleep(&two_ms, 0);
  return real(file);
}

int fsync(int file) { return slowly("fsync", file); }
int fdatasync(int file) { return slowly("fdatasync", file); }
