// SPDX-License-Identifier: GPL-3.0-or-later
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

// Nettle 4 has taken the length out of this function.
static inline void cnettle_sha256_digest(struct sha256_ctx *context, uint8_t *digest) {
#if NETTLE_VERSION_MAJOR >= 4
  sha256_digest(context, digest);
#else
  sha256_digest(context, SHA256_DIGEST_SIZE, digest);
#endif
}
