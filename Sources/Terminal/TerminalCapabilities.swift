// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

extension Painter {
  /// What the terminal can show, and what it does by itself.
  public struct TerminalCapabilities: Hashable, Sendable {
    /// Whether colours are drawn; attributes such as bold always are (`NO_COLOR`, rule 11.5).
    public var colors: Bool
    /// Whether the terminal wraps its rows anew when its width changes. tmux, VTE, kitty, foot,
    /// wezterm, alacritty and konsole do; xterm and the Linux console cut the rows off.
    public var rewraps: Bool
    /// Whether links are sent (OSC 8, rule 7.9).
    public var links: Bool
    /// Whether a screen that becomes lower first loses rows below the cursor, and then shows the
    /// end of what has been wrapped, even without the cursor. tmux does; how others choose is not
    /// known well enough to count on it.
    public var showsEnd: Bool

    public init(
      colors: Bool = true, rewraps: Bool = true, showsEnd: Bool = false,
      links: Bool = false
    ) {
      self.colors = colors
      self.rewraps = rewraps
      self.showsEnd = showsEnd
      self.links = links
    }

    /// What the environment says.
    ///
    /// - Parameter variable: gives the value of an environment variable.
    public init(environment variable: (String) -> String?) {
      let noColor = variable("NO_COLOR") ?? ""
      let terminal = variable("TERM") ?? ""
      let isInTmux = terminal.hasPrefix("tmux") || variable("TMUX") != nil
      let cutsRows =
        variable("XTERM_VERSION") != nil || terminal == "linux" || terminal.hasPrefix("rxvt")
        || terminal.hasPrefix("screen") || terminal.hasPrefix("vt")
      self.init(
        colors: noColor.isEmpty, rewraps: isInTmux || !cutsRows, showsEnd: isInTmux,
        links: Self.knowsLinks(terminal, variable))
    }

    /// Whether this is one of the terminals known to make links of OSC 8. Inside tmux nobody knows
    /// what is around it, and tmux before 3.4 passes none on.
    private static func knowsLinks(_ terminal: String, _ variable: (String) -> String?) -> Bool {
      if terminal.hasPrefix("tmux") || terminal.hasPrefix("screen") || variable("TMUX") != nil {
        return false
      }
      if let vte = variable("VTE_VERSION").flatMap({ Int(written: $0, in: 0...Int.max) }) {
        return vte >= 5000
      }
      let families = ["xterm-kitty", "foot", "alacritty", "contour", "wezterm", "xterm-ghostty"]
      let programs = ["WezTerm", "ghostty", "iTerm.app", "vscode", "rio"]
      return families.contains { terminal.hasPrefix($0) }
        || programs.contains(variable("TERM_PROGRAM") ?? "")
        || variable("KONSOLE_VERSION") != nil || variable("WT_SESSION") != nil
    }
  }
}
