// SPDX-License-Identifier: GPL-3.0-or-later

/// Sees what is pasted or attached before it becomes text (9.4).
///
/// ```swift
/// final class Pictures: BarPlugin {
///   func bar(takes content: PastedContent) -> Bool {
///     guard case .path(let path) = content, path.hasSuffix(".png") else { return false }
///     waiting.append(path)
///     return true
///   }
/// }
/// ```
public protocol BarPlugin: AnyObject {
  /// True when it has taken the content; nobody after it is asked, and no text is inserted.
  func bar(takes content: PastedContent) -> Bool
  /// The bar is about something else now: another conversation was entered.
  func barReloads()
  /// What was being composed was sent or given up.
  func barEnds()
}

extension BarPlugin {
  public func barReloads() {}
  public func barEnds() {}
}

extension BarHooks {
  /// Adds a plugin behind those that are there. Unlike a listener it is kept alive, for often
  /// nobody else holds it. One that is there already is not added again.
  public func add(_ plugin: any BarPlugin) {
    if plugins.contains(where: { $0 === plugin }) { return }
    plugins.append(plugin)
  }

  /// Adds what is both a listener and a plugin as both. As a plugin it is kept alive.
  public func add(_ both: any BarDelegate & BarPlugin) {
    add(both as any BarDelegate)
    add(both as any BarPlugin)
  }

  /// Removes a plugin; one that is not there is no error.
  public func remove(_ plugin: any BarPlugin) {
    plugins.removeAll { $0 === plugin }
  }

  /// Removes what is both a listener and a plugin as both.
  public func remove(_ both: any BarDelegate & BarPlugin) {
    remove(both as any BarDelegate)
    remove(both as any BarPlugin)
  }

  /// Offers content to the plugins, in the order in which they were added; the first that takes it
  /// ends it (9.4).
  ///
  /// - Returns: false when nobody took it: insert it as text.
  public func take(_ content: PastedContent) -> Bool {
    plugins.contains { $0.bar(takes: content) }
  }

  /// Tells the plugins that the bar is about something else now, such as another conversation.
  public func reloadPlugins() {
    for plugin in plugins { plugin.barReloads() }
  }

  /// Tells the plugins that what was being composed was given up; `sent(_:)` does it by itself.
  public func invalidatePlugins() {
    for plugin in plugins { plugin.barEnds() }
  }
}
