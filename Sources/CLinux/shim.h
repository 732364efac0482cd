// SPDX-License-Identifier: GPL-3.0-or-later
// What only Linux has, or what Swift's Glibc overlay leaves out.
#include <fcntl.h>
#include <pty.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <termios.h>

// glibc shows O_TMPFILE only to those who ask for GNU.
static const int clinux_o_tmpfile = __O_TMPFILE;

// ioctl is variadic and ambiguous in Swift.
static inline int clinux_window_size(int fd, unsigned short *rows, unsigned short *columns) {
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) != 0) return -1;
  *rows = size.ws_row;
  *columns = size.ws_col;
  return 0;
}
static inline int clinux_set_window_size(int fd, unsigned short rows, unsigned short columns) {
  struct winsize size = {rows, columns, 0, 0};
  return ioctl(fd, TIOCSWINSZ, &size);
}

// dnotify: the signal comes with every change of what is in the folder. Its names are for those who
// ask for GNU, which an imported module cannot.
static inline int clinux_watch_folder(int folder, int signal) {
  const int set_signal = 10, notify = 1026;  // F_SETSIG, F_NOTIFY
  // DN_MODIFY, DN_CREATE, DN_DELETE, DN_RENAME, DN_ATTRIB; DN_MULTISHOT: not only once.
  const unsigned events = 0x02 | 0x04 | 0x08 | 0x10 | 0x20 | 0x80000000u;
  if (fcntl(folder, set_signal, signal) != 0) return -1;
  return fcntl(folder, notify, events);
}

// glibc shows it only to those who ask for X/Open, which an imported module cannot.
struct tm;
extern char *strptime(const char *text, const char *format, struct tm *result);
