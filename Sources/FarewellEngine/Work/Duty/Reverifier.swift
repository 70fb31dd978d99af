// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Logging

/// Looks a second time, a while after the end, at the rows and at the plan's systems: what a slow queue or a forgotten
/// job wrote meanwhile is erased as well, by an erasure of its own.
struct Reverifier: Duty {
    let workers: ErasureWorkers
    let name = "Looking a second time"
    let pause = 15

    private var engine: ErasureEngine { workers.engine }

    func perform() async throws {
        let control = engine.control
        // A system that gives no answer is not asked about the next person as well.
        var silent: Set<String> = []
        while true {
            let taken = try await engine.database.withConnection { connection in
                try await connection.run(control.claimLooks(limit: 20, seconds: 600)).rows
            }
            for row in taken { try await look(row, &silent) }
            if taken.count < 20 { return }
        }
    }

    private func look(_ row: [SQLValue], _ silent: inout Set<String>) async throws {
        guard let id = row[0].identifier, var record = try await engine.status(of: id)?.erasure else { return }
        record.wrappedKey = row[1].bytes
        record.sealed = row[2].bytes
        let control = engine.control
        if let member = try? SubjectSeal.opened(record, keys: engine.keys) {
            let prepared = engine.prepared
            let rows = try await engine.database.withConnection { connection in
                try await ReadBack(prepared: prepared).leftovers(of: [member], on: connection)
            }
            let elsewhere = try await leftovers(of: member, &silent)
            if !rows.isEmpty || !elsewhere.isEmpty {
                try await again(member, rows, elsewhere)
            } else if prepared.plan.systems.contains(where: { silent.contains($0.name) }) {
                // No answer is not "nothing there": the look is due again when this one's claim is over, as long as
                // what is sealed of the person is kept.
                return
            }
        }
        try await engine.database.withConnection { _ = try await $0.run(control.looked(at: id)) }
    }

    /// What the plan's systems hold of somebody, by system. Those that cannot tell are left out; those that did not
    /// answer become `silent`.
    private func leftovers(of member: ErasureMember, _ silent: inout Set<String>) async throws -> [String: Int] {
        let context = engine.context(ErasureOptions())
        var left: [String: Int] = [:]
        for system in engine.plan.systems where !silent.contains(system.name) {
            guard let connector = engine.connectors[system.name] else { continue }
            do {
                let erasure = SystemErasure(context: context, system: system, connector: connector)
                if let count = try await erasure.left(of: member), count > 0 { left[system.name] = count }
            } catch let error as FarewellError {
                silent.insert(system.name)
                engine.environment.log.warning(
                    "A system could not be looked at a second time; it is asked again later.",
                    metadata: [
                        "erasure": "\(member.id.text)", "system": "\(system.name)", "code": "\(error.code.rawValue)",
                    ])
            }
        }
        return left
    }

    private func again(_ member: ErasureMember, _ rows: [String: Int], _ elsewhere: [String: Int]) async throws {
        var rules = workers.rules
        rules.graceDays = 0
        let desk = ErasureDesk(engine, rules: rules, bells: workers.bells)
        if elsewhere.isEmpty {
            _ = try await desk.request(member.subject.key.text)
        } else {
            _ = try await desk.request(again: member.subject)
        }
        let note = engine.control.note(.reappeared, of: [member.id], at: engine.environment.now())
        try await engine.database.withConnection { _ = try await $0.run(note) }
        let places = rows.merging(elsewhere) { rows, _ in rows }.keys.sorted()
        engine.environment.log.error(
            "Something came back after an erasure; it is erased again.",
            metadata: ["erasure": "\(member.id.text)", "places": "\(places.joined(separator: " "))"])
    }
}
