// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// Reads a descriptor to its end.
///
/// - Parameter goesOn: receives the number of bytes so far, after each piece; false stops reading.
/// - Throws: `SystemFailure`, and what `goesOn` throws.
package func readAll(
  _ descriptor: Int32, while goesOn: (Int) throws -> Bool = { _ in true }
) throws -> [UInt8] {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    if count < 0 { throw SystemFailure() }
    bytes += chunk[..<count]
    if try count == 0 || !goesOn(bytes.count) { return bytes }
  }
}

/// Writes all of the bytes.
package func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws {
  var rest = bytes[...]
  while !rest.isEmpty {
    let part = UnsafeRawBufferPointer(rebasing: rest)
    let count = write(descriptor, part.baseAddress, part.count)
    if count < 0, errno == EINTR { continue }
    if count < 0 { throw SystemFailure() }
    rest = rest.dropFirst(count)
  }
}
