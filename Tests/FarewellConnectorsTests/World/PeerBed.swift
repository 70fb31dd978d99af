// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellTesting

/// A system that a program of `Interop` plays, and a connector whose calls may fail on their way to it.
protocol PeerBed: ConnectorBed {
    var peer: PeerProcess { get }
    var sending: FaultySending { get }
    /// The system's name in that program.
    var part: String { get }
}

extension PeerBed {
    var part: String { name }

    /// Has the program create a subject.
    ///
    /// - Parameter words: The text of the request: a name, or a number of entries.
    func settle(saying words: String) async throws -> [String] {
        try await peer.control("POST", "/settle/\(part)", words).array?.compactMap(\.string) ?? []
    }

    func census() async throws -> [String: String] {
        try await peer.control("GET", "/census/\(part)").object?.compactMapValues(\.string) ?? [:]
    }

    func inject(_ fault: InjectedFault?, at call: Int, lasting: Bool) async {
        await sending.inject(fault, at: call, lasting: lasting)
    }

    var calls: Int { get async { await sending.calls } }
}
