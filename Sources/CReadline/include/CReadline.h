// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef CREADLINE_H
#define CREADLINE_H
#endif
