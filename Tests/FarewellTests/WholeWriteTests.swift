// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

@Suite("Writing all bytes to a descriptor")
struct WholeWriteTests {
    @Test("EX-1 all bytes arrive in order, and a full or closed file is reported as a failure")
    func whole() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "farewell-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        func write(_ bytes: [UInt8], to path: String) -> Bool {
            let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
            defer { close(descriptor) }
            return bytes.withUnsafeBytes { WholeWrite.write($0, to: descriptor) }
        }
        #expect(write(bytes, to: path))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).elementsEqual(bytes))
        #expect(write([], to: path))
        #expect(!write(bytes, to: "/dev/full") && errno == ENOSPC)
        #expect(!write(bytes, to: "/nowhere/at/all"))
    }
}
