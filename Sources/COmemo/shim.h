// SPDX-License-Identifier: GPL-3.0-or-later
// libomemo-c is loaded when it is needed, since only accounts that encrypt need it.
#include <dlfcn.h>
#include <omemo/curve.h>
#include <omemo/key_helper.h>
#include <omemo/protocol.h>
#include <omemo/ratchet.h>
#include <omemo/session_builder.h>
#include <omemo/session_cipher.h>
#include <omemo/session_pre_key.h>
#include <omemo/session_record.h>
#include <omemo/session_state.h>
#include <omemo/signal_protocol.h>

#define COMEMO_FUNCTIONS(FUNCTION)                    \
  FUNCTION(ciphertext_message_get_serialized)         \
  FUNCTION(ciphertext_message_get_type)               \
  FUNCTION(curve_decode_point)                        \
  FUNCTION(curve_decode_point_ed)                     \
  FUNCTION(curve_decode_point_mont)                   \
  FUNCTION(curve_decode_private_point)                \
  FUNCTION(ec_key_pair_get_public)                    \
  FUNCTION(ec_private_key_serialize)                  \
  FUNCTION(ec_public_key_get_ed)                      \
  FUNCTION(ec_public_key_get_mont)                    \
  FUNCTION(ec_public_key_serialize)                   \
  FUNCTION(pre_key_signal_message_deserialize)        \
  FUNCTION(pre_key_signal_message_deserialize_omemo)  \
  FUNCTION(ratchet_identity_key_pair_create)          \
  FUNCTION(ratchet_identity_key_pair_get_private)     \
  FUNCTION(ratchet_identity_key_pair_get_public)      \
  FUNCTION(session_builder_create)                    \
  FUNCTION(session_builder_free)                      \
  FUNCTION(session_builder_process_pre_key_bundle)    \
  FUNCTION(session_builder_set_version)               \
  FUNCTION(session_cipher_create)                     \
  FUNCTION(session_cipher_decrypt_pre_key_signal_message) \
  FUNCTION(session_cipher_decrypt_signal_message)     \
  FUNCTION(session_cipher_encrypt)                    \
  FUNCTION(session_cipher_free)                       \
  FUNCTION(session_cipher_set_version)                \
  FUNCTION(session_pre_key_bundle_create)             \
  FUNCTION(session_pre_key_deserialize)               \
  FUNCTION(session_pre_key_get_id)                    \
  FUNCTION(session_pre_key_get_key_pair)              \
  FUNCTION(session_pre_key_serialize)                 \
  FUNCTION(session_record_deserialize)                \
  FUNCTION(session_record_get_state)                  \
  FUNCTION(session_signed_pre_key_deserialize)        \
  FUNCTION(session_signed_pre_key_get_key_pair)       \
  FUNCTION(session_signed_pre_key_get_signature)      \
  FUNCTION(session_signed_pre_key_get_signature_len)  \
  FUNCTION(session_signed_pre_key_get_signature_omemo) \
  FUNCTION(session_signed_pre_key_get_signature_omemo_len) \
  FUNCTION(session_signed_pre_key_get_timestamp)      \
  FUNCTION(session_signed_pre_key_serialize)          \
  FUNCTION(session_state_get_remote_identity_key)     \
  FUNCTION(signal_buffer_create)                      \
  FUNCTION(signal_buffer_data)                        \
  FUNCTION(signal_buffer_free)                        \
  FUNCTION(signal_buffer_len)                         \
  FUNCTION(signal_context_create)                     \
  FUNCTION(signal_context_destroy)                    \
  FUNCTION(signal_context_set_crypto_provider)        \
  FUNCTION(signal_message_deserialize)                \
  FUNCTION(signal_message_deserialize_omemo)          \
  FUNCTION(signal_protocol_key_helper_generate_identity_key_pair) \
  FUNCTION(signal_protocol_key_helper_generate_pre_keys) \
  FUNCTION(signal_protocol_key_helper_generate_signed_pre_key) \
  FUNCTION(signal_protocol_key_helper_key_list_element) \
  FUNCTION(signal_protocol_key_helper_key_list_free)  \
  FUNCTION(signal_protocol_key_helper_key_list_next)  \
  FUNCTION(signal_protocol_store_context_create)      \
  FUNCTION(signal_protocol_store_context_destroy)     \
  FUNCTION(signal_protocol_store_context_set_identity_key_store) \
  FUNCTION(signal_protocol_store_context_set_pre_key_store) \
  FUNCTION(signal_protocol_store_context_set_session_store) \
  FUNCTION(signal_protocol_store_context_set_signed_pre_key_store) \
  FUNCTION(signal_type_unref)

// The functions of the library that hobnob calls.
struct comemo_functions {
#define COMEMO_MEMBER(name) __typeof__(&name) name;
  COMEMO_FUNCTIONS(COMEMO_MEMBER)
#undef COMEMO_MEMBER
};

// Loads the library. Returns 0, or the loader's sentence about what is missing.
static inline const char *comemo_load(struct comemo_functions *functions) {
  void *library = dlopen("libomemo-c.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define COMEMO_FIND(name)                                                 \
  functions->name = (__typeof__(&name))dlsym(library, #name);             \
  if (!functions->name) return dlerror();
  COMEMO_FUNCTIONS(COMEMO_FIND)
#undef COMEMO_FIND
  return 0;
}
