// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

/// The built program, driven from outside: on pseudo-terminals, in tmux and by scripts.
@Suite("The built program")
enum EndToEnd {}
