// SPDX-License-Identifier: GPL-3.0-or-later
#include "CAllocations.h"

#include <errno.h>
#include <stdatomic.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic size_t bytes, count;

static void note(size_t size) {
  atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

size_t callocations_bytes(void) { return atomic_load_explicit(&bytes, memory_order_relaxed); }
size_t callocations_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

void *malloc(size_t size) {
  note(size);
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note(number * size);  // one that overflows fails below
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  note(size);
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  note(size);
  *block = __libc_memalign(alignment, size);
  return *block == NULL ? ENOMEM : 0;
}
