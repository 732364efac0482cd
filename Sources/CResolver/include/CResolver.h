// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef CRESOLVER_H
#define CRESOLVER_H

// Asks for the SRV records (RFC 2782) of a name, and waits for the answer's bytes.
//
// port: of a resolver on this machine to ask instead of those of resolv.conf; 0: none.
// Returns how many bytes the answer has, or -1 when there are no records or nobody could tell.
int cresolver_services(const char *name, unsigned short port, unsigned char *answer, int size);

#endif
