// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reading that a signal does not cut short.
enum WholeRead {
    enum Failure: Error, Sendable, Hashable {
        /// There are more bytes than the limit.
        case tooLarge
        /// With the system's error.
        case system(Int32)
    }

    /// The bytes of an open file, from its current place to its end.
    static func data(of descriptor: Int32, limit: Int) throws(Failure) -> Data {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        var filled = 0
        while true {
            if filled == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
            let count = bytes.withUnsafeMutableBytes { buffer -> Int in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                return read(descriptor, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(errno) }
            if count == 0 { return Data(bytes[..<filled]) }
            filled += count
            guard filled <= limit else { throw .tooLarge }
        }
    }
}
