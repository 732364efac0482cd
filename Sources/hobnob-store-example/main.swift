// SPDX-License-Identifier: GPL-3.0-or-later
// Two people in one room: Anna writes, the bell wakes Ben, and Anna sees that he has read it.
import Conversations
import Glibc

guard CommandLine.arguments.count == 2 else {
  print("usage: hobnob-store-example STORE.sqlite")
  exit(64)
}
// Two stores with the same file, as two programs have.
let annas = try Store(path: CommandLine.arguments[1])
let bens = try Store(path: CommandLine.arguments[1])

let (anna, ben, lobby) = try annas.writeDurably { transaction in
  let anna = try transaction.participant(identity: "anna")
  let ben = try transaction.participant(identity: "ben")
  let lobby = try transaction.makeRoom("lobby")
  try transaction.join(anna.id, lobby.id)
  try transaction.join(ben.id, lobby.id)
  return (anna.id, ben.id, lobby.id)
}

var observation = try bens.observe(for: ben)
try annas.writeDurably { try $0.send("hello ben", in: lobby, by: anna) }

while let changes = try observation.wait(milliseconds: 5_000) {
  guard let last = changes.arrived.last else { continue }
  for message in changes.arrived { print("ben reads: \(message.senderName): \(message.body)") }
  try bens.write { try $0.noteSeen(by: ben, in: lobby, upTo: last.number, sendReceipt: true) }
  break
}

for message in try annas.read({ try $0.messages(in: lobby, limit: 20, for: anna) }) {
  print("anna sees: [\(message.number)] \(message.body) (\(message.state))")
}
