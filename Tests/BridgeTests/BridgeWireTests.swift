// SPDX-License-Identifier: GPL-3.0-or-later
import Bridge
import Testing

@Suite("a program of an account")
struct BridgeWireTests {}
