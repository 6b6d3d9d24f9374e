/* Files that are made whole and then only appended to, for budget(). What is not nought is an error of the system. */
#include "ledger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* Advapi32's RtlGenRandom */
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

static int written(HANDLE file, const char *text) {
  DWORD count = 0, length = (DWORD)strlen(text);
  int done = file != INVALID_HANDLE_VALUE && WriteFile(file, text, length, &count, NULL) && count == length && FlushFileBuffers(file);
  int why = done ? 0 : EIO;
  if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
  return why;
}

int ledger_append(const char *path, const char *text) {
  /* the right to append alone makes finding the end and writing there one step */
  return written(CreateFileA(path, FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL), text);
}

int ledger_make(const char *path, const char *beside, const char *text) {
  int why = written(CreateFileA(beside, GENERIC_WRITE, 0, NULL, CREATE_NEW, 0, NULL), text);
  if (why == 0 && !MoveFileExA(beside, path, MOVEFILE_WRITE_THROUGH)) why = GetLastError() == ERROR_ALREADY_EXISTS ? EEXIST : EIO;
  if (why != 0) DeleteFileA(beside);
  return why;
}

int ledger_random(unsigned char *bytes, size_t count) { return SystemFunction036(bytes, (ULONG)count) ? 0 : EIO; }

#else

#include <fcntl.h>
#include <unistd.h>

static int written(int file, const char *text) {
  if (file < 0) return errno;
  size_t length = strlen(text);
  errno = ENOSPC;
  int why = write(file, text, length) == (ssize_t)length && fsync(file) == 0 ? 0 : errno;
  close(file);
  return why;
}

int ledger_append(const char *path, const char *text) { return written(open(path, O_WRONLY | O_APPEND | O_CLOEXEC), text); }

int ledger_make(const char *path, const char *beside, const char *text) {
  int why = written(open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), text);
  if (why == 0 && link(beside, path) != 0) why = errno;
  unlink(beside);
  if (why != 0) return why;
  /* so that the new name is on disk, too; some systems have no such call */
  char *folder = strdup(path), *end = folder == NULL ? NULL : strrchr(folder, '/');
  if (end != NULL) {
    end[end == folder] = '\0';
    int it = open(folder, O_RDONLY | O_CLOEXEC);
    if (it >= 0) {
      fsync(it);
      close(it);
    }
  }
  free(folder);
  return 0;
}

int ledger_random(unsigned char *bytes, size_t count) {
  int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  int why = read(file, bytes, count) == (ssize_t)count ? 0 : EIO;
  close(file);
  return why;
}

#endif
