// SPDX-License-Identifier: GPL-3.0-or-later
#include <nettle/base64.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

// Nettle 4 has taken the length out of these functions.
static inline void cnettle_sha1_digest(struct sha1_ctx *context, uint8_t *digest) {
#if NETTLE_VERSION_MAJOR >= 4
  sha1_digest(context, digest);
#else
  sha1_digest(context, SHA1_DIGEST_SIZE, digest);
#endif
}

static inline void cnettle_sha256_digest(struct sha256_ctx *context, uint8_t *digest) {
#if NETTLE_VERSION_MAJOR >= 4
  sha256_digest(context, digest);
#else
  sha256_digest(context, SHA256_DIGEST_SIZE, digest);
#endif
}
