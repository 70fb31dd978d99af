// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Systems of others: side by side, and the trouble of one stops no other.
extension ErasureRun {
    /// How many people's systems are asked at once. The systems' own budgets hold whatever this is.
    private static let people = 8

    /// Erases what the systems hold of some people, whatever of it is not done yet.
    ///
    /// - Returns: What was counted, by person and step, and why it could not be ended for whom.
    func erase(
        _ systems: [SystemPlan], of members: [ErasureMember], done: [UUID: [String: [String: Int]]]
    ) async throws -> (counts: [UUID: [String: [String: Int]]], failures: [UUID: any Error]) {
        for system in systems {
            let open = members.filter { done[$0.id]?[system.step] == nil }
            if !open.isEmpty { try await begin(system.step, open) }
        }
        return try await each(of: members) { member in
            await sideBySide(systems.filter { done[member.id]?[$0.step] == nil }) { system in
                await observe(member.id, .began(step: system.step))
                let counts = try await erasure(in: system).apply(to: member)
                await observe(member.id, .finished(step: system.step))
                return counts
            }
        }
    }

    /// Looks again whether the systems hold anything of some people.
    ///
    /// - Parameter done: What was counted, by person and step.
    /// - Returns: The same as it is now, and why it is not certain for whom.
    func lookAgain(
        for members: [ErasureMember], after done: [UUID: [String: [String: Int]]]
    ) async throws -> (counts: [UUID: [String: [String: Int]]], failures: [UUID: any Error]) {
        let systems = context.prepared.plan.systems
        guard !systems.isEmpty else { return ([:], [:]) }
        let found = try await each(of: members) { member in
            await sideBySide(systems) { system in
                try await erasure(in: system).lookAgain(for: member, after: done[member.id]?[system.step] ?? [:])
            }
        }
        // What has no numbers has nothing new to tell.
        return (found.counts.mapValues { $0.filter { !$0.value.isEmpty } }, found.failures)
    }

    private func erasure(in system: SystemPlan) throws -> SystemErasure {
        guard let connector = context.connectors[system.name] else {
            throw ConnectorFault.misconfigured(system.name, "nothing here connects to it").error
        }
        return SystemErasure(context: context, system: system, connector: connector)
    }

    private typealias Ending = (counts: [String: [String: Int]], failure: (any Error)?)

    private func each(
        of members: [ErasureMember], _ work: @escaping @Sendable (ErasureMember) async -> Ending
    ) async throws -> (counts: [UUID: [String: [String: Int]]], failures: [UUID: any Error]) {
        try await context.keepingLease(members) {
            await withTaskGroup(of: (UUID, Ending).self) { group in
                var waiting = members[...]
                var counts: [UUID: [String: [String: Int]]] = [:]
                var failures: [UUID: any Error] = [:]
                for member in waiting.prefix(Self.people) { group.addTask { (member.id, await work(member)) } }
                waiting = waiting.dropFirst(Self.people)
                for await (id, ending) in group {
                    counts[id] = ending.counts
                    failures[id] = ending.failure
                    if let next = waiting.popFirst() { group.addTask { (next.id, await work(next)) } }
                }
                return (counts, failures)
            }
        }
    }

    /// All of them at once; of several failures that one is told which needs a person, and a rest only where nothing
    /// failed.
    private func sideBySide(
        _ systems: [SystemPlan], _ work: @escaping @Sendable (SystemPlan) async throws -> [String: Int]
    ) async -> Ending {
        await withTaskGroup(of: (String, Result<[String: Int], any Error>).self) { group in
            for system in systems {
                group.addTask {
                    do {
                        return (system.step, .success(try await work(system)))
                    } catch {
                        return (system.step, .failure(error))
                    }
                }
            }
            var counts: [String: [String: Int]] = [:]
            var failures: [String: any Error] = [:]
            for await (step, result) in group {
                switch result {
                case .success(let found): counts[step] = found
                case .failure(let error): failures[step] = error
                }
            }
            let inOrder = failures.sorted { $0.key < $1.key }.map(\.value)
            let lasting = inOrder.first { ($0 as? FarewellError).map { $0.family != .tryAgain } ?? false }
            let rests = inOrder.compactMap { $0 as? SystemRest }
            let passing = inOrder.first { !($0 is SystemRest) }
            return (counts, lasting ?? passing ?? rests.min { $0.until < $1.until })
        }
    }
}
