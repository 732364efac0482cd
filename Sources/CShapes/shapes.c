// SPDX-License-Identifier: GPL-3.0-or-later
#include "CShapes.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// From UnicodeData.txt and, in ICU 72, confusables.txt of Unicode 15.0:
//   .ci/generate-shapes > Sources/CShapes/shapes.txt
static const unsigned char lines[] = {
#embed "shapes.txt"
};

const unsigned char *cshapes_lines(size_t *count) {
  *count = sizeof lines;
  return lines;
}
