// SPDX-License-Identifier: GPL-3.0-or-later
import CAres
import CCurl
import Glibc
import Sentences

/// One file that ``Transfers`` moves; libcurl's callbacks have a pointer to it.
final class Transfer {
  let handle: UnsafeMutableRawPointer
  let ended: Transfers.Completion
  /// The file to upload.
  var file: UnsafeMutablePointer<FILE>?
  /// Encrypts it on its way; nil if it goes as it is.
  var sealing: FileCipher?
  var headers: UnsafeMutablePointer<curl_slist>?
  /// Takes the bytes that arrive, and how many more may arrive. The answer to an upload is dropped.
  var write: (UnsafeRawBufferPointer) -> Bool = { _ in true }
  var left: Int64 = 1 << 20
  /// The address that the file is posted to; nil if it is not.
  var postAddress: String?
  /// How many redirects it may still follow.
  var redirects = 0
  private var addresses: UnsafeMutablePointer<curl_slist>?
  /// The address of the account's own server, which may be local, and whether another address was
  /// local.
  private let server: String?
  private var wasLocal = false
  private let progress: Transfers.Progress

  init(
    _ handle: UnsafeMutableRawPointer, server: String?,
    progress: @escaping Transfers.Progress, ended: @escaping Transfers.Completion
  ) {
    (self.handle, self.server, self.progress, self.ended) = (handle, server, progress, ended)
  }

  deinit {
    if let file { fclose(file) }
    curl_slist_free_all(headers)
    curl_slist_free_all(addresses)
    curl_easy_cleanup(handle)
  }

  static func at(_ pointer: UnsafeMutableRawPointer?) -> Transfer {
    Unmanaged<Transfer>.fromOpaque(pointer!).takeUnretainedValue()
  }

  /// Sets the next address and its host's addresses: libcurl itself looks up no names.
  ///
  /// - Parameter found: the addresses of the host, in digits; empty if the host is an address
  ///   itself.
  func go(to address: String, _ host: String, _ port: String, _ found: [String]) {
    curl_slist_free_all(addresses)
    addresses = nil
    if !found.isEmpty {
      let digits = found.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
      addresses = curl_slist_append(nil, "\(host):\(port):\(digits)")
    }
    _ = ccurl_set_addresses(handle, addresses)
    _ = ccurl_set_text(handle, CURLOPT_URL, address)
  }

