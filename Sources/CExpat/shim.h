// SPDX-License-Identifier: GPL-3.0-or-later
#include <expat.h>

// Expat 2.6 has it, and so have older ones that were mended; the others need no asking.
extern XML_Bool XML_SetReparseDeferralEnabled(XML_Parser parser, XML_Bool enabled)
    __attribute__((weak));

// Hands over what is complete at once, instead of when more has come: a message must not wait for
// the next one.
static inline void cexpat_report_at_once(XML_Parser parser) {
  if (XML_SetReparseDeferralEnabled) XML_SetReparseDeferralEnabled(parser, XML_FALSE);
}
