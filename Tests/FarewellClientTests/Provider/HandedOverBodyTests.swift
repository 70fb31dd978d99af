// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

/// Answers that the system hands over in files.
@Suite("Bodies that the system hands over")
struct HandedOverBodyTests {
    private func with(_ use: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "handed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try use(folder)
    }

    private func refusal(_ file: URL) -> FarewellError? {
        do {
            _ = try HandedOverBody.read(file)
            return nil
        } catch {
            guard case .unavailable(let error) = error else { return nil }
            return error
        }
    }

    @Test("SO-7 a body that cannot be read is no empty success: its error has the system's cause")
    func unreadable() throws {
        try with { folder in
            let gone = try #require(refusal(folder.appending(path: "gone")))
            #expect(gone.code == "device.answer-unreadable" && gone.family == .tryAgain)
            #expect(gone.message.contains("error \(ENOENT) of"))
            let other = try #require(refusal(folder))
            #expect(other.code == "device.answer-unreadable" && other.message.contains("error \(EISDIR) of"))
        }
    }

    @Test("SO-7 a body is whole or no answer: one that is larger than an interface sends is not cut")
    func whole() throws {
        try with { folder in
            let file = folder.appending(path: "body")
            for count in [0, 1, 4_095, 4_096, 4_097, 100_000] {
                let body = Data(repeating: 0x61, count: count)
                try body.write(to: file)
                #expect(try HandedOverBody.read(file) == body)
            }
            try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(ReceivedAnswers.most))
            #expect(try HandedOverBody.read(file).count == ReceivedAnswers.most)
            try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(ReceivedAnswers.most) + 1)
            #expect(refusal(file)?.code == "device.odd-answer")
        }
    }
}
