// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import Testing

@Suite("The end of a process")
struct LastUseTests {
    @Test("SE-1 a process that seals a record while it ends does not crash: libcrypto is not cleaned up before its last use")
    func sealsAtEnd() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("end-\(UUID().uuidString)").path
        let said = folder + ".said"
        defer { for path in [folder, said] { try? FileManager.default.removeItem(atPath: path) } }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: DeviceProcess.program("keyring-body"))
        process.arguments = ["end", folder]
        process.environment = DeviceProcess.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let output = try await process.ended(writingTo: said)
        #expect(process.terminationReason == .exit && process.terminationStatus == 0, "\(output)")
        #expect(output == "begun: 64\nopened: record\n")
    }
}
#endif
