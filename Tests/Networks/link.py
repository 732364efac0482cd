# SPDX-License-Identifier: GPL-3.0-or-later
"""A way to a server on this machine that can be cut."""
import socket
import threading


class Link:
    def __init__(self, target: int):
        self.target, self.pairs = target, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.target))
            self.pairs.append((client, server))
            for ends in ((client, server), (server, client)):
                threading.Thread(target=self.forward, args=ends, daemon=True).start()

    def forward(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        end(source, target)

    def cut(self) -> None:
        """Breaks all connections. What is on its way is lost."""
        while self.pairs:
            end(*self.pairs.pop())


def end(*sockets: socket.socket) -> None:
    for each in sockets:
        try:
            each.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
