// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// The errors behind a guard that stopped a transaction.
enum GuardFailure {
    /// The code of the error for a transaction that changed other rows than the plan predicts
    /// (`ChangeDifference.error`).
    static let unpredicted: FarewellError.Code = "run.unpredicted"

    static let largeAccount = FarewellError(
        "run.large-account", .ours, "This subject has too many rows for one transaction.",
        remedy: "Nothing to do: it is erased in pieces.")

    static let divisionByZero = FarewellError(
        "sql.22012", .yoursToFix, "A trigger or a rule of the database divided by zero during the erasure of rows.",
        remedy: "Correct it and release the erasure.")

    static let leaseLost = FarewellError(
        "run.lease-lost", .tryAgain, "Another process took over this erasure; this process changed nothing.",
        remedy: "farewell status shows its state; the other process continues it.")

    static let keysNotEnforced = FarewellError(
        "sql.keys-off", .yoursToFix,
        "The session ran with session_replication_role = replica, in which PostgreSQL neither enforces foreign keys "
            + "nor fires triggers; this step changed nothing.",
        remedy: "Reset it where the role, the database or the pooler sets it, then release the erasure.")

    static let schemaChanged = FarewellError(
        "run.schema-changed", .yoursToFix,
        "The schema has changed since the erasure started; this step changed nothing.",
        remedy: "Run farewell check and correct the plan. A server or worker then continues the erasure automatically; "
            + "without one, release the erasure.")

    static let planChanged = FarewellError(
        "run.plan-changed", .yoursToFix, "The plan differs from the plan that the erasure started with.",
        remedy: "Restore the former plan and resume, or release the erasure under today's plan.")
}
