// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure

/// The names under which `DELETE /me/account` reports its progress, system by system.
struct AccountSystems: Sendable {
    /// Each name with the step it stands for.
    private let steps: [String: String]
    /// The names that stand for the account.
    private let accounts: Set<String>

    /// - Parameter named: Names with steps, systems, tables or folders of the plan; without any each step goes by its
    ///   own name.
    init(named: [String: String], plan: Plan) {
        let rows = plan.order.filter { $0 != .files }
        let isOne = zip(plan.order, plan.order.dropFirst()).contains { $0 == (.rows, .identity) } || rows.count < 2
        let identity = isOne ? "rows" : "identity"
        guard !named.isEmpty else {
            var all = isOne ? ["rows": "rows"] : ["rows": "rows", "identity": "identity"]
            for folder in plan.folders { all[folder.name] = folder.step }
            for system in plan.systems { all[system.name] = system.step }
            steps = all
            accounts = ["identity"]
            return
        }
        let isAccount = { (place: String) in place == "\(plan.subject.table)" || place == "identity" }
        let own = Set(named.filter { isAccount($0.value) }.keys)
        accounts = own.isEmpty ? ["identity"] : own
        steps = named.mapValues { place in
            if let system = plan.systems.first(where: { $0.name == place || $0.step == place }) { return system.step }
            if let folder = plan.folders.first(where: { $0.name == place || $0.step == place }) { return folder.step }
            if isAccount(place) { return identity }
            return "rows"
        }
    }

    /// Each system's name, and whether it is finished.
    ///
    /// - Parameter keepsAccount: Whether the account is still there.
    func done(in erasure: RequestedErasure, keepsAccount: Bool) -> [String: Bool] {
        let isOver = erasure.state == .done
        let done = Set(erasure.status.steps.filter(\.isOver).map(\.name))
        let all = steps.mapValues { isOver || done.contains($0) }
        guard keepsAccount else { return all }
        return accounts.reduce(into: all) { $0[$1] = false }
    }

    /// The same for an erasure that has not ended, so at least one name is unfinished. If every named system is
    /// finished, that is a step without a name here, or the last part of each erasure: reading back and the receipt.
    func unfinished(in erasure: RequestedErasure?, keepsAccount: Bool) -> [String: Bool] {
        guard let erasure else { return accounts.reduce(into: allDone) { $0[$1] = false } }
        var all = done(in: erasure, keepsAccount: keepsAccount)
        guard all.values.allSatisfy(\.self) else { return all }
        let open = erasure.status.steps.filter { !$0.isOver }
        for step in open {
            if case .system(let name) = step.place { all[name] = false } else { all[step.name] = false }
        }
        if open.isEmpty { all[Self.verification] = false }
        return all
    }

    /// The last part of each erasure.
    private static let verification = "verification"

    /// All names as finished, if no work was left.
    var allDone: [String: Bool] { steps.mapValues { _ in true } }

    var noneDone: [String: Bool] { steps.mapValues { _ in false } }
}
