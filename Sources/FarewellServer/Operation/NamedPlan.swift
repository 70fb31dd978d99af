// SPDX-License-Identifier: Apache-2.0

public import Farewell
import FarewellPlan
import Foundation

/// Makes the connectors of a plan, by its systems' names.
public typealias SystemConnecting = @Sendable (Plan) throws -> [String: any Connector]

/// A plan, with what it takes to work by it.
struct NamedPlan: Sendable {
    let plan: Plan
    /// The base of its relative folders.
    let folder: String
    /// The path of its file; nil if it was made.
    let path: String?
    /// The connectors that erase in its systems.
    let connectors: [String: any Connector]

    /// Reads a plan's file.
    ///
    /// - Throws: `plan.…`.
    init(at path: String, connecting: SystemConnecting) throws {
        plan = try PlanFile.load(path: path)
        folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        self.path = path
        connectors = try connecting(plan)
    }

    /// A plan that was made in memory, without a file.
    init(_ plan: Plan, connecting: SystemConnecting) throws {
        self.plan = plan
        folder = "."
        path = nil
        connectors = try connecting(plan)
    }
}
