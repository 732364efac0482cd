// SPDX-License-Identifier: GPL-3.0-or-later

/// An archive of anna's as Prosody stores one, with messages of ben's.
enum ArchiveFile {
  static func key(_ number: Int) -> String { "key-of-message-\(number)" }

  static func text(_ count: Int) -> String {
    var text = ""
    for number in 1...count {
      // A second between two, in November 2026.
      text += """
        item({
        \t{
        \t\t"\(BareClient.body(number))";
        \t\t["name"] = "body";
        \t\t["attr"] = {};
        \t};
        \t["key"] = "\(key(number))";
        \t["attr"] = {
        \t\t["to"] = "anna@\(LocalServer.domain)";
        \t\t["id"] = "number\(number)";
        \t\t["type"] = "chat";
        \t\t["stamp"] = "2026-11-01T12:00:00Z";
        \t\t["from"] = "ben@\(LocalServer.domain)/bare";
        \t};
        \t["when"] = \(1_762_000_000 + number);
        \t["name"] = "message";
        \t["with"] = "ben@\(LocalServer.domain)";
        });

        """
    }
    return text
  }
}
