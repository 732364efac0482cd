# SPDX-License-Identifier: GPL-3.0-or-later
"""An SMTP server that delivers to Maildir folders: smtp_to_maildir.py PORT FOLDER"""
import os
import sys
import threading
import time
import uuid

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult

os.umask(0)  # another user may read the mail


class Deliver:
    async def handle_DATA(self, server, session, envelope) -> str:
        for address in envelope.rcpt_tos:
            # Dovecot numbers them in the order of their names.
            box, name = os.path.join(sys.argv[2], address.lower()), f"{time.time_ns()}.{uuid.uuid4().hex}"
            for part in ("tmp", "new", "cur"):
                os.makedirs(os.path.join(box, part), exist_ok=True)
            with open(os.path.join(box, "tmp", name), "wb") as file:
                file.write(envelope.original_content)
            os.rename(os.path.join(box, "tmp", name), os.path.join(box, "new", name))
        return "250 OK"


class Server(Controller):
    def factory(self) -> SMTP:
        return SMTP(self.handler, auth_require_tls=False, hostname="localhost",
                    data_size_limit=100_000_000,
                    authenticator=lambda *_: AuthResult(success=True))


Server(Deliver(), hostname="127.0.0.1", port=int(sys.argv[1])).start()
threading.Event().wait()
