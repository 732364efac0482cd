// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

/// Something that the client does later.
enum Alarm: NetworkAlarm {
  /// Check whether the request with this id has had no answer for too long.
  case iq(String)
  /// Check a room: it was silent for a long time, or another try to enter it is due.
  case room(Address)
  /// Ask for a page of this archive again.
  case archive(ArchiveKey)
  case upload, strangers
  /// Ask once more for keys.
  case keys
}
