// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Swift Testing has an `Attachment`, too.
typealias Attachment = Conversations.Attachment
