// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The place of a process's plan among the plans that processes have loaded.
package enum PlanStanding: Sendable, Hashable {
    /// No later plan is known, and no process leaves erasures to this plan that no other process takes.
    case newest
    /// A process has loaded a later plan, and no erasure waits for it.
    case superseded
    /// Erasures were accepted under a later plan, and no process takes them.
    case outdated
    /// Erasures were accepted under this plan and wait, and a process with an earlier plan leaves them.
    case unserved

    /// Why erasures wait; `nil` if none waits because of the order of the plans.
    package var trouble: FarewellError? {
        switch self {
        case .newest, .superseded: nil
        case .outdated: Self.laterPlan
        case .unserved: Self.earlierWorkers
        }
    }

    static let laterPlan = FarewellError(
        "run.later-plan", .yoursToFix,
        "Erasures wait that were accepted under a later plan than this process has.",
        remedy: "Give this process the later plan. If its own plan is right because you changed the plan back, run "
            + "farewell check --accept with it: it then counts as the newest, and the erasures continue under it.")

    static let earlierWorkers = FarewellError(
        "run.earlier-plan", .yoursToFix,
        "Erasures that were accepted under this plan wait, and a process with an earlier plan leaves them.",
        remedy: "Give all servers and workers this plan. If the other one is right because you changed the plan back, "
            + "run farewell check --accept with it: it then counts as the newest, and the erasures continue under it.")
}
