# SPDX-License-Identifier: GPL-3.0-or-later
"""An SMTP server that delivers to Maildir folders: smtp.py PORT FOLDER"""
import mailbox
import os
import sys
import threading

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult


class Deliver:
    async def handle_DATA(self, server, session, envelope) -> str:
        for address in envelope.rcpt_tos:
            box = mailbox.Maildir(os.path.join(sys.argv[2], address.lower()))
            box.add(envelope.original_content)
        return "250 OK"


class Server(Controller):
    def factory(self) -> SMTP:
        return SMTP(self.handler, auth_require_tls=False, hostname="localhost",
                    data_size_limit=100_000_000,
                    authenticator=lambda *_: AuthResult(success=True))


Server(Deliver(), hostname="127.0.0.1", port=int(sys.argv[1])).start()
threading.Event().wait()
