// SPDX-License-Identifier: GPL-3.0-or-later

/// How a person uses a session (rule 11.5).
package enum OutputMode { case tty, plain, batch }
