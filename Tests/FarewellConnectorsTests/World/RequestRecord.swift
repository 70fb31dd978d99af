// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

/// The requests of a test to services with a machine-readable contract.
final class RequestRecord: Sendable {
    @TaskLocal static var current: RequestRecord?

    private let lines = Guarded<[String: JSONValue]>([:])

    func add(_ call: SystemCall) {
        guard let kind = VendorContract.kind(of: call) else { return }
        let line = VendorContract.line(call, kind)
        lines.withLock { $0["\(kind) \(call.method) \(call.url) \(call.headers) \(call.body.hashValue)"] = line }
    }

    /// Records an issue for each request that its vendor's contract does not know.
    func check() async throws {
        let requests = lines.withLock { Array($0.values) }
        guard !requests.isEmpty else { return }
        let told = try await VendorContract.judged(requests)
        #expect(told["faults"]?.array == [], "\(told["faults"].map { "\($0)" } ?? "no answer")")
        #expect(told["uncovered"]?.array == [])
    }
}
