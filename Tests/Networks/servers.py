# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers of the networks, on ports of their own, with their files in a folder of the test."""
import grp
import os
import pwd
import secrets
import socket
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


running: list = []  # servers that a test has not stopped


def free_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


def wait_for_port(port: int, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


class Prosody:
    """An XMPP server with the users anna and ben, whose password is "secret", and more settings."""

    def __init__(self, folder: str, settings: str = ""):
        os.makedirs(folder)
        with open(folder + "/more.lua", "w") as file:
            file.write(settings)
        self.port, self.ca = free_port(), folder + "/certs/ca.crt"
        log = open(folder + "/log", "wb")
        running.append(self)
        self.process = subprocess.Popen(
            ["sh", ROOT + "/share/hobnob/local-xmpp", "-d", folder, "-p", str(self.port), "-s",
             folder + "/more.lua", "anna", "secret", "ben", "secret"], stdout=log, stderr=log,
            env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"})
        wait_for_port(self.port)

    def stop(self) -> None:
        running.remove(self)
        self.process.terminate()
        self.process.wait()


class Synapse:
    """A Matrix server with the users anna and ben, whose password is "secret"."""

    def __init__(self, folder: str):
        self.folder, self.port = folder, free_port()
        self.url, self.name = f"http://127.0.0.1:{self.port}", "matrix.localhost"
        os.makedirs(folder)
        with open(self.path("server.yaml"), "w") as file:
            file.write(self.settings())
        with open(self.path("log.yaml"), "w") as file:
            file.write("version: 1\n")
        command = [sys.executable, "-m", "synapse.app.homeserver", "-c", self.path("server.yaml")]
        # One address of the loopback; no other server is asked for anything.
        log = open(self.path("log"), "wb")
        subprocess.run([*command, "--generate-keys"], check=True, stdout=log, stderr=log, cwd=folder)
        running.append(self)
        self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
        wait_for_port(self.port)
        for user in ("anna", "ben"):
            subprocess.run(
                [os.path.join(os.path.dirname(sys.executable), "register_new_matrix_user"), "-u", user,
                 "-p", "secret", "--no-admin", "-k", "shared", self.url],
                check=True, stdout=subprocess.DEVNULL)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def settings(self) -> str:
        fast = "{per_second: 10000, burst_count: 10000}"
        return f"""
server_name: {self.name}
report_stats: false
pid_file: {self.path("pid")}
log_config: {self.path("log.yaml")}
media_store_path: {self.path("media")}
signing_key_path: {self.path("key")}
trusted_key_servers: []
registration_shared_secret: shared
macaroon_secret_key: {secrets.token_hex(16)}
listeners:
  - {{port: {self.port}, type: http, bind_addresses: [127.0.0.1], resources: [{{names: [client]}}]}}
database: {{name: sqlite3, args: {{database: {self.path("server.sqlite")}}}}}
rc_message: {fast}
rc_login: {{address: {fast}, account: {fast}, failed_attempts: {fast}}}
rc_joins: {{local: {fast}}}
rc_invites: {{per_room: {fast}, per_user: {fast}, per_issuer: {fast}}}
"""

    def stop(self) -> None:
        running.remove(self)
        self.process.terminate()
        self.process.wait()


class Mail:
    """A mail server: IMAP by dovecot, SMTP by the file smtp_to_maildir.py here. Any address has a mailbox, with
    the password "secret"."""

    def __init__(self, folder: str):
        self.folder, self.imap, self.smtp = folder, free_port(), free_port()
        os.makedirs(os.path.join(folder, "mail"))
        os.makedirs(os.path.join(folder, "home"))
        who = pwd.getpwuid(os.getuid())
        if who.pw_uid == 0:  # Dovecot serves no mail of root
            who = pwd.getpwnam("nobody")
            for path in (os.path.dirname(folder), folder):
                os.chmod(path, 0o711)
            for name in ("mail", "home"):
                os.chown(os.path.join(folder, name), who.pw_uid, who.pw_gid)
        with open(os.path.join(folder, "dovecot.conf"), "w") as file:
            file.write(self.settings(who, grp.getgrgid(who.pw_gid).gr_name))
        log = open(os.path.join(folder, "log"), "wb")
        running.append(self)
        self.processes = [
            subprocess.Popen(["dovecot", "-F", "-c", os.path.join(folder, "dovecot.conf")],
                             stdout=log, stderr=log,
                             env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"}),
            subprocess.Popen([sys.executable, os.path.join(os.path.dirname(__file__), "smtp_to_maildir.py"),
                              str(self.smtp), os.path.join(folder, "mail")], stdout=log, stderr=log)]
        wait_for_port(self.imap)
        wait_for_port(self.smtp)

    def settings(self, who: pwd.struct_passwd, group: str) -> str:
        here = self.folder
        return f"""
protocols = imap
base_dir = {here}/run
state_dir = {here}/state
log_path = {here}/dovecot.log
ssl = no
disable_plaintext_auth = no
default_login_user = {who.pw_name}
default_internal_user = {who.pw_name}
default_internal_group = {group}
first_valid_uid = 0
mail_location = maildir:{here}/mail/%u
mailbox_list_index = no
mail_max_userip_connections = 100
auth_mechanisms = plain login
service imap-login {{
  chroot =
  inet_listener imap {{
    address = 127.0.0.1
    port = {self.imap}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
passdb {{
  driver = static
  args = password=secret
}}
userdb {{
  driver = static
  args = uid={who.pw_uid} gid={who.pw_gid} home={here}/home/%u allow_all_users=yes
}}
namespace inbox {{
  inbox = yes
}}
"""

    def stop(self) -> None:
        running.remove(self)
        for process in self.processes:
            process.terminate()  # which also ends those that they have started
        for process in self.processes:
            process.wait()
