// SPDX-License-Identifier: GPL-3.0-or-later

/// Where a person's own files are (XDG base directory specification).
package enum OwnFolder: String {
  case config = "XDG_CONFIG_HOME"
  case data = "XDG_DATA_HOME"
  case state = "XDG_STATE_HOME"

  /// The path of hobnob's folder there; nil without a home.
  ///
  /// - Parameter environment: the variable of the case, else `HOME`.
  package func path(_ environment: [String: String]) -> String? {
    // The specification: a path that is not absolute is ignored.
    if let base = environment[rawValue], base.hasPrefix("/") { return base + "/hobnob" }
    return Login.home(environment).map { $0 + "/" + usual + "/hobnob" }
  }

  private var usual: String {
    switch self {
    case .config: ".config"
    case .data: ".local/share"
    case .state: ".local/state"
    }
  }
}
