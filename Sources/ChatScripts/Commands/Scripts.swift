// SPDX-License-Identifier: GPL-3.0-or-later

extension Program {
  /// The commands for scripts, in the order of the help.
  package static let scripts: [any Subcommand.Type] = [
    SendScript.self, EditScript.self, DeleteScript.self, ReactScript.self, LogScript.self,
    SearchScript.self, UnreadScript.self, ReadScript.self, ListScript.self, WhoScript.self,
    WaitScript.self, WatchScript.self,
    MCPScript.self,
    ExportScript.self, ImportScript.self, CheckScript.self, ConnectScript.self, AccountScript.self,
    BridgeScript.self,
  ]
}
