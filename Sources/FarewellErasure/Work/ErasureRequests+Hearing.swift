// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

extension ErasureRequests {
    /// Accepts a system's message about an erasure that it has begun, and lets the erasure continue. A
    /// repeated message counts once, under whichever identifier it comes; one about an earlier request is ignored. One
    /// that comes after its erasure was parked for want of it releases that erasure.
    ///
    /// - Throws: `erasure.message-unsigned` for a message that is not signed as the system's, and also if no system of
    ///   this name sends messages; `erasure.not-found` for an unknown erasure; other errors of the system's connector.
    package func hear(_ message: SystemMessage, from name: String) async throws {
        let system = engine.prepared.plan.systems.first { $0.name == name }
        guard let system, let connector = engine.connectors[name] as? any CalledBackConnector else {
            throw SystemMessage.unsigned
        }
        let news = try connector.hear(message)
        guard let request = SystemErasure.request(ofKey: news.key, step: system.step),
            try await erasure(request.id) != nil
        else { throw Self.notFound }
        let step = try await run(control.steps.records(of: request.id)).first { $0.name == system.step }
        guard Self.isUnderWay(request, step) else { return }
        let report = SystemErasure.report(ofKey: news.key, step: system.step)
        if try await run(control.keep(news: news.text, report, of: request.id)).affected == 1 {
            try await engine.database.transaction { connection in
                try await endPause(of: request.id, reported: system.step, on: connection)
            }
            await wake()
        }
        // Also after a repeated message: this process may have ended before it released the erasure.
        try await releaseReported(request.id, system.step)
    }

    /// Releases an erasure that is parked at a step whose system did not report in time, and has reported now.
    private func releaseReported(_ id: UUID, _ step: String) async throws {
        guard let erasure = try await erasure(id), erasure.state == .needsAttention,
            let progress = erasure.status.steps.first(where: { $0.name == step })?.progress
        else { return }
        let isPending = try await run(control.isParked(id, because: "connector.pending"))
        guard progress.isParkedUnreported(because: isPending ? "connector.pending" : "") else { return }
        do {
            // The pause after its last attempt may not be over.
            try await release(id, by: "engine") { connection in
                try await endPause(of: id, reported: step, on: connection)
            }
        } catch let error as FarewellError where error.family != .tryAgain {
            // The report counts once an operator has released it.
            engine.environment.log.error(
                "An erasure stays parked", metadata: ["erasure": "\(id)", "why": "\(error.message)"])
        }
    }

    /// Ends the pause of an erasure, except what is left of one for which another system has asked.
    private func endPause(of id: UUID, reported step: String, on connection: any SQLConnection) async throws {
        let pauses = engine.context(ErasureOptions()).askedPauses
        let seconds = try await pauses.seconds(of: id, besides: [step], on: connection)
        try await connection.run(control.leases.endPause(of: id, after: seconds))
    }

    /// Once the step is done only a late request or one of the second look is answered, while it is under way: an
    /// earlier answer may be repeated.
    private static func isUnderWay(_ request: SystemErasure.Request, _ step: StepRecord?) -> Bool {
        let isDone = step?.state == .done
        if isDone, step?.progress == nil { return false }
        let isLate = isDone && step?.progress?.look == nil
        return request.isLate == isLate && request.round == step?.progress?.round ?? 0
    }
}
