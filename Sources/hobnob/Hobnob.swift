// SPDX-License-Identifier: GPL-3.0-or-later
import ChatScripts
import ChatShell
import Sentences

extension Program {
  /// The command line (rule 11).
  static let hobnob = Program(
    version: "hobnob 0.1.0",
    bare: BareShell.self,
    discussion: translated(
      """
      Without CONVERSATION, hobnob opens your last one, or else the room #lobby. A bare name is a \
      room; '#lobby' and @name work too, but quote the #, because it begins a comment in a shell. \
      --create creates a room that does not exist. man hobnob explains the rest.

      Every command takes --as NAME (who you are), --store PATH, --shared, --rc FILE, \
      --no-rc and --plain; hobnob open --help explains them.
      """),
    commands: [OpenShell.self] + scripts + [DemoShell.self])
}
