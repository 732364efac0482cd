// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

extension Tool {
  static let all: [Tool] = [
    Tool(
      name: "list_conversations",
      description: "List your conversations, with how many messages are unread in each.",
      onlyReads: true, run: { agent, _ in try agent.list() }),
    Tool(
      name: "read_messages",
      description: """
        Read messages of a conversation, oldest first: the newest ones; those before a number; or, \
        with the position of an earlier result, all that was written, edited or deleted since.
        """,
      onlyReads: true,
      parameters: [
        .conversation, .count(20, "messages to return"),
        .number(.before, "Only messages before the one with this number."), .position,
        .number(.number, "Only this message, with all of its text even if that is long."),
      ], run: { try $0.read($1) }),
    Tool(
      name: "wait_for_message",
      description: """
        Wait until somebody else writes, and return the message; without one in time, an empty \
        list. Pass the position of your last read or wait, or you miss what was written since.
        """,
      onlyReads: true,
      parameters: [
        .place("Wait only for this conversation."), .position,
        ToolParameter(
          name: .forYou, form: .flag,
          help: "Wait for a message that mentions you or is written to you alone."),
        ToolParameter(
          name: .timeout, form: .number(0...300),
          help: "How many seconds to wait (default 30). Many clients give up after 60."),
      ], run: { .wait(try $0.wait($1)) }),
    Tool(
      name: "search_messages",
      description: """
        Find messages that contain all words, newest first. Also: word*, "a phrase", from:NAME, \
        since:2026-11-21, until:2026-11-21, has:file.
        """,
      onlyReads: true,
      parameters: [
        ToolParameter(name: .query, form: .text, isRequired: true, help: "What to look for."),
        .place("Search only this conversation."), .count(10, "messages to return"),
      ], run: { try $0.search($1) }),
    Tool(
      name: "send_message",
      description: "Send a message to everybody in a conversation. @name mentions a person.",
      sends: true, parameters: [.conversation, .text("The text of the message.")],
      run: { try $0.send($1) }),
    Tool(
      name: "reply_to_message",
      description: "Send a message that answers another one, which is quoted above it.",
      sends: true,
      parameters: [
        .conversation, .message("The message to answer."), .text("The text of your answer."),
      ], run: { try $0.send($1) }),
    Tool(
      name: "react_to_message",
      description: "React to a message with an emoji. It disturbs people less than an answer.",
      sends: true,
      parameters: [
        .conversation, .message("The message to react to."),
        ToolParameter(
          name: .emoji, form: .text, isRequired: true,
          help: "An emoji, or its name, such as :tada:."),
        ToolParameter(name: .remove, form: .flag, help: "Remove this reaction of yours."),
      ], run: { try $0.react($1) }),
    Tool(
      name: "edit_message", description: "Give a message of yours another text.", sends: true,
      parameters: [.conversation, .message("Your message."), .text("The new text.")],
      run: { try $0.edit($1) }),
    Tool(
      name: "mark_as_read",
      description: "Mark messages as read; their senders then see that you have read them.",
      parameters: [
        .conversation, .number(.until, "The last message that you have read; default: the newest."),
      ], run: { try $0.markAsRead($1) }),
  ]
}

extension ToolParameter {
  fileprivate static let conversation = ToolParameter(
    name: .conversation, form: .text, isRequired: true,
    help: "The conversation, as list_conversations names it.")
  fileprivate static let position = ToolParameter(
    name: .after, form: .number(0...(.max)), help: "The position of an earlier result.")

  fileprivate static func place(_ help: String) -> Self {
    ToolParameter(name: .conversation, form: .text, help: help)
  }

  fileprivate static func count(_ usual: Int, _ what: String) -> Self {
    ToolParameter(
      name: .count, form: .number(1...100), help: "How many \(what) (default \(usual)).")
  }

  fileprivate static func number(_ name: JSONName, _ help: String) -> Self {
    ToolParameter(name: name, form: .number(1...(.max)), help: help)
  }

  fileprivate static func message(_ help: String) -> Self {
    ToolParameter(
      name: .number, form: .number(1...(.max)), isRequired: true, help: help + " Its number.")
  }

  fileprivate static func text(_ help: String) -> Self {
    ToolParameter(name: .text, form: .text, isRequired: true, help: help)
  }
}
