// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Nothing to call: what this target does, it does before the first test.
