// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// The folders for a person's own files (XDG base directory specification).
package enum OwnFolder: String {
  case config = "XDG_CONFIG_HOME"
  case data = "XDG_DATA_HOME"
  case state = "XDG_STATE_HOME"

  /// The variables of this process that say where these folders are.
  package static var environment: [String: String] {
    var result: [String: String] = [:]
    for name in ["HOME", config.rawValue, data.rawValue, state.rawValue] {
      if let value = getenv(name) { result[name] = String(cString: value) }
    }
    return result
  }

  /// The path of hobnob's folder there; nil without a home.
  ///
  /// - Parameter environment: the variable that the case names, or else `HOME`.
  package func path(_ environment: [String: String]) -> String? {
    // The specification says to ignore a path that is not absolute.
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
