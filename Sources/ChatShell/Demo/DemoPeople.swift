// SPDX-License-Identifier: GPL-3.0-or-later
import ChatRendering
import Conversations
import Platform
import StyledText

/// The made-up people of a demonstration. To the store they are two more shells; they live in the
/// loop of the guest's shell.
@MainActor
final class DemoPeople {
  let cast: DemoCast
  private let guest: Participant
  private var loop: EventLoop?
  private var script: DemoScript
  private var shells: [Shell]
  /// What the made-up people will say, in order.
  private var answers: [Answer] = []
  private var isAnswering = false

  private struct Shell {
    let role: DemoScript.Role
    let me: Participant
    let store: Store
    var observation: Observation
  }

  private struct Answer {
    let speaker: DemoScript.Role
    let words: DemoScript.Words
    let conversation: ID<Conversation>
    /// The guest's message that it answers, if any.
    let message: ID<Message>?
  }

  /// How long somebody reads a message, and then types an answer, in milliseconds.
  private static let (reading, typing) = (700, 1300)

  /// Adds them to a store.
  init(in store: Store, with guest: Participant) throws {
    self.guest = guest
    cast = try store.writeDurably { try DemoCast(for: guest, $0) }
    script = DemoScript(
      host: SafeText(name: cast.host.name), friend: SafeText(name: cast.friend.name))
    shells = try zip(DemoScript.Role.allCases, cast.all).map { role, person in
      let own = try Store(path: store.path, options: .init(patience: 500))
      _ = try own.shells.attach(person.id)
      let observation = try own.observe(for: person.id)
      return Shell(role: role, me: person, store: own, observation: observation)
    }
  }

  /// Begins to listen. Call this after the history is written.
  func startListening(_ loop: EventLoop) throws {
    self.loop = loop
    for index in shells.indices {
      let (store, me) = (shells[index].store, shells[index].me.id)
      shells[index].observation = try store.observe(for: me)
      if let lobby = try store.read({ try $0.room("lobby") }) { try store.shells.show(lobby.id) }
      loop.watch(shells[index].observation.descriptor) { [weak self] in self?.readChanges(index) }
    }
  }

  func leave() { for shell in shells { shell.store.close() } }

  // MARK: Listening

  private func readChanges(_ index: Int) {
    // A locked store rings again.
    guard let changes = try? shells[index].observation.next() else { return }
    let shell = shells[index]
    for message in changes.arrived where message.sender != shell.me.id {
      _ = try? shell.store.writeIfNeeded {
        _ = try $0.noteDelivered(
          to: shell.me.id, upTo: [message.conversation: message.number], seen: message.conversation)
      }
      if message.sender == guest.id { hear(message, shell) }
    }
    // Both notice the change in a room, but only one of them tells.
    for message in changes.revised where message.sender == guest.id && message.deletedAt == nil {
      if shell.role == .host {
        planAnswers(.corrected, message.conversation, message, message.senderName)
      }
    }
    for update in changes.reacted
    where update.participant.id == guest.id && update.emoji != nil
      && update.message.sender == shell.me.id
    {
      planAnswers(
        .reacted(to: shell.role), update.message.conversation, nil, update.participant.name)
    }
    for event in changes.events
    where event.kind == .invitation && event.other?.id == shell.me.id {
      planAnswers(.invited(shell.role), event.conversation, nil, event.participant.name)
    }
  }

  private func hear(_ message: Message, _ shell: Shell) {
    func tell(_ deed: DemoScript.Deed) {
      planAnswers(deed, message.conversation, message, message.senderName)
    }
    let isDirect = try? shell.store.read {
      try $0.conversation(message.conversation, for: shell.me.id)?.kind == .direct
    }
    let isCalled = { (person: Participant) in message.names(person) }
    if isDirect == true {
      tell(.confided(in: shell.role))
    } else if isCalled(shell.me) {
      tell(.mentioned(shell.role))
    } else if shell.role == .host, !cast.all.contains(where: isCalled) {
      tell(.spoke)
    }
  }

  // MARK: Answering

  private func planAnswers(
    _ deed: DemoScript.Deed, _ place: ID<Conversation>, _ message: Message?, _ name: String
  ) {
    answers += script.replies(to: deed, of: SafeText(name: name)).map {
      Answer(speaker: $0.speaker, words: $0.words, conversation: place, message: message?.id)
    }
    answerNext()
  }

  /// Gives the next answer, as if somebody had read the message and typed.
  private func answerNext() {
    guard !isAnswering, !answers.isEmpty, let loop else { return }
    isAnswering = true
    let answer = answers.removeFirst()
    loop.after(milliseconds: Self.reading) { [weak self] in
      if case .reaction = answer.words {
        self?.give(answer)
      } else {
        self?.beginTyping(answer)
        loop.after(milliseconds: Self.typing) { self?.give(answer) }
      }
    }
  }

  private func beginTyping(_ answer: Answer) {
    _ = try? shells[answer.speaker.rawValue].store.write {
      try $0.setTyping(true, in: answer.conversation)
    }
  }

  private func give(_ answer: Answer) {
    let shell = shells[answer.speaker.rawValue]
    // The guest may have deleted the message, or removed the room; then there is no answer.
    _ = try? shell.store.writeDurably {
      switch answer.words {
      case .text(let text):
        try $0.send(text.string, in: answer.conversation, by: shell.me.id)
      case .reply(let text):
        try $0.send(text.string, in: answer.conversation, by: shell.me.id, replyTo: answer.message)
      case .reaction(let emoji):
        if let message = answer.message {
          try $0.react(message, by: shell.me.id, with: emoji)
        }
      }
    }
    isAnswering = false
    answerNext()
  }
}
