// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// What the made-up people answer. They say each line once, so that they fall silent before they
/// annoy anybody.
struct DemoScript {
  enum Role: Int, CaseIterable { case host, friend }

  /// What the guest did.
  enum Deed: Hashable {
    /// Wrote in a room, without mentioning either made-up person.
    case spoke
    case mentioned(Role)
    /// Wrote to one of them in a direct chat.
    case confided(in: Role)
    case corrected
    /// Reacted to a message of one of them.
    case reacted(to: Role)
    case invited(Role)
  }

  enum Words: Hashable {
    case text(SafeText)
    /// A reply to the guest's message.
    case reply(SafeText)
    /// A reaction to the guest's message.
    case reaction(String)
  }

  typealias Answer = (speaker: Role, words: Words)

  let host, friend: SafeText
  /// How often the guest did each of these.
  private var counts: [Deed: Int] = [:]

  init(host: SafeText, friend: SafeText) { (self.host, self.friend) = (host, friend) }

  /// - Parameter guest: their current name.
  mutating func replies(to deed: Deed, of guest: SafeText) -> [Answer] {
    let lines = lines(for: deed, guest)
    let count = counts[deed, default: 0]
    counts[deed] = count + 1
    return count < lines.count ? lines[count] : []
  }

  private func lines(for deed: Deed, _ guest: SafeText) -> [[Answer]] {
    switch deed {
    case .spoke:
      [
        [
          (.host, .reaction("👋")),
          (
            .friend, .text(say("Welcome, %1! After a mistake, /edit brings your line back.", guest))
          ),
        ],
        [(.host, .text(say("Do you want a cup, too? To tell me, type +:tea: and press Return.")))],
        [
          (
            .friend,
            .text(say("We only listen from now on, unless you type @%1 or @%2.", host, friend))
          )
        ],
      ]
    case .mentioned(.host):
      [
        [
          (.host, .text(say("@%1: here I am. This is how it looks when you are mentioned.", guest)))
        ],
        [(.host, .reply(say("And this is a reply, like those that /reply makes.")))],
        [
          (
            .host,
            .text(
              say(
                "I am a made-up person, %1, and have no more answers. /tutorial shows you more.",
                guest))
          )
        ],
      ]
    case .mentioned(.friend):
      [
        [(.friend, .text(say("Yes, %1? A mention rings, unless you /mute the room.", guest)))],
        [(.friend, .text(say("I am made up and have no more answers. /help has some.")))],
      ]
    case .confided(let role):
      [
        [(role, .text(say("Nobody else reads this. /switch lobby takes you back.")))],
        [(role, .text(say("I am made up and have no more answers, but you can still write.")))],
      ]
    case .corrected:
      [[(.friend, .text(say("We all have your new text now; /info shows the old one, too.")))]]
    case .reacted(let role): [[(role, .text(say("Thank you for that, %1!", guest)))]]
    case .invited(let role): [[(role, .text(say("Thank you for inviting me, %1!", guest)))]]
    }
  }
}
