// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatScripts
import Glibc
import Platform
import Sentences

StandardDescriptors.claim()
Catalogue.open(in: ProgramFile.shareFolders("locale"))
let words = Array(RawArguments.all.dropFirst())
if words.first == FileChore.option, let status = FileChore.run(words.dropFirst()) { exit(status) }
exit(Program.hobnob.run(words))
