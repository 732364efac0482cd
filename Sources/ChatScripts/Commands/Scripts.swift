// SPDX-License-Identifier: GPL-3.0-or-later

extension Program {
  /// The commands for scripts, in the order of the help.
  package static let scripts: [any Subcommand.Type] = [
    SendScript.self, LogScript.self, SearchScript.self, UnreadScript.self, WaitScript.self,
    ExportScript.self, ImportScript.self, CheckScript.self, ConnectScript.self, AccountScript.self,
  ]
}
