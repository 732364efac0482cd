// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

extension Import {
  /// Reads a file to its end.
  ///
  /// - Parameters:
  ///   - descriptor: an open file, pipe or terminal.
  ///   - name: the name of the file, for error messages, and because a log's name gives its
  ///     conversation; empty for standard input.
  ///   - format: nil to detect it from the content.
  ///   - conversation: the conversation of a log, a room or `@name`; nil to use the file's name,
  ///     and for exports, which contain it.
  package func read(
    _ descriptor: Int32, name: String = "", format: ImportFormat? = nil,
    conversation: String? = nil
  ) throws {
    let lines = LineReader(descriptor: descriptor) { [self] number in
      leaveOut(name, number, LineFault("the line is longer than 16 MB"))
    }
    do {
      guard let format = try format ?? ImportFormat.format(of: lines.peek()) else {
        throw try ImportFault(
          name, 0,
          lines.peek().isEmpty
            ? ("it is empty", [])
            : (
              "it is neither an export of hobnob nor a log of irssi or WeeChat; give the format with --format",
              []
            ))
      }
      switch format {
      case .json:
        guard conversation == nil else {
          throw ImportFault(
            name, 0,
            (
              "it is an export, which names its own conversations; leave out --conversation",
              []
            ))
        }
        try ExportReader(self).read(lines, name)
      case .irssi: try LogReader(self, lines, name).read(as: IrssiLog(), into: conversation)
      case .weechat: try LogReader(self, lines, name).read(as: WeeChatLog(), into: conversation)
      }
    } catch let fault as LineFault {
      throw ImportFault(name, lines.number, fault.sentence)
    } catch let failure as SystemFailure {
      throw ImportFault(name, lines.number, ("it cannot be read: %1", [failure.reason]))
    }
  }
}
