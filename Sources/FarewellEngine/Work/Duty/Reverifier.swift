// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Logging

/// Looks a second time, a while after the end: what a slow queue or a forgotten job wrote meanwhile is erased as well,
/// by an erasure of its own.
struct Reverifier: Duty {
    let workers: ErasureWorkers
    let name = "Looking a second time"
    let pause = 15

    private var engine: ErasureEngine { workers.engine }

    func perform() async throws {
        let control = engine.control
        while true {
            let taken = try await engine.database.withConnection { connection in
                try await connection.run(control.claimLooks(limit: 20, seconds: 600)).rows
            }
            for row in taken { try await look(row) }
            if taken.count < 20 { return }
        }
    }

    private func look(_ row: [SQLValue]) async throws {
        guard let id = row[0].identifier, var record = try await engine.status(of: id)?.erasure else { return }
        record.wrappedKey = row[1].bytes
        record.sealed = row[2].bytes
        let control = engine.control
        if let member = try? SubjectSeal.opened(record, keys: engine.keys) {
            let prepared = engine.prepared
            let left = try await engine.database.withConnection { connection in
                try await ReadBack(prepared: prepared).leftovers(of: [member], on: connection)
            }
            if !left.isEmpty { try await again(member, left) }
        }
        try await engine.database.withConnection { _ = try await $0.run(control.looked(at: id)) }
    }

    private func again(_ member: ErasureMember, _ left: [String: Int]) async throws {
        var rules = workers.rules
        rules.graceDays = 0
        let desk = ErasureDesk(engine, rules: rules, bells: workers.bells)
        _ = try await desk.request(member.subject.key.text)
        let note = engine.control.note(.reappeared, of: [member.id], at: engine.environment.now())
        try await engine.database.withConnection { _ = try await $0.run(note) }
        engine.environment.log.error(
            "Rows came back after an erasure; they are erased again.",
            metadata: [
                "erasure": "\(member.id.text)",
                "places": "\(left.keys.sorted().joined(separator: " "))",
            ])
    }
}
