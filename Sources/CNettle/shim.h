// SPDX-License-Identifier: GPL-3.0-or-later
#include <nettle/base64.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/pbkdf2.h>
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

static inline void cnettle_sha512_digest(struct sha512_ctx *context, uint8_t *digest) {
#if NETTLE_VERSION_MAJOR >= 4
  sha512_digest(context, digest);
#else
  sha512_digest(context, SHA512_DIGEST_SIZE, digest);
#endif
}

#if NETTLE_VERSION_MAJOR >= 4
#define CNETTLE_LENGTH(size)
#else
#define CNETTLE_LENGTH(size) size,
#endif
#define CNETTLE_HMAC(name, size)                                                              \
  static inline void cnettle_hmac_##name(size_t key_length, const uint8_t *key, size_t length, \
                                         const uint8_t *data, uint8_t *digest) {              \
    struct hmac_##name##_ctx context;                                                         \
    hmac_##name##_set_key(&context, key_length, key);                                         \
    hmac_##name##_update(&context, length, data);                                             \
    hmac_##name##_digest(&context, CNETTLE_LENGTH(size) digest);                              \
  }
CNETTLE_HMAC(sha1, SHA1_DIGEST_SIZE)
CNETTLE_HMAC(sha256, SHA256_DIGEST_SIZE)
CNETTLE_HMAC(sha512, SHA512_DIGEST_SIZE)
