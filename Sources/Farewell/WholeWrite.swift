// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writing that a signal or a full buffer of the system does not cut short.
package enum WholeWrite {
    /// Writes all of the bytes at the current place of an open file.
    ///
    /// - Returns: Whether all were written; if not, `errno` has the cause.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = sysWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

// Inside a type with a method of this name, the system's call needs a name of its own.
private func sysWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
