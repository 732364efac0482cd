// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

extension Painter {
  /// What the terminal can show, and what it does by itself.
  package struct TerminalCapabilities: Hashable, Sendable {
    /// Whether to draw colours: not with `NO_COLOR` (rule 11.5), nor on a terminal that has none.
    /// Attributes such as bold are always drawn.
    package var colors: Bool
    /// Its colours, and whether its background is light, if the environment says so.
    package var palette: Palette
    /// Whether it ignores a command string (OSC) that it does not know. The Linux console,
    /// terminals of Emacs and old ones would show it.
    package var ignoresStrings: Bool
    /// Whether its title can be set, and restored at the end. GNU screen would keep ours.
    package var restoresTitle: Bool
    /// Whether the terminal wraps its rows anew when its width changes. tmux, VTE, kitty, foot,
    /// wezterm, alacritty and konsole do; xterm and the Linux console cut the rows off.
    package var rewraps: Bool
    /// Whether to send links (OSC 8, rule 7.9).
    package var links: Bool
    /// How it shows desktop notifications, judging by its name; nil if it may not show any.
    package var notifications: DesktopNotification?
    /// The program that notifications have to pass through on their way to it.
    package var wrapper: DesktopNotification.Wrapper?
    /// Whether a screen that becomes lower first loses rows below the cursor, and then shows the
    /// end of the wrapped text, even if the cursor is not in it. tmux does; the behaviour of others
    /// is not known well enough to rely on it.
    package var showsEnd: Bool
    /// Whether one can scroll back to rows that have left the screen. The Linux console lost this
    /// ability in kernel 5.9; NetBSD's never had it.
    package var scrollsBack: Bool

    package init(
      colors: Bool = true, palette: Palette = Palette(), ignoresStrings: Bool = true,
      restoresTitle: Bool = true, rewraps: Bool = true, showsEnd: Bool = false,
      scrollsBack: Bool = true, links: Bool = false
    ) {
      self.colors = colors
      self.palette = palette
      self.ignoresStrings = ignoresStrings
      self.restoresTitle = restoresTitle
      self.rewraps = rewraps
      self.showsEnd = showsEnd
      self.scrollsBack = scrollsBack
      self.links = links
    }

    /// Reads the capabilities from the environment.
    ///
    /// - Parameter variable: returns the value of an environment variable.
    package init(environment variable: (String) -> String?) {
      let noColor = variable("NO_COLOR") ?? ""
      let terminal = variable("TERM") ?? ""
      // A terminal of Emacs has a name of its own, even if Emacs runs inside tmux.
      let isInEmacs = terminal.hasPrefix("eterm")
      let isInTmux = terminal.hasPrefix("tmux") || variable("TMUX") != nil && !isInEmacs
      // screen reads the letters of a string as bytes, so it finds control characters in some.
      let isInScreen =
        !(variable("STY") ?? "").isEmpty || !isInTmux && terminal.hasPrefix("screen")
      let ignoresStrings = terminal != "linux" && !Self.isDECs(terminal) && !isInEmacs
      let cutsRows =
        variable("XTERM_VERSION") != nil || terminal == "linux" || terminal.hasPrefix("rxvt")
        || terminal.hasPrefix("screen") || Self.isDECs(terminal)
      self.init(
        colors: noColor.isEmpty && Self.hasColors(terminal),
        palette: Self.palette(terminal, variable),
        ignoresStrings: ignoresStrings,
        restoresTitle: ignoresStrings && !isInScreen,
        rewraps: isInTmux || !cutsRows, showsEnd: isInTmux,
        scrollsBack: !["linux", "wsvt25"].contains(terminal.prefix { $0 != "-" }),
        links: !isInScreen && Self.knowsLinks(terminal, variable))
      wrapper = isInScreen ? .screen : isInTmux ? .tmux : nil
      notifications = wrapper == nil ? DesktopNotification.known(terminal, variable) : nil
    }

    /// The style to send: without colours, or with colours that are readable on the background.
    func shown(_ style: Style) -> Style {
      colors ? palette.shown(style) : Style(style.attributes)
    }

    /// Whether a terminal of this name has colours. DEC's had none, and by convention (term(7)) a
    /// name ends in `-m` if the terminal has none.
    private static func hasColors(_ terminal: String) -> Bool {
      let emulated = terminal.hasPrefix("xterm-") ? terminal.dropFirst(6) : terminal[...]
      return !isDECs(emulated) && !terminal.hasSuffix("-m") && !terminal.hasSuffix("-mono")
    }

    /// Whether this is the name of one of DEC's terminals, such as vt100; vte is another family.
    private static func isDECs(_ terminal: some StringProtocol) -> Bool {
      terminal.hasPrefix("vt") && terminal.dropFirst(2).first?.isNumber == true
    }

    /// The colours that the terminal has according to its name, and the background according to the
    /// last number in `COLORFGBG` (rxvt, Konsole).
    private static func palette(_ terminal: String, _ variable: (String) -> String?) -> Palette {
      let families = ["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "contour", "wezterm"]
      let colorTerm = variable("COLORTERM") ?? ""
      var palette = Palette()
      if colorTerm == "truecolor" || colorTerm == "24bit" || terminal.hasSuffix("-direct") {
        palette.depth = .all
      } else if terminal.contains("256") || families.contains(where: { terminal.hasPrefix($0) })
        || !colorTerm.isEmpty
      {
        palette.depth = .many
      }
      let background = variable("COLORFGBG")?.split(separator: ";").last
      if let index = background.flatMap({ Int(written: String($0), in: 0...15) }) {
        palette.isLight = index == 7 || index > 8
      }
      return palette
    }

    /// Whether this is one of the terminals that are known to show OSC 8 as links. Inside tmux, the
    /// outer terminal is unknown, and tmux before 3.4 passes no links on.
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
