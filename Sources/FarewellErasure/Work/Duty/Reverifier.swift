// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import Logging

/// The second look, some time after the end, at the rows, the folders and the plan's systems: data that a slow queue or
/// a forgotten job wrote meanwhile is erased as well, by an erasure of its own.
struct Reverifier: Duty {
    let workers: ErasureWorkers
    let name = "The second look"
    let pause = 15

    private var engine: ErasureEngine { workers.engine }

    func perform() async throws {
        guard engine.unfit == nil, try await engine.clock.decisive() != nil else { return }
        let control = engine.control
        // A system or a folder that gives no answer is not read for the next subject either.
        var silent: Set<String> = []
        while true {
            let plan = engine.prepared.planFingerprint
            let taken = try await control.identities.claimLooks(limit: 20, seconds: 600, under: plan)
                .run(in: engine.database)
            for identity in taken {
                do {
                    try await look(identity, &silent)
                } catch let error as FarewellError {
                    // The look is due again when its claim ends; those of other subjects do not wait for it.
                    report(error, identity.erasure)
                }
            }
            if taken.count < 20 { return }
        }
    }

    private func report(_ error: FarewellError, _ erasure: UUID) {
        engine.environment.log.warning(
            "A second look failed; it is tried again later.",
            metadata: ["erasure": "\(erasure.text)", "code": "\(error.code.rawValue)"])
    }

    private func look(_ identity: RetainedIdentity, _ silent: inout Set<String>) async throws {
        let id = identity.erasure
        guard let ended = try await engine.status(of: id)?.erasure else { return }
        let record = identity.restored(in: ended)
        let control = engine.control
        if var erasure = try? SubjectSeal.opened(record, keys: engine.keys) {
            let prepared = engine.prepared
            erasure.forgetOwnKeys(under: prepared)
            let known = erasure
            let rows = try await engine.database.withConnection { connection in
                try await ReadBack(prepared: prepared).leftovers(of: [known], on: connection)
            }
            let elsewhere = try await leftovers(of: known, &silent)
            if !rows.isEmpty || !elsewhere.isEmpty {
                let end = ended.finishedAt ?? record.requestedAt
                let holder = KeyHolder(prepared: prepared)
                let isTaken = try await engine.database.withConnection {
                    try await holder.isTaken(known.subject, on: $0)
                }
                let hasReturned = try await workers.closing.hasReturned(known.subject.key.text, since: end)
                if isTaken || hasReturned {
                    if isTaken && !hasReturned || !elsewhere.isEmpty { try await note(known) }
                    leaveAlone(known, rows, elsewhere)
                } else {
                    try await again(known, rows, elsewhere)
                }
            } else if !silent.isEmpty {
                // No answer is not "nothing there": the look is due again when this claim ends, as long as the sealed
                // subject is kept.
                return
            }
        }
        try await engine.database.run(control.identities.looked(at: id))
    }

    /// The data of a subject in the plan's systems and folders, by their names. Systems that cannot report are left
    /// out; those that did not answer become `silent`.
    private func leftovers(of erasure: OpenedErasure, _ silent: inout Set<String>) async throws -> [String: Int] {
        let context = engine.context(ErasureOptions())
        var looks: [(place: String, count: () async throws -> Int?)] = engine.prepared.plan.folders.map { folder in
            let folderErasure = FolderErasure(context: context, folder: folder)
            return (folder.step, { try await folderErasure.found(of: erasure.subject).count.files })
        }
        for system in engine.plan.systems {
            guard let connector = engine.connectors[system.name] else { continue }
            let systemErasure = SystemErasure(context: context, system: system, connector: connector)
            looks.append((system.name, { try await systemErasure.left(of: erasure) }))
        }
        var left: [String: Int] = [:]
        for look in looks where !silent.contains(look.place) {
            do {
                if let count = try await look.count(), count > 0 { left[look.place] = count }
            } catch let error as FarewellError {
                silent.insert(look.place)
                engine.environment.log.warning(
                    "A place could not be read a second time; it is tried again later.",
                    metadata: [
                        "erasure": "\(erasure.id.text)", "place": "\(look.place)", "code": "\(error.code.rawValue)",
                    ])
            }
        }
        return left
    }

    /// The user has an account again, or another person has the key: what they write now is theirs.
    private func leaveAlone(_ erasure: OpenedErasure, _ rows: [String: Int], _ elsewhere: [String: Int]) {
        let places = rows.merging(elsewhere) { rows, _ in rows }.keys.sorted()
        engine.environment.log.warning(
            "An account was made under the key of an erased user; the second look left its data alone.",
            metadata: ["erasure": "\(erasure.id.text)", "places": "\(places.joined(separator: " "))"])
    }

    /// Reports to the operator's receivers of events that data reappeared.
    private func note(_ erasure: OpenedErasure) async throws {
        let note = engine.control.outbox.note(.reappeared, of: [erasure.id], at: engine.environment.now())
        try await engine.database.run(note)
    }

    private func again(_ erasure: OpenedErasure, _ rows: [String: Int], _ elsewhere: [String: Int]) async throws {
        var rules = workers.rules
        rules.graceDays = 0
        let requests = ErasureRequests(engine, rules: rules, signals: workers.signals)
        if elsewhere.isEmpty {
            _ = try await requests.request(erasure.subject.key.text)
        } else {
            _ = try await requests.request(again: erasure.subject)
        }
        try await note(erasure)
        let places = rows.merging(elsewhere) { rows, _ in rows }.keys.sorted()
        engine.environment.log.error(
            "Data came back after an erasure; it is erased again.",
            metadata: ["erasure": "\(erasure.id.text)", "places": "\(places.joined(separator: " "))"])
    }
}
