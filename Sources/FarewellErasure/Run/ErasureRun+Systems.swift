// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import Foundation

/// Third-party systems: concurrently, and the failure of one stops no other.
extension ErasureRun {
    /// The number of subjects whose systems are called at once. The systems' own rate limits hold in any case.
    private static let people = 8

    /// Erases the systems' data of some subjects, as far as it is not done yet.
    ///
    /// - Returns: The counts, by subject and step, and the errors of unfinished subjects.
    func erase(
        _ systems: [SystemPlan], of erasures: [OpenedErasure], done: [UUID: [String: [String: Int]]]
    ) async throws -> (counts: [UUID: [String: [String: Int]]], failures: [UUID: any Error]) {
        for system in systems {
            let open = erasures.filter { done[$0.id]?[system.step] == nil }
            if !open.isEmpty { try await begin(system.step, open) }
        }
        return try await each(of: erasures) { erasure in
            await sideBySide(systems.filter { done[erasure.id]?[$0.step] == nil }) { system in
                await observe(erasure.id, .began(step: system.step))
                let counts = try await systemErasure(in: system).apply(to: erasure)
                await observe(erasure.id, .finished(step: system.step))
                return counts
            }
        }
    }

    /// Checks again whether the systems hold data of some subjects.
    ///
    /// - Parameter done: The counts, by subject and step.
    /// - Returns: The present counts, and the errors of the subjects whose counts are uncertain.
    func lookAgain(
        for erasures: [OpenedErasure], after done: [UUID: [String: [String: Int]]]
    ) async throws -> (counts: [UUID: [String: [String: Int]]], failures: [UUID: any Error]) {
        let systems = context.prepared.plan.systems
        guard !systems.isEmpty else { return ([:], [:]) }
        let found = try await each(of: erasures) { erasure in
            await sideBySide(systems) { system in
                let counts = done[erasure.id]?[system.step] ?? [:]
                return try await systemErasure(in: system).lookAgain(for: erasure, after: counts)
            }
        }
        // Counts without numbers report nothing new.
        return (found.counts.mapValues { $0.filter { !$0.value.isEmpty } }, found.failures)
    }

    private func systemErasure(in system: SystemPlan) throws -> SystemErasure {
        guard let connector = context.connectors[system.name] else {
            throw ConnectorFault.misconfigured(system.name, "no connector exists for it").error
        }
        return SystemErasure(context: context, system: system, connector: connector)
    }

    private typealias Ending = (counts: [String: [String: Int]], failure: (any Error)?)

    private func each(
        of erasures: [OpenedErasure], _ work: @escaping @Sendable (OpenedErasure) async -> Ending
    ) async throws -> (counts: [UUID: [String: [String: Int]]], failures: [UUID: any Error]) {
        try await context.keepingLease(erasures) {
            await withTaskGroup(of: (UUID, Ending).self) { group in
                var waiting = erasures[...]
                var counts: [UUID: [String: [String: Int]]] = [:]
                var failures: [UUID: any Error] = [:]
                for erasure in waiting.prefix(Self.people) { group.addTask { (erasure.id, await work(erasure)) } }
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

    /// All of them at once; of several failures it reports the one that needs an operator, then the longest pause for
    /// which a system asked, and another rest only if nothing failed.
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
            let now = context.environment.wall().timeIntervalSince1970
            func isEarlier(_ one: SystemRest, _ other: SystemRest) -> Bool {
                one.seconds(from: now) < other.seconds(from: now)
            }
            let paused: (any Error)? = rests.filter(\.isFailure).max(by: isEarlier)
            return (counts, lasting ?? paused ?? passing ?? rests.min(by: isEarlier))
        }
    }
}
