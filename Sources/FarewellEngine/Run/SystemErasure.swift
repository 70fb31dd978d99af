// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Erases what one system of somebody else holds of a person, as a step of the run.
struct SystemErasure: Sendable {
    let context: ErasureContext
    let system: SystemPlan
    let connector: any Connector

    typealias Count = ConnectorDriver.Count

    private var steps: StepRecording { StepRecording(context: context) }

    private var driver: ConnectorDriver {
        ConnectorDriver(
            system.name, connector, sleep: context.environment.sleep, chance: context.environment.chance)
    }

    private func driver(for member: ErasureMember, in state: ErasureState) -> ConnectorDriver {
        var driver = driver
        driver.mayErase = { try await steps.requireLease(of: member, in: state) }
        driver.news = { try await steps.news(of: system.step, of: member) }
        driver.forgetNews = { try await steps.forgetNews(of: system.step, of: member) }
        return driver
    }

    /// Erases and reads back, going on where an earlier try stopped.
    func apply(to member: ErasureMember) async throws -> [String: Int] {
        let (names, shared) = try await names(of: member)
        var stored = try await steps.progress(of: system.step, of: member)
        let cursor = try stored?.opened(under: member.seal)
        stored?.cursor = cursor
        let erasing = driver(for: member, in: .running)
        var progress = try await erasing.run(request(names, of: member), from: stored) { progress in
            try await steps.store(try progress.sealed(under: member.seal), system.step, of: member)
        }
        if shared > 0 { progress.counts[Count.shared.rawValue] = shared }
        try await steps.finish(system.step, counts: progress.counts, of: member)
        return progress.counts
    }

    /// Looks again, later and after everything else; what has come back is erased again.
    func lookAgain(for member: ErasureMember) async throws {
        let looking = driver(for: member, in: .verifying)
        try await looking.lookAgain(request(try await names(of: member).names, of: member))
    }

    /// How much is there of somebody whose erasure has ended; nothing is changed. `nil` where nobody can tell.
    func left(of member: ErasureMember) async throws -> Int? {
        try await driver.left(request(try await names(of: member).names, of: member))
    }

    /// What the system calls the person, without what it calls somebody else as well.
    private func names(of member: ErasureMember) async throws -> (names: [String], shared: Int) {
        let naming = SystemNames(keys: context.keys, dialect: context.prepared.schema.dialect)
        let all = try naming.names(in: system, of: member.subject)
        guard case .column(let column) = system.person else { return (all, 0) }
        var names: [String] = []
        let strangers = SharedNames(context: context, column: column)
        for name in all where try await !strangers.isShared(name, besides: [member]) { names.append(name) }
        return (names, all.count - names.count)
    }

    private func request(_ names: [String], of member: ErasureMember) -> ConnectorRequest {
        ConnectorRequest(key: "\(member.id.text)/\(system.step)", names: names)
    }

    /// The erasure and the step behind a key of ours.
    static func parts(ofKey key: String) -> (erasure: UUID, step: String)? {
        guard let slash = key.firstIndex(of: "/"), let id = UUID(text: String(key[..<slash])) else { return nil }
        return (id, String(key[key.index(after: slash)...]))
    }
}

extension StepProgress {
    /// The same with its cursor sealed, for it may name the person.
    fileprivate func sealed(under seal: RunSeal) throws -> StepProgress {
        var progress = self
        progress.cursor = try cursor.map { try seal.seal(Data($0.utf8)).base64EncodedString() }
        return progress
    }

    fileprivate func opened(under seal: RunSeal) throws -> String? {
        guard let cursor, let data = Data(base64Encoded: cursor) else { return nil }
        return String(decoding: try seal.open(data), as: UTF8.self)
    }
}
