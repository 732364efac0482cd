// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import ProsodyFixture
import Testing

/// A web server with TLS on loopback, for one test: Python's own.
///
/// `GET /N/NAME` is N bytes; `/code/N` answers N; `/to?URL` redirects; `/endless` never ends;
/// `/kept/NAME` is what was uploaded last; `/cut` ends before its length; `/slow/NAME` is a byte and then nothing. `PUT /giant`
/// announces an answer of 2^63-1 bytes. It keeps what was uploaded, with the headers.
final class WebServer: @unchecked Sendable {
  let folder: String
  /// A file with the certificate to trust.
  let authority: String
  let port: Int
  private let process: pid_t?
  private let life: FileHandle

  /// - Parameter names: for the certificate.
  init(names: [String] = ["DNS:localhost", "IP:127.0.0.1"]) throws {
    folder = FileManager.default.temporaryDirectory.path + "/hobnob-web-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: folder + "/c", withIntermediateDirectories: true)
    let certificates = try Certificates(in: folder + "/c")
    authority = certificates.authority
    let pair = try certificates.sign("web", for: names)
    let (answer, orders) = (try #require(ChildProcess.pipe()), try #require(ChildProcess.pipe()))
    process = ChildProcess.start(
      ["/usr/bin/python3", "-c", Self.script, folder, pair.certificate, pair.key],
      input: .descriptor(orders.reading), output: .descriptor(answer.writing), errors: .null,
      group: .own)
    close(answer.writing)
    close(orders.reading)
    // The server ends with this process, even after a crash.
    life = FileHandle(fileDescriptor: orders.writing, closeOnDealloc: true)
    // It prints its port once it listens.
    let said = try FileHandle(fileDescriptor: answer.reading, closeOnDealloc: true).readToEnd()
    let text = String(decoding: said ?? Data(), as: UTF8.self)
    port = try #require(Int(text.trimmingCharacters(in: .newlines)))
  }

  deinit {
    try? life.close()
    if let process { waitpid(process, nil, 0) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  func address(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }

  /// What was uploaded, and the lines of its headers.
  var put: (body: Data, headers: [String])? {
    guard let body = FileManager.default.contents(atPath: folder + "/body"),
      let headers = try? String(contentsOfFile: folder + "/headers", encoding: .utf8)
    else { return nil }
    return (body, headers.split(whereSeparator: \.isNewline).map(String.init))
  }

  /// The paths that were asked for, as they arrived.
  var asked: [String] {
    let text = try? String(contentsOfFile: folder + "/asked", encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }

  /// The bytes of `/N/…`.
  static func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8($0 % 251) }) }

  private static let script = """
    import http.server, os, ssl, sys, threading
    folder, certificate, key = sys.argv[1:]
    class Handler(http.server.BaseHTTPRequestHandler):
      def answer(self, code, length=0, **headers):
        self.send_response(code)
        self.send_header('Content-Length', str(length))
        for name in headers: self.send_header(name, headers[name])
        self.end_headers()
      def do_GET(self):
        with open(folder + '/asked', 'a') as asked: asked.write(self.path + '\\n')
        parts = self.path.split('/')
        if self.path.startswith('/to?'): self.answer(302, Location=self.path[4:])
        elif parts[1] == 'kept':
          body = open(folder + '/body', 'rb').read()
          self.answer(200, len(body))
          self.wfile.write(body)
        elif parts[1] == 'code': self.answer(int(parts[2]))
        elif parts[1] == 'endless':
          self.send_response(200)
          self.end_headers()
          try:
            while True: self.wfile.write(b'x' * 65536)
          except OSError: pass
        elif parts[1] == 'slow':
          self.answer(200, 100)
          self.wfile.write(b'x')
          threading.Event().wait()
        elif parts[1] == 'cut':
          self.answer(200, 100)
          self.wfile.write(b'x')
          self.close_connection = True
        else:
          count = int(parts[1])
          self.answer(200, count)
          self.wfile.write(bytes(n % 251 for n in range(count)))
      def do_PUT(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        if self.path.startswith('/code/'): return self.answer(int(self.path[6:]))
        if self.path == '/giant':
          self.send_response(201)
          self.send_header('Content-Length', str(2**63 - 1))
          self.end_headers()
          self.wfile.write(b'x')
          return
        open(folder + '/headers', 'w').write(str(self.headers))
        open(folder + '/body', 'wb').write(body)
        self.answer(201)
      def log_message(self, *words): pass
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_address[1], flush=True)
    os.close(1)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    os._exit(0)
    """
}
