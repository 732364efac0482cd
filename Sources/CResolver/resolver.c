// SPDX-License-Identifier: GPL-3.0-or-later
// The names of <resolv.h> are macros and a structure of bit fields, which Swift does not see.
#include "CResolver.h"

#include <arpa/nameser.h>
#include <netinet/in.h>
#include <resolv.h>
#include <string.h>

int cresolver_services(const char *name, unsigned short port, unsigned char *answer, int size) {
  struct __res_state state;
  memset(&state, 0, sizeof state);
  if (res_ninit(&state) != 0) return -1;
  // At most some twelve seconds with two resolvers, instead of half a minute.
  state.retrans = 3;
  state.retry = 2;
  if (port != 0) {
    state.nscount = 1;
    state.nsaddr_list[0].sin_family = AF_INET;
    state.nsaddr_list[0].sin_port = htons(port);
    state.nsaddr_list[0].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  int length = res_nquery(&state, name, ns_c_in, ns_t_srv, answer, size);
  res_nclose(&state);
  return length;
}
