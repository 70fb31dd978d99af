// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Proofs that erasures use up")
struct ProofUseTests {
    private static let graceful = ServiceRules(graceDays: 14, secondLook: 0, poll: 1)
    private static let invalid = "erasure.step-up-invalid"

    /// As the server does it.
    private func ask(_ requests: ErasureRequests, _ proof: StepUp, key: String? = nil, of subject: String = "1") async throws -> UUID {
        var asking = ErasureRequest(idempotencyKey: key)
        asking.proof = proof
        if let known = try await requests.answered(byProof: asking, of: subject) { return known.erasure.id }
        let answer = try await requests.request(subject, asking)
        if answer.isKnown { try await requests.useProof(of: asking, by: subject, for: answer.erasure) }
        return answer.erasure.id
    }

    @Test("SV-9 simultaneous requests with one proof get one erasure, and the proof begins no second one", arguments: SQLDialect.allCases)
    func simultaneous(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let desks = [place.requests(Self.graceful), try await place.again(owner: "here:2:b").requests(Self.graceful)]
            let proof = try await desks[0].stepUp(of: "1", for: .requestErasure)
            let erasures = try await withThrowingTaskGroup(of: UUID.self) { group in
                for number in 0..<12 {
                    group.addTask { try await ask(desks[number % 2], proof, key: number < 6 ? "k" : nil) }
                }
                return try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
            }
            #expect(erasures.count == 1)
            let id = try #require(erasures.first)
            #expect(try await ask(desks[1], proof) == id)
            // Another subject with the proof, and the proof for another act.
            #expect(await code { _ = try await ask(desks[0], proof, of: "2") } == Self.invalid)
            for action in StepUpAction.allCases {
                #expect(await code { try await desks[0].spend(proof, of: "1", for: action) } == Self.invalid)
            }
            _ = try await desks[0].cancel(id, by: "1")
            #expect(await code { _ = try await ask(desks[0], proof) } == Self.invalid)
            // Also if it was looked at before the first was accepted.
            var late = ErasureRequest()
            late.proof = proof
            let second = late
            #expect(await code { _ = try await desks[0].request("1", second) } == Self.invalid)
        }
    }

    @Test("Item 29: a proof is valid only on its basis; the request that used it is answered on any", arguments: SQLDialect.allCases)
    func basis(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let requests = place.requests(Self.graceful)
            let proof = try await requests.stepUp(of: "1", for: .requestErasure, on: "session a, password 1")
            for basis in ["session b, password 1", "session a, password 2", nil] {
                #expect(await code { _ = try await ask(requests, StepUp(proof.text, basis: basis)) } == Self.invalid)
                let late = StepUp(proof.text, basis: basis)
                var asking = ErasureRequest()
                asking.proof = late
                let second = asking
                #expect(await code { _ = try await requests.request("1", second) } == Self.invalid)
                #expect(await code { try await requests.spend(late, of: "1", for: .requestErasure) } == Self.invalid)
            }
            let id = try await ask(requests, StepUp(proof.text, basis: "session a, password 1"))
            #expect(try await ask(requests, StepUp(proof.text, basis: "session b, password 1")) == id)
            let unused = try await requests.stepUp(of: "1", for: .cancelErasure, on: "a")
            #expect(await code { try await requests.spend(StepUp(unused.text), of: "1", for: .cancelErasure) } == Self.invalid)
            try await requests.spend(StepUp(unused.text, basis: "a"), of: "1", for: .cancelErasure)
        }
    }

    @Test("SV-9 a request that is not accepted uses no proof up, and one that finds an erasure does")
    func unaccepted() async throws {
        try await WorkerFixture.with(.sqlite) { place in
            let requests = place.requests(Self.graceful)
            let first = try await requests.stepUp(of: "1", for: .requestErasure)
            let ticket = try ErasureTicket(Base64URL.text([UInt8](repeating: 7, count: 32)))
            _ = try await requests.request("2", ErasureRequest(ticket: ticket))
            var reused = ErasureRequest(ticket: ticket)
            reused.proof = first
            let wrong = reused
            #expect(await code { _ = try await requests.request("1", wrong) } == "erasure.key-reused")
            let id = try await ask(requests, first)
            let second = try await requests.stepUp(of: "1", for: .requestErasure)
            #expect(try await ask(requests, second) == id)
            _ = try await requests.cancel(id, by: "1")
            #expect(await code { _ = try await ask(requests, second) } == Self.invalid)
            let wrongAct = try await requests.stepUp(of: "1", for: .cancelErasure)
            #expect(await code { _ = try await ask(requests, wrongAct) } == Self.invalid)
        }
    }
}