  /// The link that the web server gave to a posted file; nil if it gave none.
  var location: String? {
    guard let postAddress else { return nil }
    var link = [CChar](repeating: 0, count: 4096)
    guard ccurl_find_location(handle, postAddress, &link, UInt32(link.count)) != 0 else {
      return nil
    }
    return String(decoding: link.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The address that the answer redirects to, if another redirect is allowed.
  func nextAddress() -> String? {
    guard redirects > 0, (300..<400).contains(ccurl_status(handle)),
      let next = ccurl_next_address(handle)
    else { return nil }
    redirects -= 1
    return String(cString: next)
  }

  func setUp(certificates: String?) {
    let me = Unmanaged.passUnretained(self).toOpaque()
    _ = ccurl_only_https(handle)
    // The proxy in the environment is meant for browsers, and would hide the real address.
    _ = ccurl_set_text(handle, CURLOPT_PROXY, "")
    _ = ccurl_set_number(handle, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    _ = ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
    _ = ccurl_set_number(handle, CURLOPT_FAILONERROR, 1)
    _ = ccurl_set_number(handle, CURLOPT_CONNECTTIMEOUT, 30)
    // A transfer that hardly moves for a minute is dead, but a large file may take as long as it
    // needs.
    _ = ccurl_set_number(handle, CURLOPT_LOW_SPEED_LIMIT, 100)
    _ = ccurl_set_number(handle, CURLOPT_LOW_SPEED_TIME, 60)
    if let certificates { _ = ccurl_set_text(handle, CURLOPT_CAINFO, certificates) }
    _ = ccurl_set_opener(
      handle,
      { transfer, _, address in
        guard let address, Transfer.at(transfer).mayReach(address) else { return CURL_SOCKET_BAD }
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        return socket(address.pointee.family, kind, address.pointee.protocol)
      }, me)
    _ = ccurl_set_writer(
      handle,
      { buffer, size, count, transfer in
        Transfer.at(transfer).receive(UnsafeRawBufferPointer(start: buffer, count: size * count))
      }, me)
    _ = ccurl_set_progress(
      handle,
      { transfer, downTotal, down, upTotal, up in
        // For an upload, count only the bytes sent: the server may claim any length for its answer.
        let transfer = Transfer.at(transfer)
        let isUpload = transfer.file != nil
        transfer.progress(Int64(isUpload ? up : down), Int64(isUpload ? upTotal : downTotal))
        return 0
      }, me)
  }

  private func mayReach(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
    var buffer = [CChar](repeating: 0, count: 128)
    ccurl_digits(address, &buffer, UInt32(buffer.count))
    let digits = String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard ccurl_is_local(digits) != 0, digits != server else { return true }
    wasLocal = true
    return false
  }

  /// Reads the next bytes to upload; 0 at their end.
  func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = fread(buffer.baseAddress, 1, buffer.count, file)
    return sealing?.seal(buffer, count: count) ?? count
  }

  private func receive(_ piece: UnsafeRawBufferPointer) -> Int {
    // The body of a redirect is not the file.
    if (300..<400).contains(ccurl_status(handle)) { return piece.count }
    left -= Int64(piece.count)
    return left >= 0 && write(piece) ? piece.count : 0
  }

  // MARK: The end

  func outcome(_ result: CURLcode) -> Result<Void, Transfers.Failure> {
    let status = ccurl_status(handle)
    if result == CURLE_OK, (200..<300).contains(status) { return .success(()) }
    if result == CURLE_OK, (300..<400).contains(status) {
      return .failure(Transfers.Failure(translated("the web server answered only with a redirect")))
    }
    if result == CURLE_OK || result == CURLE_HTTP_RETURNED_ERROR {
      return .failure(
        Transfers.Failure(
          Self.words(forAnswer: status),
          isTemporary: [408, 429, 500, 502, 503, 504].contains(status)))
    }
    if left < 0 || result == CURLE_FILESIZE_EXCEEDED {
      return .failure(Transfers.Failure(translated("it is larger than the limit")))
    }
    if wasLocal {
      return .failure(
        Transfers.Failure(
          translated("the link points to this machine or its local network")))
    }
    let isFinal = [
      CURLE_PEER_FAILED_VERIFICATION, CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT,
      CURLE_READ_ERROR, CURLE_WRITE_ERROR, CURLE_ABORTED_BY_CALLBACK, CURLE_TOO_MANY_REDIRECTS,
      CURLE_SSL_CACERT_BADFILE,
    ].contains(result)
    return .failure(Transfers.Failure(Self.words(for: result), isTemporary: !isFinal))
  }

  /// An HTTP status in words for a person who sends or fetches a file.
  private static func words(forAnswer status: Int) -> Remark {
    // Translators: the number of the answer follows, as in “the web server took too long (504)”.
    let words: StaticString =
      switch status {
      case 401, 403, 405: "the web server does not allow it"
      case 404, 410: "it does not exist, or no longer does"
      case 408, 504: "the web server took too long"
      case 413: "it is too large for the web server"
      case 429: "the web server has too many requests now"
      case 500, 502, 503: "the web server has a problem at the moment"
      case 507: "the web server has no room for it"
      default: "the web server refuses it"
      }
    return translated(words) + Remark(" (\(status))")
  }

  private static func words(for result: CURLcode) -> Remark {
    let words: StaticString? =
      switch result {
      case CURLE_COULDNT_RESOLVE_HOST: "the web server's name cannot be found"
      case CURLE_COULDNT_CONNECT: "the web server cannot be reached"
      case CURLE_OPERATION_TIMEDOUT: "the web server is too slow or does not answer"
      case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
        "the connection to the web server broke"
      case CURLE_SSL_CONNECT_ERROR: "encryption with the web server failed"
      case CURLE_PEER_FAILED_VERIFICATION: "the web server's certificate is invalid"
      case CURLE_SSL_CACERT_BADFILE: "the trusted certificates cannot be read"
      case CURLE_TOO_MANY_REDIRECTS: "the web server redirects too often"
      case CURLE_UNSUPPORTED_PROTOCOL: "it redirects to a link that does not begin with https://"
      case CURLE_READ_ERROR: "the file cannot be read"
      default: nil
      }
    return words.map { translated($0) } ?? Remark(String(cString: curl_easy_strerror(result)))
  }
}
