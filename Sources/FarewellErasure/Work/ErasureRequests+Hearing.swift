// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

extension ErasureRequests {
    /// Takes what a system of the plan tells of an erasure that it has begun with, and has the erasure go on. Told
    /// again it is told once; told too late it is of no interest.
    ///
    /// - Throws: `erasure.not-found` for a system that tells nothing and for an erasure that never was; what the
    ///   system's connector throws for a message that is not the system's.
    package func hear(_ message: SystemMessage, from name: String) async throws {
        let system = engine.prepared.plan.systems.first { $0.name == name }
        guard let system, let connector = engine.connectors[name] as? any CalledBackConnector else {
            throw Self.notFound
        }
        let news = try connector.hear(message)
        guard let (id, isLate) = SystemErasure.erasure(ofKey: news.key, step: system.step),
            let erasure = try await erasure(id)
        else { throw Self.notFound }
        // Once the step is done only a late asking is answered; the first answer may be told a second time.
        let isDone = erasure.status.steps.contains { $0.name == system.step && $0.state == .done }
        guard isDone == isLate else { return }
        guard try await run(control.keep(news: news.text, of: id, step: system.step)).affected == 1 else { return }
        _ = try await run(control.endPause(of: id))
        await wake()
    }
}
