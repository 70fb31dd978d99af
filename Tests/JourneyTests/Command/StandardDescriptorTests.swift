// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import FarewellCommand

@Suite("The descriptors that a caller closed")
struct StandardDescriptorTests {
    /// The system gives the lowest free number, so the last ones are free.
    private static let last = min(getdtablesize(), 4_096) - 1

    @Test("OPS-09 a closed descriptor is taken, so that no database gets its number, and writing to it fails as before")
    func closed() {
        let descriptor = Self.last
        #expect(fcntl(descriptor, F_GETFD) == -1)
        StandardDescriptors.reserve(descriptor, O_RDONLY)
        defer { close(descriptor) }
        #expect(fcntl(descriptor, F_GETFD) >= 0)
        let written = "text".withCString { write(descriptor, $0, 4) }
        #expect(written == -1)
    }

    @Test("OPS-09 an open descriptor stays what it is")
    func opened() {
        let descriptor = Self.last - 1
        StandardDescriptors.reserve(descriptor, O_WRONLY)
        defer { close(descriptor) }
        StandardDescriptors.reserve(descriptor, O_RDONLY)
        let written = "text".withCString { write(descriptor, $0, 4) }
        #expect(written == 4)
    }
}
