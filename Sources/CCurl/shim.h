// SPDX-License-Identifier: GPL-3.0-or-later
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netdb.h>
#include <string.h>

// curl_easy_setopt and the like are variadic, which Swift does not call.
static inline int ccurl_set_text(CURL *transfer, CURLoption option, const char *value) {
  return curl_easy_setopt(transfer, option, value);
}
static inline int ccurl_set_number(CURL *transfer, CURLoption option, long value) {
  return curl_easy_setopt(transfer, option, value);
}
static inline int ccurl_set_size(CURL *transfer, CURLoption option, long long value) {
  return curl_easy_setopt(transfer, option, (curl_off_t)value);
}
static inline int ccurl_set_headers(CURL *transfer, struct curl_slist *headers) {
  return curl_easy_setopt(transfer, CURLOPT_HTTPHEADER, headers);
}
static inline int ccurl_set_addresses(CURL *transfer, struct curl_slist *addresses) {
  return curl_easy_setopt(transfer, CURLOPT_RESOLVE, addresses);
}
// The host and port that curl would connect to for a web address; false if it has none.
static inline int ccurl_find_host(
    const char *address, char *host, unsigned host_size, char *port, unsigned port_size) {
  CURLU *parts = curl_url();
  char *found_host = NULL, *found_port = NULL;
#ifdef CURLU_PUNYCODE
  const unsigned in_ascii = CURLU_PUNYCODE;
#else
  const unsigned in_ascii = 0;
#endif
  const int is_found = parts != NULL && curl_url_set(parts, CURLUPART_URL, address, 0) == 0 &&
                       curl_url_get(parts, CURLUPART_HOST, &found_host, in_ascii) == 0 &&
                       curl_url_get(parts, CURLUPART_PORT, &found_port, CURLU_DEFAULT_PORT) == 0 &&
                       strlen(found_host) < host_size && strlen(found_port) < port_size;
  if (is_found) {
    strcpy(host, found_host);
    strcpy(port, found_port);
  }
  curl_free(found_host);
  curl_free(found_port);
  curl_url_cleanup(parts);
  return is_found;
}
// Where the web server's answer leads, if anywhere; valid until the transfer goes on.
static inline const char *ccurl_next_address(CURL *transfer) {
  char *address = NULL;
  curl_easy_getinfo(transfer, CURLINFO_REDIRECT_URL, &address);
  return address;
}
// Where the web server says that it made something new, as a whole address; false if it does not.
static inline int ccurl_find_location(
    CURL *transfer, const char *address, char *location, unsigned size) {
  struct curl_header *header = NULL;
  if (curl_easy_header(transfer, "Location", 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return 0;
  CURLU *parts = curl_url();
  char *found = NULL;
  const int is_found = parts != NULL && curl_url_set(parts, CURLUPART_URL, address, 0) == 0 &&
                       curl_url_set(parts, CURLUPART_URL, header->value, 0) == 0 &&
                       curl_url_get(parts, CURLUPART_URL, &found, 0) == 0 && strlen(found) < size;
  if (is_found) strcpy(location, found);
  curl_free(found);
  curl_url_cleanup(parts);
  return is_found;
}
// Neither in the clear nor to anything but a web server, whatever an answer says.
static inline int ccurl_only_https(CURL *transfer) {
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(transfer, CURLOPT_REDIR_PROTOCOLS_STR, "https");
  return curl_easy_setopt(transfer, CURLOPT_PROTOCOLS_STR, "https");
#else
  curl_easy_setopt(transfer, CURLOPT_REDIR_PROTOCOLS, CURLPROTO_HTTPS);
  return curl_easy_setopt(transfer, CURLOPT_PROTOCOLS, CURLPROTO_HTTPS);
#endif
}
static inline int ccurl_set_reader(
    CURL *transfer, size_t (*reader)(char *, size_t, size_t, void *), void *data) {
  curl_easy_setopt(transfer, CURLOPT_READDATA, data);
  return curl_easy_setopt(transfer, CURLOPT_READFUNCTION, reader);
}
static inline int ccurl_set_writer(
    CURL *transfer, size_t (*writer)(char *, size_t, size_t, void *), void *data) {
  curl_easy_setopt(transfer, CURLOPT_WRITEDATA, data);
  return curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, writer);
}
static inline int ccurl_set_progress(
    CURL *transfer,
    int (*progress)(void *, curl_off_t, curl_off_t, curl_off_t, curl_off_t), void *data) {
  curl_easy_setopt(transfer, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(transfer, CURLOPT_XFERINFODATA, data);
  return curl_easy_setopt(transfer, CURLOPT_XFERINFOFUNCTION, progress);
}
// Who opens the socket of a connection, and may not.
static inline int ccurl_set_opener(
    CURL *transfer, curl_socket_t (*opener)(void *, curlsocktype, struct curl_sockaddr *),
    void *data) {
  curl_easy_setopt(transfer, CURLOPT_OPENSOCKETDATA, data);
  return curl_easy_setopt(transfer, CURLOPT_OPENSOCKETFUNCTION, opener);
}
static inline long ccurl_status(CURL *transfer) {
  long status = 0;
  curl_easy_getinfo(transfer, CURLINFO_RESPONSE_CODE, &status);
  return status;
}
// Without functions: nobody is told of sockets any more.
static inline int ccurl_set_sockets(
    CURLM *multi, int (*changed)(CURL *, curl_socket_t, int, void *, void *),
    int (*timer)(CURLM *, long, void *), void *data) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, data);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, data);
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, changed);
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
}
// The transfer that has ended, with its result; NULL when there are no more.
static inline CURL *ccurl_next_ended(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)))
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return message->easy_handle;
    }
  return NULL;
}

static inline int ccurl_is_local_v4(unsigned address) {
  return (address >> 24) == 127 || (address >> 24) == 10 || (address >> 24) == 0 ||
         (address >> 20) == 0xac1 || (address >> 16) == 0xc0a8 || (address >> 16) == 0xa9fe ||
         (address >> 22) == (0x64400000u >> 22) || (address >> 17) == (0xc6120000u >> 17) ||
         (address >> 28) >= 0xe;
}
// Whether an address in digits is one of this machine, of a network of its own, or of none.
static inline int ccurl_is_local(const char *text) {
  struct in_addr four;
  struct in6_addr six;
  if (inet_pton(AF_INET, text, &four) == 1) return ccurl_is_local_v4(ntohl(four.s_addr));
  if (inet_pton(AF_INET6, text, &six) != 1) return 1;
  unsigned last;
  memcpy(&last, &six.s6_addr[12], 4);
  // Those that carry one of the other kind: mapped, and translated (RFC 6052).
  static const unsigned char translated[12] = {0, 0x64, 0xff, 0x9b};
  if (IN6_IS_ADDR_V4MAPPED(&six) || memcmp(&six, translated, 12) == 0)
    return ccurl_is_local_v4(ntohl(last));
  // Only 2000::/3 is anybody's at all (RFC 4291), and 2002::/16 carries the other kind.
  if ((six.s6_addr[0] & 0xe0) != 0x20) return 1;
  if (six.s6_addr[0] == 0x20 && six.s6_addr[1] == 0x02) {
    memcpy(&last, &six.s6_addr[2], 4);
    return ccurl_is_local_v4(ntohl(last));
  }
  return 0;
}
// An address in digits; empty where it is of another kind.
static inline void ccurl_digits(const struct curl_sockaddr *address, char *text, unsigned size) {
  if (getnameinfo(&address->addr, address->addrlen, text, size, NULL, 0, NI_NUMERICHOST) != 0)
    text[0] = 0;
}
