// SPDX-License-Identifier: GPL-3.0-or-later

extension Painter {
  /// What the terminal can show, and what it does by itself.
  public struct Looks: Hashable, Sendable {
    /// Whether colours are drawn; attributes such as bold always are (`NO_COLOR`, BEHAVIOUR.md 11.5).
    public var colors: Bool
    /// Whether the terminal wraps its rows anew when its width changes. tmux, VTE, kitty, foot,
    /// wezterm, alacritty and konsole do; xterm and the Linux console cut the rows off.
    public var rewraps: Bool
    /// Whether a screen that becomes lower first loses rows below the cursor, and then shows the
    /// end of what has been wrapped, even without the cursor. tmux does; how others choose is not
    /// known well enough to count on it.
    public var showsEnd: Bool

    public init(colors: Bool = true, rewraps: Bool = true, showsEnd: Bool = false) {
      self.colors = colors
      self.rewraps = rewraps
      self.showsEnd = showsEnd
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
      self.init(colors: noColor.isEmpty, rewraps: isInTmux || !cutsRows, showsEnd: isInTmux)
    }
  }
}
