// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Testing

@Suite("Errors in the contract's form")
struct ErrorAnswerTests {
    private func body(_ response: Response) async throws -> [String: Any] {
        let writer = Collector()
        try await response.body.write(writer)
        let object = try JSONSerialization.jsonObject(with: Data(writer.bytes.value))
        return try #require(object as? [String: Any])
    }

    private let gone = FarewellError("auth.session_not_found", .yoursToFix, "Session is gone")

    @Test("without a version the answer has the initial form and no version")
    func initial() async throws {
        for headers: HTTPFields in [[:], [.apiVersion: "2023-12-31"], [.apiVersion: "soon"], [.apiVersion: "2024-1-1"]] {
            let response = ErrorAnswer(gone).response(.init(headers), requestID: "r")
            #expect(response.status == .forbidden)
            #expect(response.headers[.apiVersion] == nil)
            #expect(response.headers[.errorCode] == "session_not_found")
            let body = try await body(response)
            #expect(body["code"] as? Int == 403 && body["error_code"] as? String == "session_not_found")
            #expect(body["msg"] as? String == "Session is gone" && body["error_id"] == nil)
        }
    }

    @Test("with a version of 2024 or later the answer has the dated form, and returns the version")
    func dated() async throws {
        for version in ["2024-01-01", "2026-11-21"] {
            let response = ErrorAnswer(gone).response(.init([.apiVersion: version]), requestID: "r")
            #expect(response.headers[.apiVersion] == "2024-01-01")
            let body = try await body(response)
            #expect(body["code"] as? String == "session_not_found" && body["message"] as? String == "Session is gone")
            #expect(body.count == 2)
        }
    }

    @Test("Item 58: the answer about a defect shows an identifier to ask about, never the text of the defect")
    func defect() async throws {
        let error = FarewellError("authority.other-keys", .ours, "the inner truth")
        let response = ErrorAnswer(error).response(.initial, requestID: "name-7")
        #expect(response.status == .internalServerError)
        let body = try await body(response)
        #expect(body["error_id"] as? String == "name-7" && body["error_code"] as? String == "unexpected_failure")
        #expect(!"\(body)".contains("inner"))
    }

    @Test("an unreachable database is a temporary error that names the time of the next try")
    func passing() {
        let response = ErrorAnswer(FarewellError("sql.08006", .tryAgain, "away")).response(.dated, requestID: "r")
        #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] != nil)
    }

    @Test("what only an operator can end is tried again after a minute, what passes by itself after a second")
    func pauses() {
        func pause(_ code: String) -> String? {
            ErrorAnswer(FarewellError(.init(rawValue: code), .tryAgain, "words")).response(.initial, requestID: "r").headers[.retryAfter]
        }
        for code in ["erasure.clock", "erasure.plan-unfit", "erasure.identifier-form"] { #expect(pause(code) == "60", "\(code)") }
        for code in ["erasure.busy", "export.busy", "auth.overloaded", "sql.08006"] { #expect(pause(code) == "1", "\(code)") }
        #expect(pause("erasure.held") == nil)
    }

    @Test("every refusal code of the authority has its own status in the table")
    func table() {
        for refusal in AuthorityRefusal.allCases where !refusal.rawValue.hasPrefix("oauth.") {
            #expect(ErrorStatus.contract[refusal.rawValue] != nil, "\(refusal.rawValue)")
        }
    }
}

/// Collects what a body writes.
private struct Collector: ResponseBodyWriter {
    let bytes = Box()

    final class Box: Sendable {
        private let state = Guarded<[UInt8]>([])
        var value: [UInt8] { state.withLock { $0 } }
        func add(_ more: some Sequence<UInt8> & Sendable) { state.withLock { $0 += more } }
    }

    mutating func write(_ buffer: ByteBuffer) async throws { bytes.add(Array(buffer.readableBytesView)) }
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
