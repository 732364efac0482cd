// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import StyledText

/// The names of weekdays and months in the language of the catalogue, for which the system may have
/// no locale.
enum CalendarWords {
  static func weekday(_ parts: tm) -> SafeText {
    switch parts.tm_wday {
    case 0: say("Sunday")
    case 1: say("Monday")
    case 2: say("Tuesday")
    case 3: say("Wednesday")
    case 4: say("Thursday")
    case 5: say("Friday")
    default: say("Saturday")
    }
  }

  static func month(_ parts: tm) -> SafeText {
    switch parts.tm_mon {
    case 0: say("January")
    case 1: say("February")
    case 2: say("March")
    case 3: say("April")
    case 4: say("May")
    case 5: say("June")
    case 6: say("July")
    case 7: say("August")
    case 8: say("September")
    case 9: say("October")
    case 10: say("November")
    default: say("December")
    }
  }
}
