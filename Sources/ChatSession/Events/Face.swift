// SPDX-License-Identifier: GPL-3.0-or-later

/// Where a session is typed into and shown (rule 11.5).
package enum Face { case tty, plain, batch }
